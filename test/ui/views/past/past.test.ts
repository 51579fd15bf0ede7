import { afterEach, beforeEach, expect, test } from 'vitest'
import { person } from '../../../../src/domain/agent/actor.ts'
import { claimTask, completeTask } from '../../../../src/operations/tasks/claims.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { pauseScheduling } from '../../../../src/operations/sessions/sessions.ts'
import { registerAgent } from '../../../../src/operations/agents/spawn.ts'
import { table } from '../../../../src/ui/views/index.ts'
import { pastAgentRow, pastBoardRow, pastWorktreeRow } from '../../../../src/ui/views/past/rows.ts'
import { nothingYet } from '../../../../src/domain/session/past.ts'
import { instant } from '../../../../src/domain/words/time.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen, type Screen } from '../../screen.ts'

let fixture: Fixture
let screen: Screen

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addTask('Model')
  await fixture.addTask('Screen', { dependencies: [1] })
  await perform(fixture.core, registerAgent, { id: 'ada', personaId: 'implementer' }, person)
  await perform(fixture.core, claimTask, { taskId: 1, agentId: 'ada' }, person)
  await perform(fixture.core, completeTask, { taskId: 1, agentId: 'ada' }, person)
})

afterEach(async () => {
  await screen.close()
  fixture.close()
})

test('T moves through the past, event by event, drawn like the present', async () => {
  screen = openScreen(fixture, { columns: 120, rows: 30 })
  await screen.shows('1 Board')
  await screen.press('T')
  await screen.shows(/1 .*✓ done .*ada +Model/)
  await screen.shows('ada completes task 1 (Model)')
  await screen.press('h')
  await screen.shows(/1 .*◐ claimed .*ada +Model/)
  await screen.shows(/2 .*◌ blocked by 1 .*Screen/)
  await screen.shows(/● ada .*external .*–/)
  await screen.press('\u001b[D', 'h')
  await screen.shows(/1 .*○ pending .*Model/)
  await screen.shows('No agents.')
  await screen.press('g')
  await screen.shows('Before the first event.')
  await screen.press('G')
  await screen.shows(/1 .*✓ done/)
  await screen.press('\u001b')
  await screen.shows('1 Board')
})

test('the header shows the past: its counts, its session and whether that was paused', async () => {
  await perform(fixture.core, pauseScheduling, { paused: true }, person)
  await fixture.addTask('Later')
  await perform(fixture.core, pauseScheduling, { paused: false }, person)
  screen = openScreen(fixture, { columns: 120, rows: 30 })
  await screen.shows(/^ aiswarm .*running .*1\/3/)
  await screen.press('T', 'h')
  await screen.shows(/^ aiswarm .*‖ paused .*1\/3/)
  await screen.press('h')
  await screen.shows(/^ aiswarm .*‖ paused .*1\/2/)
  await screen.press('h', 'h')
  await screen.shows(/^ aiswarm .*running .*0\/2/)
  await screen.press('g')
  await screen.shows(/^ aiswarm .*no session .*0\/0/)
  await screen.press('\u001b')
  await screen.shows(/^ aiswarm .*running .*1\/3/)
})

test('new events do not move the position in the past', async () => {
  screen = openScreen(fixture, { columns: 100, rows: 24 })
  await screen.shows('1 Board')
  await screen.press('T', 'h')
  await screen.shows(/◐ claimed/)
  const [, at, of] = / (\d+)\/(\d+) \+/.exec(screen.text())!
  await fixture.addTask('Later')
  await screen.shows(` ${at}/${Number(of) + 1} +`)
  expect(screen.text()).not.toContain('Later')
  await screen.press('G')
  await screen.shows('Later')
})

test('tab switches between the agents and the worktrees, which a small terminal shows one at a time', async () => {
  await fixture.addWorktree('pay')
  await fixture.addWorktree('greet')
  for (let n = 1; n < 9; n++)
    await perform(fixture.core, registerAgent, { id: `bob-${n}`, personaId: 'implementer' }, person)
  screen = openScreen(fixture, { columns: 60, rows: 15 })
  await screen.shows('1 Board')
  await screen.press('T')
  await screen.shows(/✓ done .*Model/)
  expect(screen.text()).not.toContain('bob-1')
  await screen.press('\t')
  await screen.shows(/\[Timeline .*Agents\][^]*ada[^]*bob-1/)
  expect(screen.text()).not.toContain('Model')
  expect(screen.text()).not.toContain('● bob-8')
  await screen.press('j', 'j', 'j', 'j')
  await screen.shows('● bob-8')
  await screen.press('\t', 'j')
  await screen.shows(/\[Timeline .*Worktrees\][^\n]*\n│ WORKTREE.*\n│ greet/)
  await screen.press('\t')
  await screen.shows(/✓ done .*Model/)
  // If all of them have room, the keys do it.
  screen.resize(120, 30)
  await screen.shows(/\[Timeline .*\][^]* Agents [^]* Worktrees /)
  await screen.press('\t', 'k', 'j', 'j')
  await screen.shows(/Model[^]*\[Agents\][^]* TASK +│\n│ ● bob-2 /)
})

test('a scrolled list of agents shows some at an earlier moment with fewer agents too', async () => {
  for (let n = 1; n < 5; n++)
    await perform(fixture.core, registerAgent, { id: `bob-${n}`, personaId: 'implementer' }, person)
  screen = openScreen(fixture, { columns: 60, rows: 15 })
  await screen.shows('1 Board')
  await screen.press('T', '\t', 'j', 'j', 'j', 'j')
  await screen.shows(/ TASK[^]*│\n│ ● bob-4/)
  await screen.press('h', 'h', 'h')
  await screen.shows(/ TASK[^]*│\n│ ● bob-1/)
  await screen.press('k')
  await screen.shows(/ TASK[^]*│\n│ ● ada/)
})

test('space plays to the end, and once more from the start', async () => {
  screen = openScreen(fixture, { columns: 60, rows: 15 })
  await screen.shows('1 Board')
  await screen.press('T', 'g', ' ')
  await screen.shows('▶')
  await screen.shows(/‖.* (\d+)\/\1 /)
  await screen.press(' ')
  await screen.shows('▶')
  await screen.press(' ')
  await screen.shows('‖')
})

test('keys that change something are disabled in the past', () => {
  const rows = table.rows.filter((row) => row.modes.includes('past'))
  expect(rows.map(({ id }) => id).sort()).toEqual(
    [
      'back',
      'earlier',
      'help',
      'later',
      'leap-earlier',
      'leap-later',
      'past-begin',
      'past-down',
      'past-end',
      'past-pane',
      'past-play',
      'past-up',
      'quit',
      'redraw',
      'suspend',
      'ten-earlier',
      'ten-later',
    ].sort(),
  )
})

test('a row of the past shows the age of its state, and the kind of an agent even if its events do not', () => {
  const [since, now] = ['2026-01-30T14:22:30.000Z', '2026-01-30T14:26:40.000Z']
  const agent = {
    state: 'active',
    kind: null,
    pid: 12,
    task: 3,
    exitCode: null,
    once: true,
    process: true,
    runsFor: 3,
    worktree: null,
    since,
  } as const
  expect(pastAgentRow('ada', agent, 'claude', now)).toMatchObject({ kind: 'claude', time: '4m10' })
  expect(pastAgentRow('ada', { ...agent, kind: 'external' }, 'claude', now).kind).toBe('external')
  expect(pastAgentRow('ada', agent, null, now).kind).toBe('–')
  expect(
    pastWorktreeRow(
      'pay',
      { state: 'active', target: null, integration: null, verified: false, gone: false, since },
      now,
    ).time,
  ).toBe('4m10')
  const past = {
    ...nothingYet,
    tasks: new Map([[3, { status: 'completed', since, agent: 'ada', percent: null, until: null } as const]]),
  }
  expect(pastBoardRow(3, past, { events: [], whole: true, reading: false, names: {} }, now).time).toBe('4m10')
})

test('a task that is paused over its budget is drawn so in the past, whether it was started or not', () => {
  const [since, now] = ['2026-01-30T14:22:30.000Z', '2026-01-30T14:26:40.000Z']
  const agent = {
    state: 'paused',
    kind: null,
    pid: 12,
    task: 3,
    exitCode: null,
    once: true,
    process: true,
    runsFor: 3,
    worktree: null,
    since,
  } as const
  const states = (['claimed', 'in_progress', 'completed'] as const).map((status) => {
    const past = {
      ...nothingYet,
      agents: new Map([['ada', agent]]),
      tasks: new Map([[3, { status, since, agent: 'ada', percent: null, until: null }]]),
    }
    return pastBoardRow(3, past, { events: [], whole: true, reading: false, names: {} }, now).state
  })
  expect(states).toEqual(['spent', 'spent', 'completed'])
})

test('a task that waited for its retry is shown in the past like in the present, until the wait ended', () => {
  const [since, at] = ['2026-01-30T14:22:30.000Z', '2026-01-30T14:22:40.000Z']
  const row = (until: string | null) => {
    const past = {
      ...nothingYet,
      tasks: new Map([[3, { status: 'pending', since, agent: null, percent: null, until } as const]]),
    }
    const { state, says, time } = pastBoardRow(3, past, { events: [], whole: true, reading: false, names: {} }, at)
    return [state, says, time]
  }
  expect(row('2026-01-30T14:23:00.000Z')).toEqual(['waiting', 'retries in', '20s'])
  expect(row(at)).toEqual(['pending', 'pending', '10s'])
  expect(row(null)).toEqual(['pending', 'pending', '10s'])
})

test('a moment days ago is shown with its day', async () => {
  Object.assign(fixture.core, { clock: () => instant(Date.now() + 3 * 86_400_000) })
  screen = openScreen(fixture, { columns: 120, rows: 30 })
  await screen.shows('1 Board')
  await screen.press('T')
  await screen.shows(/\[Timeline {2}\d{1,2} [A-Z][a-z]{2} \d\d:\d\d /)
})
