import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import { system } from '../../../src/domain/agent/actor.ts'
import { narrated } from '../../../src/effects/loops/headless.ts'
import type { World } from '../../../src/effects/world.ts'
import type { Core } from '../../../src/operations/perform/core.ts'
import { openCore } from '../../support/core.ts'
import { until } from '../swarm.ts'

/** A world whose board can be away, and what is printed of it. */
const openNarrated = async () => {
  const { core, task } = await openCore()
  const board = { isAway: false, refused: 0, version: 0 }
  const store = {
    ...core.store,
    version: () => board.version,
    get read() {
      if (!board.isAway) return core.store.read
      board.refused++
      throw new Refusal('store_unreachable', 'The server does not answer.')
    },
  } as Core['store']
  const lines: string[] = []
  return {
    board,
    lines,
    world: { core: { ...core, store, host: null }, actor: system(), report: () => {} } as unknown as World,
    line: (text: string) => void lines.push(text),
    heard: (title: string) => until(title, () => lines.some((line) => line.includes(title))),
    add: async (title: string) => {
      await task({ title })
      board.version++
    },
  }
}

it('a worker whose board cannot be read for a while continues, and then prints what it has missed', async () => {
  const { board, lines, world, line, heard, add } = await openNarrated()
  await narrated(world, { maxParallel: null, line }, async () => {
    await add('before')
    await heard('before')
    board.isAway = true
    await add('meanwhile')
    await until('a refused read', () => board.refused > 0)
    board.isAway = false
    await heard('meanwhile')
  })
  expect(lines.filter((line) => line.includes('meanwhile'))).toHaveLength(1)
})

it('a worker whose board is away when its loops begin prints the events from its first answer on', async () => {
  const { board, lines, world, line, heard, add } = await openNarrated()
  await add('before')
  board.isAway = true
  await narrated(world, { maxParallel: null, line }, async () => {
    await until('several refused reads', () => board.refused > 3)
    board.isAway = false
    // The printing of events has read the board again.
    const refused = board.refused
    await sleep(500)
    expect(board.refused).toBe(refused)
    await add('then')
    await heard('then')
  })
  expect(lines.filter((line) => line.includes('before'))).toHaveLength(0)
})
