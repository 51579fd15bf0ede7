import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  axisTime,
  burnDown,
  burnLine,
  ending,
  inColumns,
  roundedTo,
  roundUp,
  shareOf,
  spread,
  stepWords,
  sum,
} from '../../../src/domain/session/plots.ts'
import { bucketOf, bucketStarts, spanOf, stretchBegin } from '../../../src/domain/session/span.ts'
import { elapsed, instant, milliseconds } from '../../../src/domain/words/time.ts'

const moment = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) })
const stretch = fc.record({
  from: moment,
  length: fc.oneof(fc.integer({ min: 0, max: 3_600_000 }), fc.integer({ min: 0, max: 10 * 365 * 86_400_000 })),
})
const counts = fc.array(fc.nat(1000), { maxLength: 60 })

describe('a time span', () => {
  it('has at most 48 buckets, from before its start to after its end', () => {
    fc.assert(
      fc.property(stretch, ({ from, length }) => {
        const span = spanOf(instant(from), instant(from + length))
        expect(span.buckets).toBeGreaterThanOrEqual(1)
        expect(span.buckets).toBeLessThanOrEqual(48)
        const start = milliseconds(span.start)
        expect(start).toBeLessThanOrEqual(from)
        expect(from - start).toBeLessThan(span.step)
        expect(start + span.buckets * span.step).toBeGreaterThan(from + length)
        expect(start + (span.buckets - 1) * span.step).toBeLessThanOrEqual(from + length)
        expect(bucketStarts(span)).toHaveLength(span.buckets)
      }),
    )
  })

  it('uses longer buckets for longer spans', () => {
    const step = (hours: number) =>
      stepWords(
        spanOf('2026-01-30T14:22:33.000Z', instant(milliseconds('2026-01-30T14:22:33.000Z') + hours * 3_600_000)).step,
      )
    expect([0.05, 0.5, 2, 8, 20, 40, 90, 24 * 30].map(step)).toEqual([
      '10s',
      '1m',
      '5m',
      '15m',
      '30m',
      '1h',
      '2h',
      '1d',
    ])
  })

  it('of negative length has one bucket', () => {
    expect(spanOf('2026-01-30T14:22:33.000Z', '2026-01-30T14:00:00.000Z')).toMatchObject({
      buckets: 1,
      to: '2026-01-30T14:22:33.000Z',
    })
  })
})

describe('a stretch', () => {
  it('is within one bucket, however long the session becomes', () => {
    fc.assert(
      fc.property(stretch, fc.nat(400 * 86_400_000), fc.boolean(), ({ from, length }, more, known) => {
        const began = instant(from)
        const at = instant(from + length)
        const begin = instant(stretchBegin(known ? began : undefined, at))
        expect(elapsed(begin, at)).toBeGreaterThanOrEqual(0)
        expect(elapsed(begin, at)).toBeLessThanOrEqual(300_000)
        const later = spanOf(began, instant(from + length + more))
        if (known) expect(bucketOf(later, begin)).toBe(bucketOf(later, at))
      }),
    )
  })
})

test('rounded values add up to their rounded sum', () => {
  const tenth = (value: number): number => Math.round(value * 10) / 10
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 50 }), (values) => {
      const rounded = roundedTo(tenth, values)
      expect(rounded.every((value) => value >= 0 && tenth(value) === value)).toBe(true)
      expect(tenth(sum(rounded))).toBe(tenth(sum(values)))
    }),
  )
})

describe('a bucket', () => {
  it('contains the instants from its start up to the next bucket', () => {
    fc.assert(
      fc.property(stretch, fc.double({ min: 0, max: 1, noNaN: true }), ({ from, length }, share) => {
        const span = spanOf(instant(from), instant(from + length))
        const at = instant(Math.floor(from + share * length))
        const begins = bucketStarts(span)[bucketOf(span, at)]!
        expect(elapsed(begins, at)).toBeGreaterThanOrEqual(0)
        expect(elapsed(begins, at)).toBeLessThan(span.step)
      }),
    )
  })

  it('at the edge contains the instants outside the span', () => {
    const span = spanOf('2026-01-30T14:00:00.000Z', '2026-01-30T16:00:00.000Z')
    expect(bucketOf(span, '2026-01-30T10:00:00.000Z')).toBe(0)
    expect(bucketOf(span, '2026-01-30T18:00:00.000Z')).toBe(span.buckets - 1)
  })
})

describe('a sum', () => {
  it('of a series equals the sum of its rows', () => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 1, max: 48 })
          .chain((buckets) =>
            fc.tuple(fc.constant(buckets), fc.array(fc.record({ bucket: fc.nat(buckets - 1), value: fc.nat(1000) }))),
          ),
        ([buckets, rows]) => {
          const values = spread(buckets, rows)
          expect(values).toHaveLength(buckets)
          expect(sum(values)).toBe(sum(rows.map((row) => row.value)))
          rows.forEach(({ bucket }) =>
            expect(values[bucket]).toBe(sum(rows.filter((row) => row.bucket === bucket).map((row) => row.value))),
          )
        },
      ),
    )
  })

  it('stays the same in fewer columns, and every value is visible in more columns', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 200 }), (values, columns) => {
        const drawn = inColumns(values, columns)
        expect(drawn).toHaveLength(values.length === 0 ? 0 : columns)
        if (columns <= values.length) expect(sum(drawn)).toBe(sum(values))
        else expect(new Set(drawn)).toEqual(new Set(values))
      }),
    )
  })

  it('of created and closed tasks leads from the open tasks at the start to those at the end', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.array(fc.tuple(fc.nat(50), fc.nat(50))), (start, rows) => {
        const [created, closed] = [rows.map(([n]) => n), rows.map(([, n]) => n)]
        const open = burnDown(start, created, closed)
        expect(open).toHaveLength(rows.length + 1)
        expect(open[0]).toBe(start)
        expect(open.at(-1)).toBe(start + sum(created) - sum(closed))
      }),
    )
  })
})

it('the top of an axis is the next round number', () => {
  expect([0, 0.003, 0.42, 1, 3, 7, 10, 11, 42, 100, 101, 51_000].map(roundUp)).toEqual([
    1, 0.003, 0.5, 1, 3, 8, 10, 12, 50, 100, 120, 60_000,
  ])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e12 }), (value) => {
      expect(roundUp(value)).toBeGreaterThanOrEqual(value)
      expect(roundUp(value)).toBeLessThanOrEqual(1.4 * value)
      expect(Number.isInteger(roundUp(value))).toBe(true)
    }),
  )
})

it('an instant is placed in the span in proportion', () => {
  const span = { from: '2026-01-30T14:00:00.000Z', to: '2026-01-30T16:00:00.000Z' }
  expect(
    ['2026-01-30T13:00:00.000Z', '2026-01-30T14:30:00.000Z', '2026-01-30T17:00:00.000Z'].map((at) => shareOf(span, at)),
  ).toEqual([0, 0.25, 1])
  expect(shareOf({ from: span.from, to: span.from }, span.from)).toBe(0)
})

it('an axis shows the day if it needs to', () => {
  const at = (hours: number) => instant(new Date(2026, 0, 30, 14, 22, 33).getTime() + hours * 3_600_000)
  const first = (hours: number) => axisTime(spanOf(at(0), at(hours)), at(0))
  expect([0.05, 2, 30, 100].map(first)).toEqual(['14:22:33', '14:22', '30 Jan 14:22', '30 Jan'])
})

it('every outcome maps to one of four results', () => {
  expect(
    ['completed', 'failed', 'lost', 'unavailable', 'not_started', 'cancelled', 'terminated', null].map(ending),
  ).toEqual(['completed', 'failed', 'failed', 'stopped', 'failed', 'stopped', 'stopped', 'working'])
})

it('the line of open tasks begins with those that a session created first', () => {
  const lineOf = (start: number, created: readonly number[], closed: readonly number[]) =>
    burnLine(burnDown(start, created, closed), created)
  expect(lineOf(0, [6, 0, 0], [3, 2, 1])).toEqual([6, 3, 1, 0])
  expect(lineOf(0, [0, 4, 0], [0, 0, 4])).toEqual([4, 4, 4, 0])
  expect(lineOf(2, [6, 0], [3, 5])).toEqual([2, 5, 0])
  expect(lineOf(0, [0, 0], [0, 0])).toEqual([0, 0, 0])
})
