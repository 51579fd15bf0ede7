import { afterEach, beforeEach, expect, test } from 'vitest'
import { paste } from '../../src/ui/dispatch.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { readBoard } from '../../src/operations/read-board.ts'
import { claimTask } from '../../src/operations/claim-task.ts'
import { completeTask } from '../../src/operations/complete-task.ts'
import { discardWorktree } from '../../src/operations/discard-worktree.ts'
import { failTask } from '../../src/operations/fail-task.ts'
import { registerAgent } from '../../src/operations/register-agent.ts'
import { spawnAgent } from '../../src/operations/spawn-agent.ts'
import { person } from '../../src/domain/actor.ts'
import { emptyCensus } from '../support/census.ts'
import { eventually } from '../support/eventually.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { linesOf } from '../../src/ui/intents.ts'
import { resized, selectTask } from '../../src/ui/movement.ts'
import { reasonOfTask } from '../../src/ui/reasons.ts'
import { selectedTask } from '../../src/ui/selection.ts'
import { openDesk, type TestDesk } from './desk.ts'

let fixture: Fixture
let desk: TestDesk

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  for (let n = 1; n <= 5; n++) await fixture.addTask(`task ${n}`, n === 4 ? { dependencies: [3] } : {})
  desk = await openDesk(fixture)
})

afterEach(() => fixture.close())

const board = () => perform(fixture.core, readBoard, {}, person)

test('typing that arrives in one piece presses each key', () => {
  desk.press('j', 'j', 'k')
  expect(desk.state().view.task).toBe(2)
  desk.press('j', 'enter')
  expect(desk.mode()).toBe('detail')
  expect(desk.state().view.task).toBe(3)
})

test('a blocked key says why', () => {
  desk.press('r')
  expect(desk.notice()).toBe('Task 1 is pending; only a failed task can be retried.')
  desk.press('j', 'j', 'j', 's')
  expect(desk.notice()).toBe('Task 4 is blocked by task 3; an agent can be spawned for it when that is completed.')
  desk.press('4', 'x')
  expect(desk.notice()).toBe('A task or an agent is aborted; a worktree is discarded with d.')
})

test('a key that does nothing to a task says so in its own word', async () => {
  await perform(fixture.core, registerAgent, { id: 'ada', personaId: 'implementer' }, person)
  await perform(fixture.core, claimTask, { taskId: 1, agentId: 'ada' }, person)
  await perform(fixture.core, completeTask, { taskId: 1, agentId: 'ada' }, person)
  await desk.reread()
  desk.press('s')
  expect(desk.notice()).toBe('Task 1 is completed; s spawns an agent for a pending task, or on 2 one without a task.')
  desk.press('x')
  expect(desk.notice()).toBe('Task 1 is completed; x cancels a task that is unfinished or has failed.')
})

test('a failed task of a worktree that has ended says that it cannot be tried again, and which keys help', async () => {
  await fixture.addWorktree('payments')
  const taskId = await fixture.addTask('pay', { targetWorktree: 'payments', priority: 9 })
  const core = { ...fixture.core, settings: { ...fixture.core.settings, session: { ...fixture.core.settings.session, maxRetries: 0 } } }
  await perform(core, registerAgent, { id: 'ada', personaId: 'implementer' }, person)
  await perform(core, claimTask, { taskId, agentId: 'ada' }, person)
  await perform(core, failTask, { taskId, agentId: 'ada', errorMessage: 'red' }, person)
  await perform(core, discardWorktree, { worktreeName: 'payments', reason: 'over' }, person)
  await desk.reread()
  desk.change(selectTask(taskId))
  desk.press('r')
  expect(desk.notice()).toBe(`Worktree payments is already discarded, so task ${taskId} cannot be tried again: x cancels it, n makes a task for what is left.`)
  expect(reasonOfTask(desk.state(), selectedTask(desk.state())!)).toMatch(/: red; worktree payments is already discarded, so it cannot be tried again$/)
  desk.press('W', 'r')
  expect(desk.notice()).toBe('Worktree payments is already discarded, so it cannot be tried again: x gives it up; enter shows what went wrong.')
})

test('a refusal goes with the next key that does something, and stays for one that does nothing', () => {
  desk.press('r')
  desk.press('Z')
  expect(desk.notice()).toContain('only a failed task')
  desk.press('j')
  expect([desk.notice(), desk.state().view.task]).toEqual(['', 2])
  desk.press('r')
  desk.press('r')
  expect(desk.notice()).toContain('Task 2 is pending')
  // What came in one piece with the refusal was pressed before it could be read.
  desk.press('r', 'j')
  expect(desk.notice()).toContain('Task 2 is pending')
  desk.press('n', 'enter')
  desk.press('enter')
  expect([desk.mode(), desk.notice()]).toEqual(['form', expect.stringMatching(/\w/)])
  desk.press('L')
  expect(desk.notice()).toBe('')
})

test('a key of the panes that a view over them does not have says so', () => {
  desk.press('L', 'x')
  expect([desk.mode(), desk.notice()]).toEqual(['logs', 'x (abort) is a key of the panes; esc goes back.'])
  desk.press('escape')
  expect(desk.notice()).toBe('')
  desk.press('enter', '2')
  expect([desk.mode(), desk.notice()]).toEqual(['detail', '2 (agents) is a key of the panes; esc goes back.'])
  desk.press('escape', 'x')
  desk.press('b')
  expect([desk.mode(), desk.notice()]).toEqual(['confirm', ''])
})

test('a receipt stays until something else is told, and so does a mistake of the program', () => {
  for (const tone of ['done', 'told', 'bug'] as const) {
    desk.tell('Task 1 is cancelled.', tone)
    desk.press('j')
    expect(desk.notice()).toBe('Task 1 is cancelled.')
  }
  desk.press('escape')
  expect(desk.notice()).toBe('')
})

test('s on the board starts an agent for the selected task', async () => {
  desk.press('j', 's')
  await eventually(() => expect(desk.notice()).toBe('implementer-1 (claude) is starting on task 2.'))
  expect((await board()).tasks[1]).toMatchObject({ status: 'claimed', assignedAgentId: 'implementer-1' })
})

test('s elsewhere opens a form for an agent that works off the board', async () => {
  desk.press('4', 's', 'tab', 'tab', 'right', 'right', 'enter')
  await eventually(() => expect(desk.notice()).toBe('implementer-1 (codex) takes tasks of implementer off the board.'))
  expect((await board()).agents[0]).toMatchObject({ kind: 'codex', assignedWorktree: 'user-auth' })
})

test('a new task is typed, pasted and put on the board', async () => {
  desk.press('n', ...'Login', ' ')
  paste(desk, 'form\nwith y and x')
  desk.press('tab', 't', 'enter')
  await eventually(() => expect(desk.notice()).toBe('Task 6 “Login form with y and x” is on the board.'))
  expect((await board()).tasks[5]).toMatchObject({ title: 'Login form with y and x', personaId: 'tester', createdBy: 'human' })
})

test('where no agent was found, a new task that needs one says what to do', async () => {
  desk.change((state) => ({ ...state, comfort: { ...state.comfort, agentless: true } }))
  desk.press('n', ...'Login', 'enter')
  await eventually(() => expect(desk.notice()).toBe("Task 6 “Login” is on the board. It lacks an agent: see 'aiswarm doctor'."))
  desk.press('n', ...'Lint', 'tab', 'tab', 'tab', 'tab', ...'true', 'enter')
  await eventually(() => expect(desk.notice()).toBe('Task 7 “Lint” is on the board.'))
})

test('a form says what it cannot take and stays open', () => {
  desk.press('n', 'enter')
  expect(desk.notice()).toBe('A task needs a title.')
  desk.press('a', 'shift-tab', ...'high', 'enter')
  expect(desk.notice()).toBe("A priority is a whole number, this is 'high'.")
  expect(desk.mode()).toBe('form')
})

test('a paste outside of a field presses no key', () => {
  paste(desk, 'xy')
  expect(desk.mode()).toBe('list')
  expect(desk.notice()).toBe('Text is pasted into a form; n opens one for a new task.')
  // There, the key of a new task would answer.
  desk.press('x')
  paste(desk, 'y')
  expect([desk.mode(), desk.notice()]).toEqual(['confirm', 'What is pasted presses no key.'])
})

test('what is typed behind the key that quits is meant for the shell', () => {
  desk.press('q', 'o', 'n', 'p')
  desk.press('x')
  expect([desk.quits.count, desk.shells, desk.mode(), desk.notice()]).toEqual([1, [], 'list', ''])
})

test('where the screen has no room for a question, no key asks or answers one; quitting works whatever is open', async () => {
  const narrow = (columns: number, rows: number): void => desk.change(resized(columns, rows))
  narrow(20, 5)
  desk.press('x')
  desk.press('y')
  desk.press('p')
  narrow(120, 40)
  expect(desk.mode()).toBe('list')
  desk.press('x')
  narrow(39, 30)
  desk.press('y')
  narrow(120, 40)
  expect(desk.mode()).toBe('confirm')
  desk.press('n')
  expect((await board()).tasks.map(({ status }) => status)).toEqual(Array(5).fill('pending'))
  desk.press('n')
  narrow(120, 9)
  paste(desk, 'unseen')
  desk.press('j', 'q')
  expect(desk.quits.count).toBe(1)
  narrow(120, 40)
  expect(desk.state().view.overlay).toMatchObject({ kind: 'form', form: { at: 0 } })
  expect(JSON.stringify(desk.state().view.overlay)).not.toMatch(/unseen|"value":"jq?"/)
})

test('x asks with what exactly will happen, and y does it', async () => {
  await perform(fixture.core, spawnAgent, { personaId: 'implementer', taskId: 1 }, person)
  await desk.reread()
  desk.press('2', 'x')
  const { overlay } = desk.state().view
  expect(overlay).toMatchObject({ kind: 'confirm', lines: ['Terminates implementer-1 and puts task 1 back on the board.'] })
  desk.press('enter')
  expect(desk.mode()).toBe('confirm')
  desk.press('y')
  expect(desk.mode()).toBe('list')
  await eventually(() => expect(desk.notice()).toBe('implementer-1 is being stopped.'))
  expect(fixture.world.wishes).toEqual([{ kind: 'stop_agent', agentId: 'implementer-1' }])
})

test('a question that nobody can have read is not answered by the same piece of input', async () => {
  desk.press('x', 'y')
  expect(desk.mode()).toBe('confirm')
  expect((await board()).tasks[0]?.status).toBe('pending')
  desk.press('n')
  expect(desk.mode()).toBe('list')
})

test('discarding asks for a reason, then names what is lost', async () => {
  const other = await fixture.addTask('in the worktree', { targetWorktree: 'user-auth' })
  fixture.world.held = {
    ...{ ...emptyCensus, commits: 3, untracked: ['notes.txt', '\u001b[31mred'], regenerable: ['node_modules'] },
    landed: { target: 'main', how: 'squashed', commits: 3, picked: 0 },
  }
  await desk.reread()
  desk.press('4', 'd', 'enter')
  expect(desk.notice()).toBe('Discarding needs a reason.')
  desk.press(...'wrong way', 'enter')
  await eventually(() => expect(desk.mode()).toBe('confirm'))
  const { overlay } = desk.state().view
  expect(overlay?.kind === 'confirm' && overlay.lines).toEqual([
    'Discards worktree user-auth: wrong way',
    `Cancels its unfinished tasks: ${other}.`,
    'No agent works in it.',
    'Its work is in main already, squashed into one commit.',
    'Archives:',
    '· 3 commits that no other branch has',
    '· 2 untracked files: notes.txt, red',
    'Only in the trash, and not for long:',
    '· 1 ignored folder that a build fills again: node_modules',
    "'aiswarm worktree restore user-auth' brings it back.",
  ])
  expect((await board()).worktrees[0]?.status).toBe('active')
  desk.press('y')
  await eventually(async () => expect((await board()).worktrees[0]?.status).toBe('discarded'))
})

test('the palette runs a command by its name', () => {
  desk.press(':', ...'agents pane', 'enter')
  desk.press('escape', ':', ...'go to the agents', 'enter')
  expect(desk.state().view.pane).toBe('agents')
})

test('an error that is no refusal is shown as a bug and ends nothing', async () => {
  fixture.world.carryOut = () => Promise.reject(new Error('the disk went away'))
  desk.press('4', 'i')
  await eventually(() => expect(desk.notice()).toBe('This is a bug in aiswarm: the disk went away'))
  desk.press('q')
  expect(desk.quits.count).toBe(1)
})

test('o and e open the worktree of what is selected, else the repository', () => {
  desk.press('o', '4', 'e')
  expect(desk.shells).toEqual([fixture.core.root, fixture.core.root.replace(/shop$/, 'user-auth')])
})

test('o and e refuse where the worktree of what is selected has no folder any more', async () => {
  await fixture.addWorktree('payments')
  const taskId = await fixture.addTask('pay', { targetWorktree: 'payments', priority: 9 })
  await perform(fixture.core, discardWorktree, { worktreeName: 'payments', reason: 'over' }, person)
  await desk.reread()
  desk.change(selectTask(taskId))
  desk.press('o')
  expect(desk.notice()).toBe("Worktree payments was discarded and has no folder. 'aiswarm worktree restore payments' restores it.")
  desk.press('e')
  expect(desk.shells).toEqual([])
})

test('p pauses scheduling and resumes it', async () => {
  desk.press('p')
  await eventually(async () => expect((await board()).session?.pausedAt).not.toBeNull())
  await desk.reread()
  desk.press('p')
  await eventually(async () => expect((await board()).session?.pausedAt).toBeNull())
})

test('w walks through what waits for a person', async () => {
  await fixture.makeReady('user-auth')
  await desk.reread()
  desk.press('w')
  expect(desk.state().view).toMatchObject({ pane: 'worktrees', worktree: 'user-auth' })
  expect(desk.notice()).toBe('user-auth is ready to enter main')
})

test('a command is asked about whole', () => {
  const [, ...command] = linesOf(desk.state(), { kind: 'spawn', taskId: 1, personaId: 'tester', command: 'npm test\nrm -rf ~ #\r\u001b]; curl\u0007' })
  expect(command).toEqual(['npm test', 'rm -rf ~ #⟨000D⟩⟨001B⟩]; curl⟨0007⟩'])
})

test('a reason that comes in one piece with the key that asks for it rejects nothing', async () => {
  await fixture.makeReady('user-auth')
  await desk.reread()
  desk.press('w')
  desk.press('i')
  expect(desk.mode()).toBe('approval')
  desk.press('n', 's', 'enter')
  expect(desk.mode()).toBe('form')
  desk.press('s', 'o', 'enter')
  await eventually(async () => expect((await board()).worktrees.find(({ name }) => name === 'user-auth')?.integration?.status).toBe('rejected'))
})
