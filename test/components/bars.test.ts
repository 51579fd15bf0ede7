import fc from 'fast-check'
import { expect, test } from 'vitest'
import { barRows, lineRows } from '../../components/base/bars.ts'

test('bars are as high as their values, from the bottom up', () => {
  expect(barRows([0, 1, 4, 8], 8, 1, false)).toEqual([' ▁▄█'])
  expect(barRows([0, 1, 4, 8, 6], 8, 2, false)).toEqual(['   █▄', ' ▂███'])
  expect(barRows([0, 1, 4, 8], 8, 2, true)).toEqual(['   |', ' .||'])
})

test('a small value is visible, and a value of zero is not', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(1_000_000), { maxLength: 50 }),
      fc.integer({ min: 1, max: 6 }),
      fc.boolean(),
      (values, height, plain) => {
        const rows = barRows(values, Math.max(...values), height, plain)
        expect(rows).toHaveLength(height)
        values.forEach((value, at) => expect(rows.some((row) => row[at] !== ' ')).toBe(value > 0))
        expect(rows.every((row) => row.length === values.length)).toBe(true)
      },
    ),
  )
})

test('a line chart descends from its highest to its lowest value without a gap', () => {
  expect(lineRows([4, 4, 2, 2, 0, 0], 4, 4, true)).toEqual(['**    ', '  *   ', '  **  ', '    **'])
  expect(lineRows([3, 2, 1, 0], 3, 1, false)).toEqual(['⠑⢄'])
  fc.assert(
    fc.property(
      fc.array(fc.nat(100), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 8 }),
      (values, height) => {
        const rows = lineRows(values, 100, height, true)
        values.forEach((_, at) => expect(rows.filter((row) => row[at] === '*').length).toBeGreaterThan(0))
      },
    ),
  )
})
