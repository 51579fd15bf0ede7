import { expect, test } from 'vitest'
import { isWithin } from '../../../src/domain/worktree/worktree.ts'

test('a folder contains itself and everything below it', () => {
  expect(isWithin('/a/b', '/a/b')).toBe(true)
  expect(isWithin('/a/b/c', '/a/b')).toBe(true)
  expect(isWithin('/a/b/c/d.txt', '/a/b')).toBe(true)
})

test('a folder does not contain a folder whose name only starts like its own', () => {
  expect(isWithin('/a/bc', '/a/b')).toBe(false)
  expect(isWithin('/a/b-2/c', '/a/b')).toBe(false)
})

test('a folder contains neither its parent nor its siblings', () => {
  expect(isWithin('/a', '/a/b')).toBe(false)
  expect(isWithin('/a/c', '/a/b')).toBe(false)
})

test('the root of the file system contains everything', () => {
  expect(isWithin('/a', '/')).toBe(true)
  expect(isWithin('/', '/')).toBe(true)
})
