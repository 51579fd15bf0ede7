import { expect, test } from 'vitest'
import { footerOf, helpLines, keyTableMarkdown, paletteOf } from '../../src/ui/key-table.ts'
import { keyRows } from '../../src/ui/keys.ts'
import { initialState, type Mode } from '../../src/ui/state.ts'
import { keyText } from '../../src/text/keys.ts'

const modes: readonly Mode[] = [
  'logs',
  'log-search',
  'past',
  'list',
  'detail',
  'approval',
  'confirm',
  'help',
  'palette',
  'filter',
  'filters',
  'answer',
  'form',
  'memory',
  'memory-search',
  'record',
  'help-search',
]
const state = initialState('2026-01-30T14:22:33.000Z')

test('every key has a label, a sentence of help and a mode in which it works', () => {
  for (const row of keyRows) {
    expect(row.keys.length, row.id).toBeGreaterThan(0)
    expect(row.label, row.id).not.toBe('')
    expect(row.help.length, row.id).toBeGreaterThan(5)
    expect(row.modes.length, row.id).toBeGreaterThan(0)
  }
  expect(new Set(keyRows.map((row) => row.id)).size).toBe(keyRows.length)
})

test('no words are kept for a key that is gone', () => {
  const ids = new Set<string>(keyRows.map((row) => row.id))
  expect(Object.keys(keyText).filter((id) => !ids.has(id))).toEqual([])
})

test('no key means two things in one mode', () => {
  for (const mode of modes) {
    const keys = keyRows.filter((row) => row.modes.includes(mode)).flatMap((row) => row.keys)
    expect(keys, mode).toEqual([...new Set(keys)])
  }
})

test('in modes where one types, no letter is a command', () => {
  for (const mode of ['palette', 'filter', 'form', 'memory-search', 'help-search', 'log-search'] as const) {
    expect(
      keyRows
        .filter((row) => row.modes.includes(mode))
        .flatMap((row) => row.keys)
        .filter((key) => key.length === 1),
    ).toEqual([])
  }
})

test('enter approves, confirms and destroys nothing', () => {
  const onEnter = keyRows.filter((row) => row.keys.includes('enter')).map((row) => row.id)
  expect(onEnter).toEqual([
    'open',
    'close',
    'keep-search',
    'fold',
    'reply',
    'item-open',
    'pair',
    'open-record',
    'seek',
    'seek-logs',
    'submit',
    'keep-filter',
    'take-filter',
    'find',
    'run',
  ])
})

test('every mode can be left', () => {
  for (const mode of modes) {
    const keys = keyRows.filter((row) => row.modes.includes(mode)).flatMap((row) => row.keys)
    expect(keys, mode).toContain('escape')
    expect(keys, mode).toContain('ctrl-c')
  }
})

test('the help names every row once', () => {
  const text = helpLines()
    .map((line) => line.text)
    .join('\n')
  for (const row of keyRows) expect(text).toContain(row.help)
})

test('the footer keeps a blocked key in its place and marks it', () => {
  const { keys, last } = footerOf(state)
  expect(keys.map((key) => key.keys)).toEqual(['s', 'r', 'i', 'x', 'n', 'w', 'enter', '/', 'm', ':', '?'])
  expect(keys.filter((key) => key.blocked).map((key) => key.keys)).toEqual(['r', 'i', 'x', 'w', 'enter'])
  expect(last).toEqual({ keys: 'q', label: 'quit', blocked: false })
})

test('the palette finds a command by letters of its name and says why it is blocked', () => {
  const [row, ...others] = paletteOf({ ...state, view: { ...state.view, overlay: { kind: 'palette', text: 'disc', at: 0 } } }, 'disc')
  expect(row).toEqual({ keys: 'd', help: 'discard · Give a worktree up; asks for a reason, then once more', blocked: 'Select a worktree, or a task or an agent that has one.' })
  expect(others).toEqual([])
})

test('the table of the README has a line for each row, whatever it lies over', () => {
  const lines = keyTableMarkdown().split('\n')
  expect(lines).toHaveLength(2 + keyRows.length)
  expect(lines).toContain('| `space` | past-play | Let it run, or hold it | past |')
  expect(lines[0]).toBe('| key | name | does | where |')
  expect(lines).toContain('| `d` | discard | Give a worktree up; asks for a reason, then once more | list, detail |')
  expect(lines).toContain('| `y` | approve | Let exactly the commits that are shown into the target | approval |')
})
