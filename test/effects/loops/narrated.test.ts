import { expect, it } from 'vitest'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import { system } from '../../../src/domain/agent/actor.ts'
import { narrated } from '../../../src/effects/loops/headless.ts'
import type { World } from '../../../src/effects/world.ts'
import type { Core } from '../../../src/operations/door/core.ts'
import { openCore } from '../../support/core.ts'
import { until } from '../swarm.ts'

it('a worker whose board cannot be read for a while continues, and then prints what it has missed', async () => {
  const { core, task } = await openCore()
  let away = false
  let version = 0
  let refused = 0
  const store = {
    ...core.store,
    version: () => version,
    get read() {
      if (!away) return core.store.read
      refused++
      throw new Refusal('store_unreachable', 'The server does not answer.')
    },
  } as Core['store']
  const world = { core: { ...core, store, host: null }, actor: system(), report: () => {} } as unknown as World
  const lines: string[] = []
  const heard = (title: string) => until(title, () => lines.some((line) => line.includes(title)))
  await narrated(world, { maxParallel: null, line: (text) => lines.push(text) }, async () => {
    await task({ title: 'before' })
    version++
    await heard('before')
    away = true
    await task({ title: 'meanwhile' })
    version++
    await until('a refused read', () => refused > 0)
    away = false
    await heard('meanwhile')
  })
  expect(lines.filter((line) => line.includes('meanwhile'))).toHaveLength(1)
})
