import { afterEach, beforeEach, expect, test } from 'vitest'
import { paste } from '../../../src/ui/keys/dispatch.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { claimTask, completeTask, failTask } from '../../../src/operations/tasks/claims.ts'
import { discardWorktree } from '../../../src/operations/worktrees/discard.ts'
import { registerAgent, spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { emptyCensus } from '../../support/census.ts'
import { eventually } from '../../support/eventually.ts'
import { type Fixture, openFixture } from '../fixture.ts'
import { asked } from '../../../src/ui/actions/answers.ts'
import { spawnQuestion } from '../../../src/ui/actions/scheduling.ts'
import { resized, selectTask } from '../../../src/ui/panes/movement.ts'
import { reasonOfTask } from '../../../src/ui/rows/tasks.ts'
import { selectedTask } from '../../../src/ui/core/selection.ts'
import { openController, type TestController } from '../controller.ts'

let fixture: Fixture
let controller: TestController

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  for (let n = 1; n <= 5; n++) await fixture.addTask(`task ${n}`, n === 4 ? { dependencies: [3] } : {})
  controller = await openController(fixture)
})

afterEach(() => fixture.close())

const board = () => perform(fixture.core, readBoard, {}, person)

test('letters that arrive in one piece press each key', () => {
  controller.press('j', 'j', 'k')
  expect(controller.state().view.task).toBe(2)
  controller.press('j', 'enter')
  expect(controller.mode()).toBe('detail')
  expect(controller.state().view.task).toBe(3)
})

test('a blocked key shows why', () => {
  controller.press('r')
  expect(controller.notice()).toBe('Task 1 is pending; only a failed task can be retried.')
  controller.press('j', 'j', 'j', 's')
  expect(controller.notice()).toBe('Task 4 is blocked by task 3. Spawn an agent when it is completed.')
  controller.press('4', 'x')
  expect(controller.notice()).toBe('Select a task or an agent to abort. d discards a worktree.')
})

test('a key that has no effect on a task says so in its own words', async () => {
  await perform(fixture.core, registerAgent, { id: 'ada', personaId: 'implementer' }, person)
  await perform(fixture.core, claimTask, { taskId: 1, agentId: 'ada' }, person)
  await perform(fixture.core, completeTask, { taskId: 1, agentId: 'ada' }, person)
  await controller.reread()
  controller.press('s')
  expect(controller.notice()).toBe(
    'Task 1 is completed; s spawns an agent only for a pending task, or without a task on 2.',
  )
  controller.press('x')
  expect(controller.notice()).toBe('Task 1 is completed; x cancels only an unfinished or failed task.')
})

test('a failed task of an ended worktree says that it cannot be retried, and which keys help', async () => {
  await fixture.addWorktree('payments')
  const taskId = await fixture.addTask('pay', { targetWorktree: 'payments', priority: 9 })
  const core = {
    ...fixture.core,
    settings: { ...fixture.core.settings, session: { ...fixture.core.settings.session, maxRetries: 0 } },
  }
  await perform(core, registerAgent, { id: 'ada', personaId: 'implementer' }, person)
  await perform(core, claimTask, { taskId, agentId: 'ada' }, person)
  await perform(core, failTask, { taskId, agentId: 'ada', errorMessage: 'red' }, person)
  await perform(core, discardWorktree, { worktreeName: 'payments', reason: 'over' }, person)
  await controller.reread()
  controller.change(selectTask(taskId))
  controller.press('r')
  expect(controller.notice()).toBe(
    `Worktree payments is already discarded, so task ${taskId} cannot be retried. x cancels it, n creates a task for the remaining work.`,
  )
  expect(reasonOfTask(controller.state(), selectedTask(controller.state())!)).toMatch(
    /: red; worktree payments is already discarded, so it cannot be retried$/,
  )
  controller.press('W', 'r')
  expect(controller.notice()).toBe(
    'Worktree payments is already discarded, so the task cannot be retried. x cancels it, enter shows the error.',
  )
})

test('a refusal disappears with the next key that has an effect, and stays after one that has none', () => {
  controller.press('r')
  controller.press('Q')
  expect(controller.notice()).toContain('only a failed task')
  controller.press('j')
  expect([controller.notice(), controller.state().view.task]).toEqual(['', 2])
  controller.press('r')
  controller.press('r')
  expect(controller.notice()).toContain('Task 2 is pending')
  // A key that came in one piece with the refusal was pressed before it could be read.
  controller.press('r', 'j')
  expect(controller.notice()).toContain('Task 2 is pending')
  controller.press('n', 'enter')
  controller.press('enter')
  expect([controller.mode(), controller.notice()]).toEqual(['form', expect.stringMatching(/\w/)])
  controller.press('L')
  expect(controller.notice()).toBe('')
})

test('a key of the panes that a view over them lacks says so', () => {
  controller.press('L', 'x')
  expect([controller.mode(), controller.notice()]).toEqual([
    'logs',
    'x (abort) works only on the panes. Press esc to go back.',
  ])
  controller.press('escape')
  expect(controller.notice()).toBe('')
  controller.press('enter', '2')
  expect([controller.mode(), controller.notice()]).toEqual([
    'detail',
    '2 (agents) works only on the panes. Press esc to go back.',
  ])
  controller.press('escape', 'x')
  controller.press('b')
  expect([controller.mode(), controller.notice()]).toEqual(['confirm', ''])
})

test('a receipt stays until another message, and so does an error of the program', () => {
  for (const tone of ['done', 'told', 'bug'] as const) {
    controller.tell('Task 1 is cancelled.', tone)
    controller.press('j')
    expect(controller.notice()).toBe('Task 1 is cancelled.')
  }
  controller.press('escape')
  expect(controller.notice()).toBe('')
})

test('s on the board starts an agent for the selected task', async () => {
  controller.press('j', 's')
  await eventually(() => expect(controller.notice()).toBe('Starting implementer-1 (claude) on task 2.'))
  expect((await board()).tasks[1]).toMatchObject({ status: 'claimed', assignedAgentId: 'implementer-1' })
})

test('s elsewhere opens a form for an agent that works on the board', async () => {
  controller.press('4', 's', 'tab', 'tab', 'right', 'right', 'enter')
  await eventually(() => expect(controller.notice()).toBe('implementer-1 (codex) takes tasks for implementer.'))
  expect((await board()).agents[0]).toMatchObject({ kind: 'codex', assignedWorktree: 'user-auth' })
})

test('a new task is typed, pasted and created', async () => {
  controller.press('n', ...'Login', ' ')
  paste(controller, 'form\nwith y and x')
  controller.press('tab', 'tab', 't', 'enter')
  await eventually(() => expect(controller.notice()).toBe('Created task 6 “Login form with y and x”.'))
  expect((await board()).tasks[5]).toMatchObject({
    title: 'Login form with y and x',
    personaId: 'tester',
    createdBy: 'human',
  })
})

test('a new task that needs an agent says what to do if no agent is installed', async () => {
  controller.change((state) => ({ ...state, preferences: { ...state.preferences, agentless: true } }))
  controller.press('n', ...'Login', 'enter')
  await eventually(() =>
    expect(controller.notice()).toBe("Created task 6 “Login”. No agent CLI can run it: see 'aiswarm doctor'."),
  )
  controller.press('n', ...'Lint', 'tab', 'tab', 'tab', 'tab', ...'true', 'enter')
  await eventually(() => expect(controller.notice()).toBe('Created task 7 “Lint”.'))
})

test('a form shows why it refuses a value, and stays open', () => {
  controller.press('n', 'enter')
  expect(controller.notice()).toBe('The title is empty. Enter a title.')
  controller.press('a', 'shift-tab', 'shift-tab', 'shift-tab', 'shift-tab', ...'high', 'enter')
  expect(controller.notice()).toBe("'high' is not a priority. Enter a whole number.")
  expect(controller.mode()).toBe('form')
})

test('a paste outside a field presses no key', () => {
  paste(controller, 'xy')
  expect(controller.mode()).toBe('list')
  expect(controller.notice()).toBe('Paste text into a form. n opens the form for a new task.')
  // There, the key of a new task would answer.
  controller.press('x')
  paste(controller, 'y')
  expect([controller.mode(), controller.notice()]).toEqual(['confirm', 'Pasted text does not press keys.'])
})

test('keys after the quit key are left to the shell', () => {
  controller.press('q', 'o', 'n', 'p')
  controller.press('x')
  expect([controller.quits.count, controller.shells, controller.mode(), controller.notice()]).toEqual([
    1,
    [],
    'list',
    '',
  ])
})

test('a screen without room for a question ignores the keys that ask or answer one, and quits anyway', async () => {
  const narrow = (columns: number, rows: number): void => controller.change(resized(columns, rows))
  narrow(20, 5)
  controller.press('x')
  controller.press('y')
  controller.press('p')
  narrow(120, 40)
  expect(controller.mode()).toBe('list')
  controller.press('x')
  narrow(39, 30)
  controller.press('y')
  narrow(120, 40)
  expect(controller.mode()).toBe('confirm')
  controller.press('n')
  expect((await board()).tasks.map(({ status }) => status)).toEqual(Array(5).fill('pending'))
  controller.press('n')
  narrow(120, 9)
  paste(controller, 'unseen')
  controller.press('j', 'q')
  expect(controller.quits.count).toBe(1)
  narrow(120, 40)
  expect(controller.state().view.overlay).toMatchObject({ kind: 'form', form: { at: 0 } })
  expect(JSON.stringify(controller.state().view.overlay)).not.toMatch(/unseen|"value":"jq?"/)
})

test('x asks with the exact consequences, and y carries them out', async () => {
  await perform(fixture.core, spawnAgent, { personaId: 'implementer', taskId: 1 }, person)
  await controller.reread()
  controller.press('2', 'x')
  const { overlay } = controller.state().view
  expect(overlay).toMatchObject({
    kind: 'confirm',
    lines: ['Terminates implementer-1 and makes task 1 pending again.'],
  })
  controller.press('enter')
  expect(controller.mode()).toBe('confirm')
  controller.press('y')
  expect(controller.mode()).toBe('list')
  await eventually(() => expect(controller.notice()).toBe('Stopping implementer-1.'))
  expect(fixture.world.wishes).toEqual([{ kind: 'stop_agent', agentId: 'implementer-1' }])
})

test('a question that no person can have read is not answered by the same piece of input', async () => {
  controller.press('x', 'y')
  expect(controller.mode()).toBe('confirm')
  expect((await board()).tasks[0]?.status).toBe('pending')
  controller.press('n')
  expect(controller.mode()).toBe('list')
})

test('a discard asks for a reason, then names what is lost', async () => {
  const other = await fixture.addTask('in the worktree', { targetWorktree: 'user-auth' })
  fixture.world.held = {
    ...{ ...emptyCensus, commits: 3, untracked: ['notes.txt', '\u001b[31mred'], regenerable: ['node_modules'] },
    landed: { target: 'main', how: 'squashed', commits: 3, picked: 0 },
  }
  await controller.reread()
  controller.press('4', 'd', 'enter')
  expect(controller.notice()).toBe('The reason is empty. Enter a reason.')
  controller.press(...'wrong way', 'enter')
  await eventually(() => expect(controller.mode()).toBe('confirm'))
  const { overlay } = controller.state().view
  expect(overlay?.kind === 'confirm' && overlay.lines).toEqual([
    'Discards worktree user-auth: wrong way',
    `Cancels its unfinished tasks: ${other}.`,
    'No agent works in it.',
    'Its work is already in main, squashed into one commit.',
    'Archives:',
    '· 3 commits that no other branch has',
    '· 2 untracked files: notes.txt, red',
    'Kept only in the trash, deleted later:',
    '· 1 ignored folder that a build recreates: node_modules',
    "'aiswarm worktree restore user-auth' restores it.",
  ])
  expect((await board()).worktrees[0]?.status).toBe('active')
  controller.press('y')
  await eventually(async () => expect((await board()).worktrees[0]?.status).toBe('discarded'))
})

test('the palette runs a command by its name', () => {
  controller.press(':', ...'agents pane', 'enter')
  controller.press('escape', ':', ...'focus the agents', 'enter')
  expect(controller.state().view.pane).toBe('agents')
})

test('an error that is not a refusal is shown as a bug, and the console continues', async () => {
  fixture.world.carryOut = () => Promise.reject(new Error('the disk went away'))
  controller.press('4', 'i')
  await eventually(() => expect(controller.notice()).toBe('This is a bug in aiswarm: the disk went away'))
  controller.press('q')
  expect(controller.quits.count).toBe(1)
})

test('o and e open the worktree of the selected row, or else the repository', () => {
  controller.press('o', '4', 'e')
  expect(controller.shells).toEqual([fixture.core.root, fixture.core.root.replace(/shop$/, 'user-auth')])
})

test("o and e refuse if the folder of the selected row's worktree is missing", async () => {
  await fixture.addWorktree('payments')
  const taskId = await fixture.addTask('pay', { targetWorktree: 'payments', priority: 9 })
  await perform(fixture.core, discardWorktree, { worktreeName: 'payments', reason: 'over' }, person)
  await controller.reread()
  controller.change(selectTask(taskId))
  controller.press('o')
  expect(controller.notice()).toBe(
    "Worktree payments is discarded and has no folder. Run 'aiswarm worktree restore payments' to restore it.",
  )
  controller.press('e')
  expect(controller.shells).toEqual([])
})

test('p pauses scheduling and resumes it', async () => {
  controller.press('p')
  await eventually(async () => expect((await board()).session?.pausedAt).not.toBeNull())
  await controller.reread()
  controller.press('p')
  await eventually(async () => expect((await board()).session?.pausedAt).toBeNull())
})

test('w moves through the inbox items', async () => {
  await fixture.makeReady('user-auth')
  await controller.reread()
  controller.press('w')
  expect(controller.state().view).toMatchObject({ pane: 'worktrees', worktree: 'user-auth' })
  expect(controller.notice()).toBe('user-auth is ready to merge into main')
})

test('a question about a command shows the whole command', () => {
  const question = asked(
    spawnQuestion({ taskId: 1, personaId: 'tester', command: 'npm test\nrm -rf ~ #\r\u001b]; curl\u0007' }),
  )
  const [, ...command] = question.kind === 'confirm' ? question.lines : []
  expect(command).toEqual(['npm test', 'rm -rf ~ #⟨000D⟩⟨001B⟩]; curl⟨0007⟩'])
})

test('a reason in one piece with the key that asks for it rejects nothing', async () => {
  await fixture.makeReady('user-auth')
  await controller.reread()
  controller.press('w')
  controller.press('i')
  expect(controller.mode()).toBe('approval')
  controller.press('n', 's', 'enter')
  expect(controller.mode()).toBe('form')
  controller.press('s', 'o', 'enter')
  await eventually(async () =>
    expect((await board()).worktrees.find(({ name }) => name === 'user-auth')?.integration?.status).toBe('rejected'),
  )
})
