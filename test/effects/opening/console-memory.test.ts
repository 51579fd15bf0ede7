import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConsoleMemory, writeConsoleMemory } from '../../../src/effects/opening/console-world.ts'
import { temporaryFolder } from '../../support/core.ts'

const place = (): string => {
  const root = temporaryFolder()
  mkdirSync(join(root, '.aiswarm'))
  return root
}

test("a part of the console's saved state is saved without changing the others", () => {
  const root = place()
  expect(readConsoleMemory(root)).toEqual({})
  writeConsoleMemory(root, { theme: 'dark' })
  writeConsoleMemory(root, { filters: [1] })
  writeConsoleMemory(root, (kept) => ({ filters: [...(kept['filters'] as number[]), 2] }))
  expect(readConsoleMemory(root)).toEqual({ theme: 'dark', filters: [1, 2] })
  expect(readdirSync(join(root, '.aiswarm'))).toEqual(['console.json'])
})

test('a saved state that cannot be read counts as empty', () => {
  const root = place()
  for (const text of ['', '{', '[]', 'null', '3']) {
    writeFileSync(join(root, '.aiswarm', 'console.json'), text)
    expect(readConsoleMemory(root)).toEqual({})
  }
  writeConsoleMemory(root, { a: 1 })
  expect(readConsoleMemory(root)).toEqual({ a: 1 })
})
