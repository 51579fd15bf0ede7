import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseSettings } from '../../../src/effects/configuration/config.ts'
import { placeOfSetting } from '../../../src/effects/configuration/key-lines.ts'
import {
  readConsoleMemory,
  setBrokenMemoryAside,
  writeConsoleMemory,
} from '../../../src/effects/opening/console-world.ts'

let root: string
const file = (): string => join(root, '.aiswarm/console.json')

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aiswarm-memory-'))
  mkdirSync(join(root, '.aiswarm'))
})
afterEach(() => rmSync(root, { recursive: true }))

test('a settings file that cannot be read is kept aside with a sentence, and a valid one is not changed', () => {
  expect(setBrokenMemoryAside(root)).toBeUndefined()
  writeConsoleMemory(root, { comfort: {} })
  expect(setBrokenMemoryAside(root)).toBeUndefined()
  for (const broken of ['{"comfort": ', '[]', '']) {
    writeFileSync(file(), broken)
    expect(readConsoleMemory(root)).toEqual({})
    expect(setBrokenMemoryAside(root)).toBe(
      "The console's saved state for this project could not be read; it is kept as .aiswarm/console.json.broken.",
    )
    expect(existsSync(file())).toBe(false)
    expect(readFileSync(`${file()}.broken`, 'utf8')).toBe(broken)
  }
})

test('the configuration defines the look and the keys of the console', () => {
  const { settings, warnings } = parseSettings(
    'console:\n  theme: contrast\n  keys: {spawn: S, board: 7, down: [j, down]}\n  mouse: false\n  strict: true\n  colour: red\n',
    'config.yaml',
  )
  expect(settings.console).toEqual({
    theme: 'contrast',
    keys: { spawn: ['S'], board: ['7'], down: ['j', 'down'] },
    mouse: false,
    strict: true,
    templates: {},
  })
  expect(warnings).toEqual(['config.yaml:6: unknown key console.colour'])
  expect(parseSettings('', 'config.yaml').settings.console).toEqual({
    theme: 'auto',
    keys: {},
    mouse: true,
    strict: false,
    templates: {},
  })
  expect(() => parseSettings('console:\n  theme: pink\n', 'config.yaml')).toThrow(/^config\.yaml:2: console\.theme: /)
  expect(() => parseSettings('console:\n  keys:\n    spawn: {a: 1}\n', 'config.yaml')).toThrow(
    "config.yaml:3: console.keys.spawn: a key is written as 'S', 'ctrl-s' or 'page-down'",
  )
})

test('a key binding of the configuration has a place in its file', () => {
  const path = join(root, 'config.yaml')
  writeFileSync(path, 'session:\n  maxParallel: 2\nconsole:\n  keys:\n    new: A\n    spawn: r\n')
  expect(placeOfSetting(path, ['console', 'keys', 'spawn'])).toBe(`${path}:6`)
  expect(placeOfSetting(path, ['console', 'keys', 'gone'])).toBe(`${path}:4`)
  expect(placeOfSetting(join(root, 'none.yaml'), ['console'])).toBe(`${join(root, 'none.yaml')}:1`)
})
