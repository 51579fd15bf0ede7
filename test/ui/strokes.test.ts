import type { Key } from 'ink'
import { expect, test } from 'vitest'
import { strokesOf } from '../../src/ui/strokes.ts'

const none = {} as Key

test('a burst is split letter by letter', () => {
  expect(strokesOf('jki', none)).toEqual(['j', 'k', 'i'])
  expect(strokesOf('j\r', none)).toEqual(['j', 'enter'])
  expect(strokesOf('ab\n\t', none)).toEqual(['a', 'b', 'enter', 'tab'])
})

test('letters beyond ASCII stay whole', () => {
  expect(strokesOf('日😀', none)).toEqual(['日', '😀'])
})

test('an escape sequence that nobody knows is no letters', () => {
  expect(strokesOf('[27;5;9~', none)).toEqual([])
  expect(strokesOf('[I', none)).toEqual([])
  expect(strokesOf('[', none)).toEqual(['['])
})

test('escape with a letter close behind it is both', () => {
  expect(strokesOf('j', { ...none, meta: true })).toEqual(['escape', 'j'])
})

test('escape with tab or enter close behind it is both', () => {
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
