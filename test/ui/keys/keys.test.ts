import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { footerSpans } from '../../../components/Footer.tsx'
import { footerOf, helpLines } from '../../../src/ui/keys/help.ts'
import { paletteOf } from '../../../src/ui/views/palette/palette.ts'
import { table } from '../../../src/ui/views/index.ts'
import { type Mode } from '../../../src/ui/core/state.ts'
import { initialState } from '../../../src/ui/store.ts'
import { keyText } from '../../../src/text/keys.ts'

const modes: readonly Mode[] = table.modes.map(({ mode }) => mode)
const state = initialState('2026-01-30T14:22:33.000Z')

test('every key has a label, a help sentence and a mode in which it works', () => {
  for (const row of table.rows) {
    expect(row.keys.length, row.id).toBeGreaterThan(0)
    expect(row.label, row.id).not.toBe('')
    expect(row.help.length, row.id).toBeGreaterThan(5)
    expect(row.modes.length, row.id).toBeGreaterThan(0)
  }
  expect(new Set(table.rows.map((row) => row.id)).size).toBe(table.rows.length)
})

test('no label is kept for a key that no longer exists', () => {
  const ids = new Set<string>(table.rows.map((row) => row.id))
  expect(Object.keys(keyText).filter((id) => !ids.has(id))).toEqual([])
})

test('every key has one meaning per mode', () => {
  for (const mode of modes) {
    const keys = table.rows.filter((row) => row.modes.includes(mode)).flatMap((row) => row.keys)
    expect(keys, mode).toEqual([...new Set(keys)])
  }
})

test('letters are not commands in modes with text input', () => {
  for (const mode of ['palette', 'filter', 'form', 'memory-search', 'help-search', 'log-search'] as const) {
    expect(
      table.rows
        .filter((row) => row.modes.includes(mode))
        .flatMap((row) => row.keys)
        .filter((key) => key.length === 1),
    ).toEqual([])
  }
})

test('enter never approves, confirms or deletes', () => {
  const onEnter = table.rows.filter((row) => row.keys.includes('enter')).map((row) => row.id)
  expect(onEnter).toEqual([
    'open',
    'read-racer',
    'close',
    'keep-search',
    'fold',
    'reply',
    'item-open',
    'pair',
    'open-record',
    'seek',
    'submit',
    'keep-filter',
    'take-filter',
    'find',
    'run',
    'edit-setting',
    'fold-part',
    'seek-talk',
    'seek-logs',
  ])
})

test('every mode can be left with a key', () => {
  for (const mode of modes) {
    const keys = table.rows.filter((row) => row.modes.includes(mode)).flatMap((row) => row.keys)
    expect(keys, mode).toContain('escape')
    expect(keys, mode).toContain('ctrl-c')
  }
})

test('the help names every row once', () => {
  const text = helpLines(table)
    .map((line) => line.text)
    .join('\n')
  for (const row of table.rows) expect(text).toContain(row.help)
})

test.each([
  ['merge', 'i', 'Request an integration'],
  ['kill', 'x', 'Cancel the task or terminate the agent'],
  ['delete', 'd', 'Discard a worktree'],
  ['exit', 'q', 'Quit the console'],
  ['restart', 'r', 'Retry a failed task'],
  ['color', '', 'Next theme'],
  ['rever', 'z', 'Undo an integration'],
  ['history', 'T', 'Replay the session'],
  ['run task', 's', 'Start an agent for the task'],
])('the help finds by the word %s what it calls otherwise', (word, key, help) => {
  const lines = helpLines(table, undefined, word).map(({ text }) => text.trim())
  expect(lines.filter((line) => line.startsWith(key) && line.includes(help))).toHaveLength(1)
})

test('the footer keeps a blocked key in its place and marks it', () => {
  const { keys, last } = footerOf(state)
  expect(keys.map((key) => key.keys)).toEqual(['s', 'r', 'i', 'x', 'n', 'w', 'enter', 'c', '/', 'm', ':', '?'])
  expect(keys.filter((key) => key.blocked).map((key) => key.keys)).toEqual(['r', 'i', 'x', 'w', 'enter', 'c'])
  expect(last).toEqual({ keys: 'q', label: 'quit', blocked: false })
})

test.each([80, 100, 120, 140, 200])('the footer shows the keys to all commands at %i columns', (width) => {
  const overlays = [null, { kind: 'plots' as const, part: 'all' as const, top: 0 }]
  for (const overlay of overlays) {
    const spans = footerSpans({ ...footerOf({ ...state, view: { ...state.view, overlay } }), width })
    expect(spans.map(({ key }) => key.keys)).toEqual(expect.arrayContaining([':', '?']))
    expect(spans.at(-1)!.to).toBeLessThanOrEqual(width)
  }
})

test.each([
  [120, 15],
  [40, 9],
])('the sentences of the help begin after the keys at %i columns', (width, from) => {
  const lines = helpLines(table, undefined, '', width - 2).map(({ text }) => String(text))
  expect(lines.find((line) => line.trim().startsWith('enter '))!.slice(from)).toMatch(/^[A-Z]/)
  const long = lines.findIndex((line) => line.trim().startsWith('shift-tab'))
  expect(`${lines[long]} ${lines[long + 1]}`).toMatch(/shift-tab.* {2}[A-Z]/)
})

test('the palette finds a command by letters of its name and shows why it is blocked', () => {
  const [row, ...others] = paletteOf(
    { ...state, view: { ...state.view, overlay: { kind: 'palette', text: 'disc', at: 0 } } },
    'disc',
  )
  expect(row).toEqual({
    keys: 'd',
    help: 'discard · Discard a worktree (asks for a reason, then to confirm)',
    blocked: 'Select a worktree, or a task or an agent that has one.',
  })
  expect(others).toEqual([])
})

test('the tables of docs/console.md have one line for each row', () => {
  const lines = readFileSync(new URL('../../../docs/console.md', import.meta.url), 'utf8').split('\n')
  for (const row of table.rows) {
    const keys = row.keys.map((key) => `\`${key === ' ' ? 'space' : key}\``).join(' ')
    const [line = '', ...others] = lines.filter((one) => one.startsWith(`| ${keys} | \`${row.id}\` | ${row.help} |`))
    expect(others, row.id).toEqual([])
    expect(line, row.id).not.toBe('')
  }
})
