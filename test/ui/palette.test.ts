import { afterEach, beforeEach, expect, test } from 'vitest'
import { commandsForConsole } from '../../src/cli/for-console.ts'
import { person } from '../../src/domain/actor.ts'
import { askHuman } from '../../src/operations/ask-human.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { listTasks } from '../../src/operations/list-tasks.ts'
import { registerAgent } from '../../src/operations/register-agent.ts'
import { footerOf, paletteOf, pickedIn } from '../../src/ui/key-table.ts'
import { copySequence } from '../../src/ui/palette/copy.ts'
import { BODY_TOP, layoutOf } from '../../src/ui/layout.ts'
import { resized } from '../../src/ui/movement.ts'
import { pressMouse } from '../../src/ui/terminal/hits.ts'
import { formHints } from '../../src/text/palette.ts'
import { paletteLines } from '../../components/palette-lines.ts'
import { eventually } from '../support/eventually.ts'
import { openDesk, type TestDesk } from './desk.ts'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
let desk: TestDesk

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  for (const title of ['Bake', 'Cool', 'Slice']) await fixture.addTask(title)
  desk = await openDesk(fixture)
  const commands = commandsForConsole(fixture.connection, { version: '0' } as never, {})
  desk.change((state) => ({ ...state, commands }))
})

afterEach(() => fixture.close())

const type = (words: string): void => desk.press(...words)
const tasks = () => perform(fixture.core, listTasks, {}, person)
const form = () => {
  const { overlay } = desk.state().view
  return overlay?.kind === 'form' ? overlay.form : undefined
}
const marked = (): string => {
  const { overlay } = desk.state().view
  if (overlay?.kind !== 'palette') return ''
  const { rows, at } = pickedIn(desk.state(), overlay)
  return rows[at]?.help ?? ''
}
const choose = (words: string, path: string): void => {
  desk.press(':')
  type(words)
  expect(marked()).toMatch(new RegExp(`^${path} · `))
  desk.press('enter')
  expect(form()?.command?.path).toBe(path)
}
const fill = (key: string, value: string): void => {
  while (form()!.fields[form()!.at]!.key !== key) desk.press('tab')
  desk.press('ctrl-u')
  type(value)
}
const told = (words: string) => eventually(() => expect(desk.notice()).toContain(words))

test('the palette has every key of the panes and every command, and finds them by their letters', () => {
  const all = paletteOf(desk.state(), '')
  expect(all.length).toBeGreaterThan(100)
  const first = (typed: string) => paletteOf(desk.state(), typed)[0]?.help
  expect(first('worktrees')).toMatch(/^worktrees · Go to the worktrees/)
  expect(first('tadd')).toMatch(/^task add · /)
  expect(first('retry')).toMatch(/^retry · Put a failed task back/)
  expect(first('task retry')).toMatch(/^task retry · /)
  expect(first('adr prop')).toMatch(/^memory adr propose · /)
  expect(paletteOf(desk.state(), 'qqqq')).toEqual([])
})

test('a command is filled in by what is selected, done by enter, and answers with its receipt', async () => {
  desk.press('j')
  choose('task show', 'task show')
  expect(form()!.fields.map(({ key, value }) => [key, value])).toEqual([['id', '2']])
  desk.press('enter')
  await eventually(() => expect(desk.mode()).toBe('answer'))
  const { overlay } = desk.state().view
  expect(overlay?.kind === 'answer' ? overlay.lines.join('\n') : '').toContain('Cool')
  desk.press('escape')
  expect(desk.mode()).toBe('list')
})

test('words become fields: texts, choices and those that are needed; the line below is the one that does the same', async () => {
  const copied: string[] = []
  Object.assign(desk, { copy: (line: string) => copied.push(line) })
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
  desk.press('ctrl-y')
  expect(copied).toEqual([`aiswarm task add --persona tester --priority 7 'It'\\''s -done'`])
  expect(desk.notice()).toContain('The terminal was given the line for its clipboard: aiswarm task add')
  desk.press('enter')
  await eventually(() => expect(desk.mode()).toBe('list'))
  expect((await tasks()).at(-1)).toMatchObject({ title: "It's -done", personaId: 'tester', priority: 7 })
})

test('what is refused leaves the form as it is, with the cursor at the first field that is wrong', async () => {
  choose('task add', 'task add')
  fill('priority', 'high')
  desk.press('enter')
  expect([form()?.command?.wrong, form()?.at]).toEqual([2, 0])
  fill('title', 'x')
  desk.press('enter')
  expect(form()!.fields[form()!.at]!.key).toBe('priority')
  expect((await tasks()).length).toBe(3)
  desk.press('escape')

  choose('task retry', 'task retry')
  fill('id', '1')
  desk.press('enter')
  await told('only a failed task can be retried')
  await eventually(() => expect(form()?.command?.running).toBe(false))
})

test('what is refused is said in place of an older receipt, with the names of the fields that are wrong as well', () => {
  choose('task add', 'task add')
  fill('priority', 'high')
  desk.press('ctrl-y')
  expect(desk.notice()).toContain('The terminal was given the line')
  desk.press('enter')
  expect([desk.notice(), desk.state().view.notice.tone]).toEqual(['TITLE: This is needed. Wrong as well: --priority.', 'refused'])
  fill('title', 'x')
  desk.press('enter')
  expect(desk.notice()).toMatch(/^--priority: (?!.*Wrong as well)/)
})

test('what the form says that enter does is what the footer says', () => {
  const { keys, label } = (choose('task add', 'task add'), footerOf(desk.state()).keys[0]!)
  expect([keys, label]).toEqual(['enter', 'go on'])
  for (const hint of [formHints.command, formHints.several, formHints.one]) expect(hint).toMatch(/^\{submit\} goes on /)
})

test('a click hits the row that is drawn, also where a text that is cut is read whole or a hint is folded', () => {
  desk.change(resized(80, 30))
  const { body } = layoutOf(80, 30, 'board')
  const palette = () => desk.state().view.overlay as { readonly kind: 'palette'; readonly text: string; readonly at: number }
  const click = (row: number): void => pressMouse(desk, { kind: 'click', column: 5, row: BODY_TOP + body + row })
  desk.press(':', ...Array.from({ length: 13 }, () => 'down' as const))
  // Eight rows above the two lines of the chosen one.
  const { rows, at } = pickedIn(desk.state(), palette())
  const { from, seen, whole } = paletteLines(rows, at, 80, 10)
  expect([seen, whole.length]).toEqual([8, 2])
  for (const covered of [-2, -3]) click(covered)
  expect(palette().at).toBe(13)
  click(-4)
  expect(palette().at).toBe(from + 7)

  desk.press('escape')
  choose('task add', 'task add')
  const key = (): string => form()!.fields[form()!.at]!.key
  while (key() !== 'command') desk.press('tab')
  // Below its field stand two lines of its hint, and below the fields the command line and two lines of keys.
  const below = form()!.fields.length - 1 - form()!.at
  click(-4 - below - 1)
  expect(key()).toBe('command')
  click(-4 - below - 3)
  expect(key()).toBe('command')
  click(-4 - below - 4)
  expect(key()).toBe('parentTaskId')
})

test('what takes something away is asked about first', async () => {
  choose('task cancel', 'task cancel')
  fill('reason', 'no more')
  desk.press('enter')
  expect(desk.mode()).toBe('confirm')
  const { overlay } = desk.state().view
  expect(overlay?.kind === 'confirm' ? overlay.lines : []).toEqual([
    'Cancels task 1 “Bake”.',
    'What it left in its worktree stays there. Tasks that depend on it stay blocked.',
    "Runs: aiswarm task cancel --reason 'no more' 1",
  ])
  desk.press('n')
  expect((await tasks())[0]!.status).toBe('pending')
  choose('task cancel', 'task cancel')
  desk.press('enter', 'enter')
  expect(desk.mode()).toBe('confirm')
  desk.press('y')
  await eventually(async () => expect((await tasks())[0]!.status).toBe('cancelled'))
})

test('where the console has its own way to ask, a command leads there', () => {
  desk.press('4')
  choose('worktree discard', 'worktree discard')
  expect(form()!.fields[0]).toMatchObject({ key: 'name', value: 'user-auth' })
  fill('reason', 'no use')
  desk.press('enter')
  expect([form()?.kind, form()?.worktree, form()?.fields[0]?.value]).toEqual(['discard', 'user-auth', 'no use'])
})

test('a worktree of which no integration was requested is not approved, and none is requested by that', async () => {
  desk.press('4')
  choose('worktree approve', 'worktree approve')
  desk.press('enter')
  expect([desk.mode(), desk.notice()]).toEqual(['form', "No integration of user-auth was requested; 'aiswarm worktree request user-auth' does."])
  await desk.reread()
  expect(desk.state().board.worktrees[0]!.integration).toBe(null)
})

test('a request that is answered from the palette is read first, with the words that were typed already; one that is not there is said to be gone', async () => {
  choose('request answer', 'request answer')
  fill('id', '7')
  desk.press('enter')
  expect([desk.mode(), desk.notice()]).toEqual(['form', 'No request 7 waits for an answer.'])
  desk.press('escape')
  await perform(fixture.core, registerAgent, { id: 'dev', personaId: 'implementer' }, person)
  const { id } = await perform(fixture.core, askHuman, { question: 'Which colour?', options: ['red'] }, { kind: 'agent', id: 'dev', role: 'worker', worktree: null })
  await desk.reread()
  choose('request answer', 'request answer')
  fill('id', String(id))
  fill('words', 'light blue')
  desk.press('enter')
  expect([form()?.kind, form()?.request, form()?.fields.find(({ key }) => key === 'words')?.value]).toEqual(['answer', id, 'light blue'])
  desk.press('escape')
  expect(desk.mode()).toBe('request')
})

test('what was run stands above the first command, newest first, and is filled in again', async () => {
  choose('task show', 'task show')
  desk.press('enter')
  await eventually(() => expect(desk.mode()).toBe('answer'))
  desk.press('escape')
  choose('task add', 'task add')
  fill('title', 'two words')
  desk.press('enter')
  await told('two words')
  await eventually(() => expect(desk.mode()).toBe('list'))
  desk.press(':')
  expect(footerOf(desk.state()).keys.map(({ keys, label }) => `${keys} ${label}`)).toContain('↑ previous, earlier lines')
  desk.press('up')
  expect(marked()).toBe("aiswarm task add --persona implementer 'two words'")
  desk.press('up', 'up')
  expect(marked()).toBe('aiswarm task show 1')
  desk.press('down', 'enter')
  expect(
    form()!
      .fields.slice(0, 2)
      .map(({ value }) => value),
  ).toEqual(['two words', 'implementer'])
})

test('what goes a way of its own is remembered as well', async () => {
  const past = () => desk.state().kept.commands.map(({ path, values }) => [path, values])
  desk.press('4')
  choose('worktree approve', 'worktree approve')
  desk.press('enter', 'escape')
  choose('worktree discard', 'worktree discard')
  fill('reason', 'no use')
  desk.press('enter', 'escape')
  choose('worktree trust', 'worktree trust')
  desk.press('enter')
  choose('request answer', 'request answer')
  fill('id', '7')
  desk.press('enter', 'escape')
  expect(past()).toEqual([
    ['request answer', { id: '7' }],
    ['worktree trust', {}],
    ['worktree discard', { name: 'user-auth', reason: 'no use' }],
    ['worktree approve', { name: 'user-auth' }],
  ])
})

test('a receipt has one mark, also where the command prints one', async () => {
  const services = { version: '0', repositoryRoot: () => Promise.resolve(fixture.core.root), fileLock: () => Promise.resolve((_: string, act: () => unknown) => act()) }
  desk.change((state) => ({ ...state, commands: commandsForConsole(fixture.connection, services as never, {}) }))
  choose('memory observation', 'memory observation')
  fill('agent', 'dev')
  fill('words', 'Odd')
  desk.press('enter')
  await told('Observation persisted')
  expect([desk.notice(), desk.state().view.notice.tone]).toEqual(['Observation persisted for dev', 'done'])
})

test('a filter that means nothing is refused at its field', () => {
  choose('task list', 'task list')
  fill('where', 'state:faild')
  desk.press('enter')
  expect([form()?.command?.wrong, form()!.fields[form()!.at]!.key]).toEqual([1, 'where'])
})

test('a field says in what form its text is expected', () => {
  choose('task add', 'task add')
  const hint = (key: string): string => form()!.fields.find((field) => field.key === key)!.hint
  expect([hint('dependencies'), hint('metadata'), hint('priority'), hint('title')]).toEqual([
    expect.stringMatching(/ \(1,2\)$/),
    expect.stringMatching(/ \(JSON\)$/),
    expect.stringMatching(/ \(a number\)$/),
    expect.not.stringContaining('('),
  ])
})

test('a burst of enters does a command once', async () => {
  choose('task add', 'task add')
  fill('title', 'once')
  desk.press('enter', 'enter', 'enter')
  await told('once')
  expect((await tasks()).filter(({ title }) => title === 'once')).toHaveLength(1)
})

test('a text goes to the clipboard by OSC 52, through tmux in its passthrough', () => {
  expect(copySequence('aiswarm é', {})).toBe(`\u001b]52;c;${Buffer.from('aiswarm é').toString('base64')}\u0007`)
  // tmux takes the one or hands on the other, by its settings.
  expect(copySequence('x', { TMUX: '/tmp/tmux' })).toBe('\u001b]52;c;eA==\u0007\u001bPtmux;\u001b\u001b]52;c;eA==\u0007\u001b\\')
})

test('opened over something, it offers first what can be done there; what answers for good is left to its own key', () => {
  desk.press('P', ':')
  type('one part')
  expect(marked()).toMatch(/^part · One part/)
  desk.press('enter')
  const { overlay } = desk.state().view
  expect(overlay).toMatchObject({ kind: 'plots', part: 'rates' })
  desk.press('escape', ':')
  expect(paletteOf(desk.state(), 'one part of the plots')).toEqual([])
  desk.change((state) => ({
    ...state,
    view: { ...state.view, overlay: { kind: 'palette', text: '', at: 0, behind: { kind: 'guard', hash: '', since: '', changes: [], top: 0 } } },
  }))
  expect(paletteOf(desk.state(), 'accept exactly')).toEqual([])
})

test('a kind of agent is chosen among those that there are', () => {
  choose('task add', 'task add')
  const kinds = form()!.fields.find(({ key }) => key === 'kind')!.options!
  expect(kinds.slice(0, 1)).toEqual([''])
  expect(kinds.slice(1)).toEqual(fixture.core.kinds)
  expect(kinds.length).toBeGreaterThan(1)
})

test('a quote without an end is refused at its field, where it would be lost without a word', async () => {
  choose('task add', 'task add')
  fill('title', 'x')
  fill('acceptanceCriteria', "it doesn't break")
  desk.press('enter')
  expect([form()?.command?.wrong, form()!.fields[form()!.at]!.key]).toEqual([1, 'acceptanceCriteria'])
  fill('acceptanceCriteria', `"it doesn't break"`)
  desk.press('enter')
  await told('x')
  expect((await tasks()).at(-1)!.acceptanceCriteria.map(({ text }) => text)).toEqual(["it doesn't break"])
})
