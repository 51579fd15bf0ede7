import { expect, test } from 'vitest'
import { isWithin } from '../../src/domain/worktree.ts'

test('a folder contains itself and what lies below it', () => {
  expect(isWithin('/a/b', '/a/b')).toBe(true)
  expect(isWithin('/a/b/c', '/a/b')).toBe(true)
  expect(isWithin('/a/b/c/d.txt', '/a/b')).toBe(true)
})

test('a folder whose name only begins alike lies outside', () => {
  expect(isWithin('/a/bc', '/a/b')).toBe(false)
  expect(isWithin('/a/b-2/c', '/a/b')).toBe(false)
})

test('a parent and a sibling lie outside', () => {
  expect(isWithin('/a', '/a/b')).toBe(false)
  expect(isWithin('/a/c', '/a/b')).toBe(false)
})

test('everything lies within the root of the file system', () => {
  expect(isWithin('/a', '/')).toBe(true)
  expect(isWithin('/', '/')).toBe(true)
})
