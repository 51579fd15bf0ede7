import { expect, it } from 'vitest'
import { someOf } from '../../../src/domain/words/counts.ts'

it('someOf names a list that is short enough in full', () => {
  expect(someOf([], 2)).toBe('')
  expect(someOf([1, 2], 2)).toBe('1, 2')
})

it('someOf counts what it does not name', () => {
  expect(someOf(['a', 'b', 'c'], 2)).toBe('a, b and 1 more')
})
