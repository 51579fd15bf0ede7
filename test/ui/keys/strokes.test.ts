import type { Key } from 'ink'
import { expect, test } from 'vitest'
import { strokesOf } from '../../../src/ui/keys/strokes.ts'

const none = {} as Key

test('a burst of letters is split into keys', () => {
  expect(strokesOf('jki', none)).toEqual(['j', 'k', 'i'])
  expect(strokesOf('j\r', none)).toEqual(['j', 'enter'])
  expect(strokesOf('ab\n\t', none)).toEqual(['a', 'b', 'enter', 'tab'])
})

test('letters beyond ASCII are not split', () => {
  expect(strokesOf('日😀', none)).toEqual(['日', '😀'])
})

test('an unknown escape sequence is not read as letters', () => {
  expect(strokesOf('[27;5;9~', none)).toEqual([])
  expect(strokesOf('[I', none)).toEqual([])
  expect(strokesOf('[', none)).toEqual(['['])
})

test('escape directly before a letter is two keys', () => {
  expect(strokesOf('j', { ...none, meta: true })).toEqual(['escape', 'j'])
})

test('escape directly before tab or enter is two keys', () => {
  expect(strokesOf('', { ...none, tab: true, meta: true })).toEqual(['escape', 'tab'])
  expect(strokesOf('', { ...none, tab: true, shift: true, meta: true })).toEqual(['escape', 'shift-tab'])
  expect(strokesOf('', { ...none, return: true, meta: true })).toEqual(['escape', 'enter'])
})

test('named keys keep their names', () => {
  expect(strokesOf('', { ...none, upArrow: true })).toEqual(['up'])
  expect(strokesOf('', { ...none, tab: true, shift: true })).toEqual(['shift-tab'])
  expect(strokesOf('c', { ...none, ctrl: true })).toEqual(['ctrl-c'])
  expect(strokesOf('', { ...none, delete: true })).toEqual(['backspace'])
})
