import { expect, test } from 'vitest'
import { releaseLease, selectLease, takeLease } from '../../src/db/leases.ts'
import { later, type Instant, milliseconds } from '../../src/domain/words/time.ts'
import { openCore, start } from '../support/core.ts'

const desk = async () => {
  const { store } = await openCore()
  const taken = (holder: string, now: Instant, { name = 'supervisor', boot = 'this' } = {}) =>
    store.write((db) =>
      takeLease(db, { name, holder, holder_pid: 7, now, tick: { boot, ms: milliseconds(now) }, ttl: 15_000 }),
    )
  return {
    take: async (...asked: Parameters<typeof taken>) => (await taken(...asked)).granted,
    taken,
    release: (holder: string) => store.write((db) => releaseLease(db, 'supervisor', holder)),
    lease: () => selectLease(store.read, 'supervisor'),
  }
}

test('a free lease is granted for a first term', async () => {
  const { take, lease } = await desk()
  expect(await take('a', start)).toBe(true)
  expect(await lease()).toEqual({
    name: 'supervisor',
    holder: 'a',
    holder_pid: 7,
    term: 1,
    acquired_at: start,
    expires_at: later(start, 15_000),
  })
})

test('a held lease is refused to others, and their attempts do not change it', async () => {
  const { take, lease } = await desk()
  await take('a', start)
  const before = await lease()
  expect(await take('b', later(start, 14_999))).toBe(false)
  expect(await lease()).toEqual(before)
})

test('the holder renews a lease within the same term', async () => {
  const { take, lease } = await desk()
  await take('a', start)
  expect(await take('a', later(start, 10_000))).toBe(true)
  expect(await lease()).toMatchObject({ holder: 'a', term: 1, acquired_at: start, expires_at: later(start, 25_000) })
})

test('an expired lease goes to the first process that asks, in a new term', async () => {
  const { take, lease } = await desk()
  await take('a', start)
  const lapsed = later(start, 15_000)
  expect([await take('b', lapsed), await take('c', lapsed), await take('a', lapsed)]).toEqual([true, false, false])
  expect(await lease()).toMatchObject({ holder: 'b', term: 2, acquired_at: lapsed })
})

test('only the holder releases a lease', async () => {
  const { take, release, lease } = await desk()
  await take('a', start)
  await release('b')
  expect(await lease()).toMatchObject({ holder: 'a' })
  await release('a')
  expect(await lease()).toBeUndefined()
})

test('a released lease goes to the next process in a new term, so that no earlier term is valid again', async () => {
  const { take, release, lease } = await desk()
  await take('a', start)
  await release('a')
  expect(await take('b', start)).toBe(true)
  expect(await lease()).toMatchObject({ holder: 'b', term: 2 })
  await release('b')
  expect(await take('a', start)).toBe(true)
  expect(await lease()).toMatchObject({ holder: 'a', term: 3 })
})

test('leases of different names are independent', async () => {
  const { take } = await desk()
  expect([await take('a', start), await take('b', start, { name: 'builder' })]).toEqual([true, true])
})

test('a lease of another boot is respected for its whole term by the local clock, whatever the wall clocks show', async () => {
  const { take, lease } = await desk()
  await take('a', later(start, 3_600_000), { boot: 'other' })
  expect(await take('b', start)).toBe(false)
  expect(await take('b', later(start, 14_999))).toBe(false)
  expect(await take('b', later(start, 15_000))).toBe(true)
  expect(await lease()).toMatchObject({ holder: 'b', term: 2 })
})

test('a lease of another boot stays with a holder that renews it', async () => {
  const { take } = await desk()
  await take('a', start, { boot: 'other' })
  expect(await take('b', start)).toBe(false)
  expect(await take('a', later(start, 10_000), { boot: 'other' })).toBe(true)
  expect(await take('b', later(start, 20_000))).toBe(false)
  expect(await take('b', later(start, 35_000))).toBe(true)
})

test('a lease says how long no process had it when it is renewed or taken late, unless it was given back', async () => {
  const { taken, release } = await desk()
  const at = (s: number) => later(start, s * 1000)
  expect(await taken('a', at(0))).toEqual({ granted: true, lapsed: 0 })
  expect(await taken('a', at(10))).toEqual({ granted: true, lapsed: 0 })
  expect(await taken('a', at(85))).toEqual({ granted: true, lapsed: 60_000 })
  expect(await taken('b', at(90))).toEqual({ granted: false, lapsed: 0 })
  expect(await taken('b', at(130))).toEqual({ granted: true, lapsed: 30_000 })
  await release('b')
  expect(await taken('a', at(600))).toEqual({ granted: true, lapsed: 0 })
})
