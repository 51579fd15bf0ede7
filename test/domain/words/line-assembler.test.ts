import { expect, it } from 'vitest'
import { LineAssembler } from '../../../src/domain/words/output-lines.ts'

it('a line that arrives in pieces is given once, with the piece that ends it', () => {
  const lines = new LineAssembler()
  expect(lines.add('a\nb')).toEqual(['a'])
  expect(lines.add('c')).toEqual([])
  expect(lines.add('d\n\ne')).toEqual(['bcd', ''])
  expect(lines.flush()).toEqual(['e'])
  expect(lines.flush()).toEqual([])
  expect(lines.add('f\n')).toEqual(['f'])
})

it('only the last characters of a line without an end are kept', () => {
  const lines = new LineAssembler(3)
  expect(lines.add('abcdef')).toEqual([])
  expect(lines.add('g\nhijkl')).toEqual(['defg'])
  expect(lines.flush()).toEqual(['jkl'])
})
