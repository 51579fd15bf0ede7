import { expect, test } from 'vitest'
import { Form } from '../../components/Form.tsx'
import { Palette } from '../../components/Palette.tsx'
import { ours } from '../../src/domain/words/safe-text.ts'
import { draw } from './frame.tsx'

const rows = [
  { keys: ours('r'), help: ours('retry · Put a failed task back'), blocked: null },
  {
    keys: ours('d'),
    help: ours('discard · Give a worktree up; asks for a reason'),
    blocked: ours('Select a worktree, or a task that has one.'),
  },
  ...Array.from({ length: 10 }, (_, n) => ({ keys: ours('…'), help: ours(`task ${n}`), blocked: null })),
]
const palette = (at: number, width = 50): string[] =>
  draw(<Palette typed={ours('')} rows={rows} at={at} width={width} height={6} />, width)

test('the palette shows the range of visible rows, and shows a cut selected row in full without moving the others', () => {
  expect(palette(0)).toEqual([
    '╭[Commands]────────────────────────── 1–6 of 12 ─╮',
    '│ :                                              │',
    '│▸ r      retry · Put a failed task back         │',
    '│  d      discard · Give a worktree up; asks for…│',
    '│  …      task 0                                 │',
    '│  …      task 1                                 │',
    '│  …      task 2                                 │',
    '│  …      task 3                                 │',
    '╰────────────────────────────────────────────────╯',
  ])
  expect(palette(1)).toEqual([
    '╭[Commands]────────────────────────── 1–3 of 12 ─╮',
    '│ :                                              │',
    '│  r      retry · Put a failed task back         │',
    '│▸ d      discard · Give a worktree up; asks for…│',
    '│  …      task 0                                 │',
    '│ └ discard · Give a worktree up; asks for a     │',
    '│   reason (Select a worktree, or a task that    │',
    '│   has one.)                                    │',
    '╰────────────────────────────────────────────────╯',
  ])
})

test('the palette scrolls row by row to its last row, whichever rows are cut', () => {
  const first = (at: number): string => palette(at)[2]!.slice(10, 17).trim()
  expect(rows.map((_, at) => first(at))).toEqual([
    'retry ·',
    'retry ·',
    'retry ·',
    'discard',
    'task 0',
    'task 1',
    'task 2',
    'task 3',
    'task 4',
    'task 5',
    'task 6',
    'task 7',
  ])
  expect(palette(11).slice(0, 6)).toEqual([
    '╭[Commands]──────────────────────── 10–12 of 12 ─╮',
    '│ :                                              │',
    '│  …      task 7                                 │',
    '│  …      task 8                                 │',
    '│▸ …      task 9                                 │',
    '│                                                │',
  ])
})

const field = { value: ours(''), choice: false, wrong: null }
const fields = [
  { ...field, label: ours('TITLE *'), hint: ours('The work to do, in one line') },
  { ...field, label: ours('--command'), hint: ours('Shell command that does the task; needs no agent CLI') },
]
const form = (at: number, height = 20): string[] =>
  draw(
    <Form
      title={ours('task add')}
      question={[]}
      from={0}
      readsOn={ours('pgdn')}
      fields={fields}
      at={at}
      line={ours('aiswarm task add')}
      hint={ours('enter goes on   esc leaves   ctrl-y copies the line   ← → change a choice')}
      width={60}
      height={height}
    />,
    60,
  )

test('a form shows the whole hint of its current field, and breaks the key hints between keys', () => {
  expect(form(0)).toEqual([
    '╭[task add]────────────────────────────────────────────────╮',
    '│▸TITLE *      The work to do, in one line                 │',
    '│ --command   Shell command that does the task; needs no a…│',
    '│ $ aiswarm task add                                       │',
    '│ enter goes on   esc leaves   ctrl-y copies the line      │',
    '│ ← → change a choice                                      │',
    '╰──────────────────────────────────────────────────────────╯',
  ])
  expect(form(1).slice(1, 6)).toEqual([
    '│ TITLE *     The work to do, in one line                  │',
    '│▸--command                                                │',
    '│            Shell command that does the task; needs no    │',
    '│            agent CLI                                     │',
    '│ $ aiswarm task add                                       │',
  ])
})

test('a form without room drops the key hints first, and then cuts the hint next to its field', () => {
  expect(form(1, 3).slice(1, -1)).toEqual([
    '│ TITLE *     The work to do, in one line                  │',
    '│▸--command    Shell command that does the task; needs no …│',
    '│ $ aiswarm task add                                       │',
  ])
  expect(form(1, 4).slice(1, -1)).toEqual([
    '│▸--command                                                │',
    '│            Shell command that does the task; needs no    │',
    '│            agent CLI                                     │',
    '│ $ aiswarm task add                                       │',
  ])
})
