import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { Refusal, StoreRefusal } from '../../../src/domain/rules/refusal.ts'
import { keepLease } from '../../../src/effects/opening/take-over.ts'
import { openCore } from '../../support/core.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The heartbeats of a person who holds a task, answered in turn by these errors and then by none. */
const beatsAfter = async (holder: string, ...errors: readonly Error[]): Promise<number> => {
  const { core, agent } = await openCore()
  await agent('ada')
  let beats = 0
  const write = (() => {
    const error = errors[beats++]
    return error === undefined ? Promise.resolve({}) : Promise.reject(error)
  }) as unknown as typeof core.store.write
  keepLease({ ...core, store: { ...core.store, write } }, holder, person)
  await vi.advanceTimersByTimeAsync(4 * core.settings.lease.ttl)
  return beats
}

it('a person keeps a task while the store is away, however long that takes', async () => {
  expect(
    await beatsAfter(
      'human-1',
      new Refusal('database_busy', 'Busy.'),
      new Refusal('store_unreachable', 'Away.'),
      new Refusal('store_unreachable', 'Away, and perhaps written.', { retryable: false }),
      new StoreRefusal('not_found', 'There is no database board.'),
      new StoreRefusal('not_allowed', 'The login was refused.'),
      new Refusal('store_read_only', 'It is a replica.'),
      new Refusal('disk_failed', 'The server has no room left.'),
      new Error('A bug.'),
    ),
  ).toBeGreaterThan(11)
})

it('a person who has handed a task back sends no heartbeat any more', async () => {
  expect(await beatsAfter('human-2', new Refusal('not_found', 'It is gone.'))).toBe(1)
})
