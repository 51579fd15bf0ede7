import { expect, it } from 'vitest'
import { runWithConsole } from '../../../src/effects/opening/console-world.ts'
import type { World } from '../../../src/effects/world.ts'
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
