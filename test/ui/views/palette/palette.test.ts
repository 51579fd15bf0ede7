import { afterEach, beforeEach, expect, test } from 'vitest'
import { commandsForConsole } from '../../../../src/cli/run/for-console.ts'
import { person } from '../../../../src/domain/agent/actor.ts'
import { askHuman } from '../../../../src/operations/requests/questions.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { listTasks } from '../../../../src/operations/tasks/list.ts'
import { registerAgent } from '../../../../src/operations/agents/spawn.ts'
import { footerOf } from '../../../../src/ui/keys/help.ts'
import { paletteOf, pickedIn } from '../../../../src/ui/views/palette/palette.ts'
import { copySequence } from '../../../../src/ui/terminal/clipboard.ts'
import { BODY_TOP, layoutOf } from '../../../../src/ui/core/layout.ts'
import { resized } from '../../../../src/ui/panes/movement.ts'
import { pressMouse } from '../../../../src/ui/mouse.ts'
import { formHints } from '../../../../src/text/forms.ts'
import { paletteLines } from '../../../../components/lines/palette.ts'
import { eventually } from '../../../support/eventually.ts'
import { openController, type TestController } from '../../controller.ts'
import { type Fixture, openFixture } from '../../fixture.ts'

let fixture: Fixture
let controller: TestController

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  for (const title of ['Bake', 'Cool', 'Slice']) await fixture.addTask(title)
  controller = await openController(fixture)
  const commands = commandsForConsole(fixture.connection, { version: '0' } as never, {})
  controller.change((state) => ({ ...state, commands }))
})

afterEach(() => fixture.close())

const type = (words: string): void => controller.press(...words)
const tasks = () => perform(fixture.core, listTasks, {}, person)
const form = () => {
  const { overlay } = controller.state().view
  return overlay?.kind === 'form' ? overlay.form : undefined
}
const marked = (): string => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'palette') return ''
  const { rows, at } = pickedIn(controller.state(), overlay)
  return rows[at]?.help ?? ''
}
const choose = (words: string, path: string): void => {
  controller.press(':')
  type(words)
  expect(marked()).toMatch(new RegExp(`^${path} · `))
  controller.press('enter')
  expect(form()?.command?.command.path).toBe(path)
}
const fill = (key: string, value: string): void => {
  while (form()!.fields[form()!.at]!.key !== key) controller.press('tab')
  controller.press('ctrl-u')
  type(value)
}
const told = (words: string) => eventually(() => expect(controller.notice()).toContain(words))

test('the palette has every key of the panes and every command, and finds them by their letters', () => {
  const all = paletteOf(controller.state(), '')
  expect(all.length).toBeGreaterThan(100)
  const first = (typed: string) => paletteOf(controller.state(), typed)[0]?.help
  expect(first('worktrees')).toMatch(/^worktrees · Focus the worktrees/)
  expect(first('tadd')).toMatch(/^task add · /)
  expect(first('retry')).toMatch(/^retry · Retry a failed task/)
  expect(first('task retry')).toMatch(/^task retry · /)
  expect(first('adr prop')).toMatch(/^memory adr propose · /)
  expect(paletteOf(controller.state(), 'qqqq')).toEqual([])
})

test('a command is filled in from the selection, run by enter, and shows its receipt', async () => {
  controller.press('j')
  choose('task show', 'task show')
  expect(form()!.fields.map(({ key, value }) => [key, value])).toEqual([['id', '2']])
  controller.press('enter')
  await eventually(() => expect(controller.mode()).toBe('answer'))
  const { overlay } = controller.state().view
  expect(overlay?.kind === 'answer' ? overlay.lines.join('\n') : '').toContain('Cool')
  controller.press('escape')
  expect(controller.mode()).toBe('list')
})

test('the words of a command become fields: texts, choices and required ones; the line below is the equivalent command line', async () => {
  const copied: string[] = []
  Object.assign(controller, { copy: (line: string) => copied.push(line) })
  choose('task add', 'task add')
  expect(
    form()!
      .fields.slice(0, 2)
      .map(({ label, options }) => [label, options]),
  ).toEqual([
    ['TITLE *', undefined],
    ['--persona *', ['implementer', 'planner', 'reviewer', 'tester']],
  ])
  fill('title', "It's -done")
  fill('personaId', 't')
  fill('priority', '7')
  controller.press('ctrl-y')
  expect(copied).toEqual([`aiswarm task add --persona tester --priority 7 'It'\\''s -done'`])
  expect(controller.notice()).toContain("Sent to the terminal's clipboard: aiswarm task add")
  controller.press('enter')
  await eventually(() => expect(controller.mode()).toBe('list'))
  expect((await tasks()).at(-1)).toMatchObject({ title: "It's -done", personaId: 'tester', priority: 7 })
})

test('a refused form does not change, and the cursor is at the first wrong field', async () => {
  choose('task add', 'task add')
  fill('priority', 'high')
  controller.press('enter')
  expect([form()?.command?.wrong, form()?.at]).toEqual([2, 0])
  fill('title', 'x')
  controller.press('enter')
  expect(form()!.fields[form()!.at]!.key).toBe('priority')
  expect((await tasks()).length).toBe(3)
  controller.press('escape')

  choose('task retry', 'task retry')
  fill('id', '1')
  controller.press('enter')
  await told('only a failed task can be retried')
  await eventually(() => expect(form()?.command?.running).toBe(false))
})

test('a refusal replaces an older receipt, with the names of all wrong fields', () => {
  choose('task add', 'task add')
  fill('priority', 'high')
  controller.press('ctrl-y')
  expect(controller.notice()).toContain("Sent to the terminal's clipboard")
  controller.press('enter')
  expect([controller.notice(), controller.state().view.notice.tone]).toEqual([
    'TITLE: This field is required. Also invalid: --priority.',
    'refused',
  ])
  fill('title', 'x')
  controller.press('enter')
  expect(controller.notice()).toMatch(/^--priority: (?!.*Wrong as well)/)
})

test('the hint of a form about enter matches the footer', () => {
  const { keys, label } = (choose('task add', 'task add'), footerOf(controller.state()).keys[0]!)
  expect([keys, label]).toEqual(['enter', 'submit'])
  for (const hint of [formHints.command, formHints.several, formHints.one]) expect(hint).toMatch(/^\{submit\} submit /)
})

test('a click hits the drawn row, even if a cut text is shown in full or a hint is wrapped', () => {
  controller.change(resized(56, 30))
  const { body } = layoutOf(56, 30, 'board')
  const palette = () =>
    controller.state().view.overlay as { readonly kind: 'palette'; readonly text: string; readonly at: number }
  const click = (row: number): void => pressMouse(controller, { kind: 'click', column: 5, row: BODY_TOP + body + row })
  const drawn = () => {
    const { rows, at } = pickedIn(controller.state(), palette())
    return { at, ...paletteLines(rows, at, 56, 10) }
  }
  controller.press(':', ...Array.from({ length: 10 }, () => 'down' as const))
  for (let n = 0; n < 40 && drawn().whole.length === 0; n++) controller.press('down')
  // Eight rows above the two lines of the selected one.
  const { at, from, seen, whole } = drawn()
  expect([seen, whole.length]).toEqual([8, 2])
  for (const covered of [-2, -3]) click(covered)
  expect(palette().at).toBe(at)
  click(-4)
  expect(palette().at).toBe(from + 7)

  controller.press('escape')
  choose('task add', 'task add')
  const key = (): string => form()!.fields[form()!.at]!.key
  while (key() !== 'command') controller.press('tab')
  // Below its field are two lines of its hint, and below the fields the command line and two lines of keys.
  const below = form()!.fields.length - 1 - form()!.at
  click(-4 - below - 1)
  expect(key()).toBe('command')
  click(-4 - below - 3)
  expect(key()).toBe('command')
  click(-4 - below - 4)
  expect(key()).toBe('parentTaskId')
})

test('a command that deletes asks for a confirmation first', async () => {
  choose('task cancel', 'task cancel')
  fill('reason', 'no more')
  controller.press('enter')
  expect(controller.mode()).toBe('confirm')
  const { overlay } = controller.state().view
  expect(overlay?.kind === 'confirm' ? overlay.lines : []).toEqual([
    'Cancels task 1 “Bake”.',
    'Its changes stay in the worktree. Tasks that depend on it stay blocked.',
    "Runs: aiswarm task cancel --reason 'no more' 1",
  ])
  controller.press('n')
  expect((await tasks())[0]!.status).toBe('pending')
  choose('task cancel', 'task cancel')
  controller.press('enter', 'enter')
  expect(controller.mode()).toBe('confirm')
  controller.press('y')
  await eventually(async () => expect((await tasks())[0]!.status).toBe('cancelled'))
})

test("a command opens the console's own view if it has one", () => {
  controller.press('4')
  choose('worktree discard', 'worktree discard')
  expect(form()!.fields[0]).toMatchObject({ key: 'name', value: 'user-auth' })
  fill('reason', 'no use')
  controller.press('enter')
  expect([form()?.kind, form()?.worktree, form()?.fields[0]?.value]).toEqual(['discard', 'user-auth', 'no use'])
})

test('a worktree without a requested integration is not approved, and nothing is requested by the attempt', async () => {
  controller.press('4')
  choose('worktree approve', 'worktree approve')
  controller.press('enter')
  expect([controller.mode(), controller.notice()]).toEqual([
    'form',
    "The integration of user-auth was not requested. 'aiswarm worktree request user-auth' requests it.",
  ])
  await controller.reread()
  expect(controller.state().board.worktrees[0]!.integration).toBe(null)
})

test('a request that is answered from the palette is shown first, with the typed words, and a missing one is reported', async () => {
  choose('request answer', 'request answer')
  fill('id', '7')
  controller.press('enter')
  expect([controller.mode(), controller.notice()]).toEqual(['form', 'Request 7 does not exist or is already answered.'])
  controller.press('escape')
  await perform(fixture.core, registerAgent, { id: 'dev', personaId: 'implementer' }, person)
  const { id } = await perform(
    fixture.core,
    askHuman,
    { question: 'Which colour?', options: ['red'] },
    { kind: 'agent', id: 'dev', role: 'worker', worktree: null },
  )
  await controller.reread()
  choose('request answer', 'request answer')
  fill('id', String(id))
  fill('words', 'light blue')
  controller.press('enter')
  expect([form()?.kind, form()?.request, form()?.fields.find(({ key }) => key === 'words')?.value]).toEqual([
    'answer',
    id,
    'light blue',
  ])
  controller.press('escape')
  expect(controller.mode()).toBe('request')
})

test('recent commands are above the first command, newest first, and are filled in again', async () => {
  choose('task show', 'task show')
  controller.press('enter')
  await eventually(() => expect(controller.mode()).toBe('answer'))
  controller.press('escape')
  choose('task add', 'task add')
  fill('title', 'two words')
  controller.press('enter')
  await told('two words')
  await eventually(() => expect(controller.mode()).toBe('list'))
  controller.press(':')
  expect(footerOf(controller.state()).keys.map(({ keys, label }) => `${keys} ${label}`)).toContain(
    '↑ previous, earlier lines',
  )
  controller.press('up')
  expect(marked()).toBe("aiswarm task add --persona implementer 'two words'")
  controller.press('up', 'up')
  expect(marked()).toBe('aiswarm task show 1')
  controller.press('down', 'enter')
  expect(
    form()!
      .fields.slice(0, 2)
      .map(({ value }) => value),
  ).toEqual(['two words', 'implementer'])
})

test('a command with its own view is remembered as well', async () => {
  const past = () => controller.state().kept.commands.map(({ path, values }) => [path, values])
  controller.press('4')
  choose('worktree approve', 'worktree approve')
  controller.press('enter', 'escape')
  choose('worktree discard', 'worktree discard')
  fill('reason', 'no use')
  controller.press('enter', 'escape')
  choose('worktree trust', 'worktree trust')
  controller.press('enter')
  choose('request answer', 'request answer')
  fill('id', '7')
  controller.press('enter', 'escape')
  expect(past()).toEqual([
    ['request answer', { id: '7' }],
    ['worktree trust', {}],
    ['worktree discard', { name: 'user-auth', reason: 'no use' }],
    ['worktree approve', { name: 'user-auth' }],
  ])
})

test('a receipt has one mark, even if the command prints one', async () => {
  const services = {
    version: '0',
    repositoryRoot: () => Promise.resolve(fixture.core.root),
    fileLock: () => Promise.resolve((_: string, act: () => unknown) => act()),
  }
  controller.change((state) => ({ ...state, commands: commandsForConsole(fixture.connection, services as never, {}) }))
  choose('memory observation', 'memory observation')
  fill('agent', 'dev')
  fill('words', 'Odd')
  controller.press('enter')
  await told('Observation persisted')
  expect([controller.notice(), controller.state().view.notice.tone]).toEqual(['Observation persisted for dev', 'done'])
})

test('an invalid filter is refused at its field', () => {
  choose('task list', 'task list')
  fill('where', 'state:faild')
  controller.press('enter')
  expect([form()?.command?.wrong, form()!.fields[form()!.at]!.key]).toEqual([1, 'where'])
})

test('a field names the expected form of its text', () => {
  choose('task add', 'task add')
  const hint = (key: string): string => form()!.fields.find((field) => field.key === key)!.hint
  expect([hint('dependencies'), hint('metadata'), hint('priority'), hint('title')]).toEqual([
    expect.stringMatching(/ \(1,2\)$/),
    expect.stringMatching(/ \(JSON\)$/),
    expect.stringMatching(/ \(a number\)$/),
    expect.not.stringContaining('('),
  ])
})

test('a burst of enter keys runs a command once', async () => {
  choose('task add', 'task add')
  fill('title', 'once')
  controller.press('enter', 'enter', 'enter')
  await told('once')
  expect((await tasks()).filter(({ title }) => title === 'once')).toHaveLength(1)
})

test('a text is copied to the clipboard by OSC 52, and through tmux in its passthrough', () => {
  expect(copySequence('aiswarm é', {})).toBe(`\u001b]52;c;${Buffer.from('aiswarm é').toString('base64')}\u0007`)
  // tmux accepts the one or forwards the other, depending on its settings.
  expect(copySequence('x', { TMUX: '/tmp/tmux' })).toBe(
    '\u001b]52;c;eA==\u0007\u001bPtmux;\u001b\u001b]52;c;eA==\u0007\u001b\\',
  )
})

test('the palette over a view offers the keys of that view first, and leaves out keys that answer for good', () => {
  controller.press('P', ':')
  type('enlarge the next')
  expect(marked()).toMatch(/^part · Enlarge/)
  controller.press('enter')
  const { overlay } = controller.state().view
  expect(overlay).toMatchObject({ kind: 'plots', part: 'rates' })
  controller.press('escape', ':')
  expect(paletteOf(controller.state(), 'enlarge the next plot')).toEqual([])
  controller.change((state) => ({
    ...state,
    view: {
      ...state.view,
      overlay: {
        kind: 'palette',
        text: '',
        at: 0,
        behind: { kind: 'guard', hash: '', since: '', changes: [], top: 0 },
      },
    },
  }))
  expect(paletteOf(controller.state(), 'accept exactly')).toEqual([])
})

test('a kind of agent is chosen from the existing ones', () => {
  choose('task add', 'task add')
  const kinds = form()!.fields.find(({ key }) => key === 'kind')!.options!
  expect(kinds.slice(0, 1)).toEqual([''])
  expect(kinds.slice(1)).toEqual(fixture.core.kinds)
  expect(kinds.length).toBeGreaterThan(1)
})

test('a missing end quote is refused at its field instead of being lost', async () => {
  choose('task add', 'task add')
  fill('title', 'x')
  fill('acceptanceCriteria', "it doesn't break")
  controller.press('enter')
  expect([form()?.command?.wrong, form()!.fields[form()!.at]!.key]).toEqual([1, 'acceptanceCriteria'])
  fill('acceptanceCriteria', `"it doesn't break"`)
  controller.press('enter')
  await told('x')
  expect((await tasks()).at(-1)!.acceptanceCriteria.map(({ text }) => text)).toEqual(["it doesn't break"])
})
