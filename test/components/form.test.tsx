import { expect, test } from 'vitest'
import { Form } from '../../components/Form.tsx'
import type { FormField } from '../../components/lines/form.ts'
import { ours } from '../../src/domain/words/safe-text.ts'
import { draw } from './frame.tsx'

const field = { value: ours(''), choice: false, wrong: null }
const task: readonly FormField[] = [
  { ...field, label: ours('Title'), hint: ours('what is to be done') },
  { ...field, label: ours('Command'), hint: ours('a shell command that does it; else an agent does') },
]
const around = { from: 0, line: null, readsOn: ours('pgdn') }

const form = (at: number, width: number, height: number): string[] =>
  draw(
    <Form
      {...around}
      title={ours('New task')}
      question={[]}
      fields={task}
      at={at}
      hint={ours('enter goes on   esc leaves   tab ↓ next field')}
      width={width}
      height={height}
    />,
    width,
  )

test('a form shows the whole hint of its current field, below the field if its line has no room', () => {
  expect(form(0, 60, 9)).toEqual([
    '╭[New task]────────────────────────────────────────────────╮',
    '│▸Title      what is to be done                            │',
    '│ Command   a shell command that does it; else an agent do…│',
    '│ enter goes on   esc leaves   tab ↓ next field            │',
    '╰──────────────────────────────────────────────────────────╯',
  ])
  expect(form(1, 48, 9)).toEqual([
    '╭[New task]────────────────────────────────────╮',
    '│ Title     what is to be done                 │',
    '│▸Command                                      │',
    '│          a shell command that does it; else  │',
    '│          an agent does                       │',
    '│ enter goes on   esc leaves   tab ↓ next field│',
    '╰──────────────────────────────────────────────╯',
  ])
})

const question = [
  ours('Which of these should the service speak? Some clients know only the older one,'),
  ours('and the newer one needs a gateway that nobody has set up yet in this project.'),
]
const option = 'the older one for everybody, and the newer one behind a switch'
const answer: readonly FormField[] = [
  {
    label: ours('Answer'),
    value: ours(''),
    choice: true,
    hint: ours(`← → chooses: the newer one, ${option}`),
    wrong: null,
  },
  { ...field, label: ours('Own words'), hint: ours('what the agent is to know') },
]

const asked = (height: number, { from = 0, value = '' } = {}): string[] =>
  draw(
    <Form
      {...around}
      title={ours('Answer')}
      question={question}
      from={from}
      fields={[{ ...answer[0]!, value: ours(value) }, answer[1]!]}
      at={0}
      hint={ours('enter goes on   esc leaves')}
      width={60}
      height={height}
    />,
    60,
  )

test('a form shows the whole question above the fields if there is room for it', () => {
  expect(asked(20)).toEqual([
    '╭[Answer]──────────────────────────────────────────────────╮',
    '│ Which of these should the service speak? Some clients    │',
    '│ know only the older one,                                 │',
    '│ and the newer one needs a gateway that nobody has set    │',
    '│ up yet in this project.                                  │',
    '│▸Answer     ◂ – ▸                                         │',
    '│            ← → chooses: the newer one, the older one for │',
    '│            everybody, and the newer one behind a switch  │',
    '│ Own words   what the agent is to know                    │',
    '│ enter goes on   esc leaves                               │',
    '╰──────────────────────────────────────────────────────────╯',
  ])
})

test('a form scrolls a question without room, and shows the whole selected choice below its line', () => {
  expect(asked(6)).toEqual([
    '╭[Answer]──────────────── 1–3 of 4, pgdn for more, 1 of 2 ─╮',
    '│ Which of these should the service speak? Some clients    │',
    '│ know only the older one,                                 │',
    '│ and the newer one needs a gateway that nobody has set    │',
    '│▸Answer     ◂ – ▸                                         │',
    '│            ← → chooses: the newer one, the older one for │',
    '│            everybody, and the newer one behind a switch  │',
    '╰──────────────────────────────────────────────────────────╯',
  ])
  expect(asked(6, { from: 9, value: option }).slice(1, -1)).toEqual([
    '│ know only the older one,                                 │',
    '│ and the newer one needs a gateway that nobody has set    │',
    '│ up yet in this project.                                  │',
    '│▸Answer     ◂ …rybody, and the newer one behind a switch ▸│',
    '│            the older one for everybody, and the newer    │',
    '│            one behind a switch                           │',
  ])
})
