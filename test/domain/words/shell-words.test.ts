import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fuzzyScore } from '../../../src/domain/words/fuzzy-score.ts'
import { isUnclosed, shellLine, shellWord, wordsIn } from '../../../src/domain/words/shell-words.ts'

const word = fc.string({ unit: fc.constantFrom(...`ab '"\\$\`!*?;|&<>()#~-é\n`), minLength: 0, maxLength: 8 })

test('a shell parses the line into the original words', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
      const read = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${shellLine(words)}`], { encoding: 'utf8' })
      expect(read.split('\0').slice(0, -1)).toEqual(words)
    }),
    { numRuns: 60 },
  )
})

test('words in quotes stay together, even while they are typed', () => {
  expect(wordsIn(`a 'b c' "d \\"e" f\\ g`)).toEqual(['a', 'b c', 'd "e', 'f g'])
  expect(wordsIn(`it's open`)).toEqual(['its open'])
  expect(wordsIn('  ')).toEqual([])
  fc.assert(
    fc.property(fc.array(word, { maxLength: 4 }), (words) => {
      expect(wordsIn(shellLine(words))).toEqual(words)
    }),
  )
})

test('a missing end quote is detected', () => {
  expect([`it's open`, `"a`, `a\\`, `'a' 'b`].filter((text) => !isUnclosed(text))).toEqual([])
  expect([`'a b' "it's" c\\'d`, '', 'plain', `"a\\"b"`].filter(isUnclosed)).toEqual([])
  fc.assert(fc.property(fc.array(word, { maxLength: 4 }), (words) => !isUnclosed(shellLine(words))))
})

test('a word that zsh would expand to a path is quoted', () => {
  expect(shellWord('=ls')).toBe("'=ls'")
  expect(shellWord('a=b')).toBe('a=b')
})

test('a fuzzy search prefers whole words and prefixes', () => {
  const best = (typed: string, ...names: string[]): string | undefined =>
    names
      .map((name) => ({ name, score: fuzzyScore(typed, [name]) }))
      .filter((one) => one.score !== undefined)
      .sort((a, b) => b.score! - a.score!)[0]?.name
  expect(best('tadd', 'task add', 'worktree trust')).toBe('task add')
  expect(best('retry', 'task retry', 'memory brief tray')).toBe('task retry')
  expect(best('add task', 'task add', 'task list')).toBe('task add')
  expect(best('list', 'lists of all', 'worktree list')).toBe('worktree list')
  expect(best('worktrees', 'worktree list', 'worktrees')).toBe('worktrees')
  expect(best('xyz', 'task add')).toBe(undefined)
  expect(fuzzyScore('tsk', ['add', 'put a task on the board'])).toBe(undefined)
  expect(fuzzyScore('board', ['add', 'put a task on the board'])).toBeGreaterThan(0)
})
