import { expect, test } from 'vitest'
import { tail, widthOf } from '../../components/base/fit.ts'

test('a long text shows its end in the available columns, with wide characters as well', () => {
  expect(tail('short', 10)).toBe('short')
  expect(tail('0123456789', 6)).toBe('…56789')
  expect(tail('日本語日本語', 8)).toBe('…日本語')
  for (let width = 2; width < 20; width++)
    expect(widthOf(tail('ab日本語é👩‍👩‍👧 xyz'.repeat(3), width))).toBeLessThanOrEqual(width)
  expect(tail('x👩‍👩‍👧', 3)).toBe('x👩‍👩‍👧')
  expect(tail('xyz👩‍👩‍👧', 3)).toBe('…👩‍👩‍👧')
})
