import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, test } from 'vitest'
import { readConsoleMemory, runWithConsole, writeConsoleMemory } from '../../../src/effects/opening/console-world.ts'
import type { World } from '../../../src/effects/world.ts'
import { temporaryFolder } from '../../support/core.ts'
import { openSwarm } from '../swarm.ts'

it('a console on a full disk says that nothing starts, unless its checkout has not joined, where nothing would run', async () => {
  const { world, connection } = await openSwarm()
  const { settings } = world.core
  const full = { ...world.core, settings: { ...settings, session: { ...settings.session, freeDisk: Infinity } } }
  const holdOf = async (core: World['core']): Promise<string | null | undefined> => {
    let hold: string | null | undefined
    await runWithConsole({ ...world, core }, connection, async ({ supervisor }) => {
      hold = supervisor().hold
    })
    return hold
  }
  expect(await holdOf(full)).toMatch(/^only .* of the disk is free$/)
  expect(await holdOf({ ...full, host: null })).toBe(null)
})

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
