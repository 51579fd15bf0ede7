import { afterEach, expect, test } from 'vitest'
import { ours, type SafeText } from '../../../src/domain/words/safe-text.ts'
import { foldedTo, inRoom } from '../../../src/ui/screen/SpokenPanes.tsx'
import { type Fixture, openFixture } from '../fixture.ts'
import { openScreen } from '../screen.ts'
import {
  agentSentence,
  logSentence,
  spokenTime,
  taskSentence,
  worktreeSentence,
} from '../../../src/ui/rows/sentences.ts'

const task = {
  id: 3,
  priority: 100,
  state: 'in_progress',
  says: ours('working'),
  time: ours('4m10'),
  agent: ours('backend-1'),
  title: ours('JWT auth API'),
  asks: false,
  selected: false,
} as const

test('a task is read as a sentence', () => {
  expect(taskSentence(task)).toBe('Task 3, JWT auth API, working for 4 minutes, agent backend-1.')
  expect(
    taskSentence({
      ...task,
      state: 'blocked',
      says: ours('blocked by 1, 2'),
      time: ours(''),
      agent: ours('–'),
      selected: true,
    }),
  ).toBe('Selected: task 3, JWT auth API, blocked by 1, 2.')
  expect(
    taskSentence({
      ...task,
      state: 'failed',
      says: ours('failed'),
      time: ours('<1m'),
      reason: ours('npm test: exit code 2, no process'),
    }),
  ).toBe('Task 3, JWT auth API, failed for less than a minute, agent backend-1, npm test: exit code 2.')
  expect(taskSentence({ ...task, state: 'completed', says: ours('done'), time: ours('2h05') })).toBe(
    'Task 3, JWT auth API, done after 2 hours, agent backend-1.',
  )
  expect(
    taskSentence({
      ...task,
      state: 'waiting',
      says: ours('retries in'),
      time: ours('30s'),
      agent: ours('–'),
      asks: true,
    }),
  ).toBe('Task 3, JWT auth API, retries in less than a minute, needs you.')
})

test('a reason contains its times in words, and none twice', () => {
  const stalled = {
    ...task,
    state: 'stalled',
    says: ours('stalled'),
    reason: ours('claimed by backend-1 and not started for 4m11, process alive, CPU 0%'),
  } as const
  expect(taskSentence(stalled)).toBe(
    'Task 3, JWT auth API, stalled for 4 minutes, agent backend-1, claimed by backend-1 and not started for 4 minutes.',
  )
  const blocked = {
    ...task,
    state: 'blocked',
    says: ours('blocked by 4'),
    time: ours('18m'),
    agent: ours('–'),
  } as const
  expect(taskSentence({ ...blocked, reason: ours('for 18m') })).toBe(
    'Task 3, JWT auth API, blocked by 4 for 18 minutes.',
  )
  expect(taskSentence({ ...blocked, reason: ours('it has failed; for 18m') })).toBe(
    'Task 3, JWT auth API, blocked by 4 for 18 minutes, it has failed.',
  )
  expect(taskSentence({ ...blocked, time: ours(''), reason: ours('for 1d2h') })).toBe(
    'Task 3, JWT auth API, blocked by 4, for 1 day.',
  )
})

test('sentences use the lines of the screen: the selected one is read, the last of the log, and no line is left empty next to a cut sentence', () => {
  const words = (n: number, from: string): SafeText => ours(`${from}${' word'.repeat(n)}.`)
  const board = foldedTo(20, [words(5, 'Task 1'), words(5, 'Task 2'), words(5, 'Selected: task 3'), words(5, 'Task 4')])
  const log = foldedTo(20, [words(1, 'one'), words(5, 'two'), words(1, 'three')])
  const read = (height: number, other: number) =>
    inRoom([
      { sentences: board, height, last: false },
      { sentences: log, height: other, last: true },
    ]).map(({ sentences }) => sentences)
  expect(read(4, 2)).toEqual([
    ['Task 2 word word', 'word word word.', 'Selected: task 3', 'word word word word', 'word.'],
    ['three word.'],
  ])
  // The log needs four lines; the others belong to the board.
  expect(read(5, 20)).toEqual([board.flat(), log.flat()])
  expect(read(1, 1)[0]).toEqual(['Selected: task 3', 'word word word word'])
  const [, cut] = inRoom([
    { sentences: board, height: 5, last: false },
    { sentences: foldedTo(20, [words(3, 'Selected: worktree')]), height: 1, last: false },
  ])
  expect(cut!.sentences).toEqual(['Selected: worktree', 'word word word.'])
})

test('a time is given in words that change at most once a minute', () => {
  expect(['8s', '<1m', '1m00', '4m', '4m10', '59m59', '1h00', '2h05', '1d0h', '3d4h'].map(spokenTime)).toEqual([
    'less than a minute',
    'less than a minute',
    '1 minute',
    '4 minutes',
    '4 minutes',
    '59 minutes',
    '1 hour',
    '2 hours',
    '1 day',
    '3 days',
  ])
})

test('an agent is read without the numbers that change all the time', () => {
  const agent = {
    id: ours('backend-1'),
    state: 'active',
    kind: ours('claude'),
    pid: ours('1'),
    cpu: ours('12%'),
    memory: ours('3M'),
    beat: ours('2s'),
    context: ours('93% ⚠'),
    task: ours('3'),
    selected: true,
  } as const
  expect(agentSentence(agent)).toBe(
    'Selected: agent backend-1, active, kind claude, task 3, its context is nearly full.',
  )
  expect(agentSentence({ ...agent, selected: false, context: ours('–'), task: ours('asks shell: npm test') })).toBe(
    'Agent backend-1, active, kind claude, asks shell: npm test.',
  )
})

test('a worktree is read with what it waits for', () => {
  const row = {
    name: ours('user-auth'),
    ahead: 3,
    behind: 0,
    added: 312,
    removed: 20,
    dirty: 1,
    verified: ours('verified ✓'),
    look: null,
    says: ours('ready'),
    warns: ours(''),
    selected: false,
  } as const
  expect(worktreeSentence(row)).toBe(
    'Worktree user-auth, 3 ahead and 0 behind, 312 lines added, 20 removed, 1 file uncommitted, verified, ready.',
  )
  expect(
    worktreeSentence({
      ...row,
      ahead: null,
      behind: null,
      added: null,
      removed: null,
      dirty: null,
      verified: ours(''),
      says: ours(''),
      warns: ours('conflicts with main'),
    }),
  ).toBe('Worktree user-auth, conflicts with main.')
})

test('a line of the log contains its level, and output has none', () => {
  expect(
    logSentence({ key: 1, time: ours('14:22:31'), look: 'warn', text: ours('1 test failed: expired token') }),
  ).toBe('warn at 14:22, 1 test failed: expired token.')
  expect(logSentence({ key: 2, time: ours(''), look: 'output', text: ours('\u001b[31mall  is well.\u001b[0m') })).toBe(
    'all is well.',
  )
  expect(logSentence({ key: 3, time: ours(''), look: 'output', text: ours('   ') })).toBe('')
})

let fixture: Fixture | undefined
afterEach(() => fixture?.close())

test('a screen of sentences starts with its header, however long they are, and a view over the panes is read without them', async () => {
  fixture = await openFixture()
  for (let n = 1; n <= 12; n++)
    await fixture.addTask(`Bake the cakes that were ordered for the wedding of the neighbours, and taste number ${n}`)
  for (const [columns, rows] of [
    [80, 24],
    [60, 15],
    [200, 50],
  ] as const) {
    const screen = openScreen(fixture, { columns, rows, environment: { INK_SCREEN_READER: '1' } })
    await screen.shows(/^(?:aiswarm, )?shop, /)
    await screen.shows(/\nBoard, 12 tasks, focused\.\nSelected: task 1, Bake/)
    await screen.shows('? help')
    await screen.press('n')
    await screen.shows(/^(?:aiswarm, )?shop, .*\nNew task\b/)
    await screen.shows('Current field: Title: empty (the work to do)')
    await screen.shows(columns > 60 ? 'enter submit, tab down next, right change, esc back' : 'enter submit')
    await screen.press('\u001b')
    await screen.shows('Board, 12 tasks')
    await screen.close()
  }
})
