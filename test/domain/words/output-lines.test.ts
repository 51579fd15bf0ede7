import { expect, it } from 'vitest'
import { LineAssembler, looksLikeError } from '../../../src/domain/words/output-lines.ts'

it.each([
  'Error: no such file',
  'npm ERR! code 1',
  'thread main panicked at x.rs',
  '✗ rejects an expired token',
  '3 failed, 0 errors',
  'Traceback (most recent call last):',
])('the log line %j is recognized as an error', (line) => expect(looksLikeError(line)).toBe(true))

it.each([
  'TypeError: x is not a function',
  '  java.lang.NullPointerException: at Main',
  "code: 'ERR_MODULE_NOT_FOUND'",
  ' FAIL  test/a.test.ts > rejects an expired token',
  'not ok 3 - rejects an expired token',
])('the log line with a named error %j is recognized as an error', (line) => expect(looksLikeError(line)).toBe(true))

it.each([
  '0 errors, 0 failed',
  'compiled without errors',
  'Tests passed: 12, failures: 0',
  'the terror of it',
  '# FAIL: 0',
  'onError is called',
  'it is not okay to',
  'all is well',
  '',
])('the log line %j is not recognized as an error', (line) => expect(looksLikeError(line)).toBe(false))

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
