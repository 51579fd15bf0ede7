import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Actor, person, system } from '../../src/domain/actor.ts'
import { instant, type Instant, later } from '../../src/domain/time.ts'
import { answerRequest } from '../../src/operations/answer-request.ts'
import { claimTask } from '../../src/operations/claim-task.ts'
import { createTask } from '../../src/operations/create-task.ts'
import { dispatch } from '../../src/operations/dispatch.ts'
import { recordLaunch } from '../../src/operations/record-launch.ts'
import { recordRunReport } from '../../src/operations/record-run-report.ts'
import { failTask } from '../../src/operations/fail-task.ts'
import type { Core } from '../../src/operations/kernel/core.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { recordGuard } from '../../src/operations/record-guard.ts'
import type { RequestView } from '../../src/operations/kernel/requests.ts'
import { listRequests } from '../../src/operations/list-requests.ts'
import { askHuman } from '../../src/operations/ask-human.ts'
import { registerAgent } from '../../src/operations/register-agent.ts'
import { requestPermission } from '../../src/operations/request-permission.ts'
import { settleRequest } from '../../src/operations/settle-request.ts'
import { resized } from '../../src/ui/movement.ts'
import { startAnnouncer } from '../../src/ui/inbox/announcer.ts'
import { inboxItems, inboxOf, itemAtHand } from '../../src/ui/inbox/list.ts'
import { inboxWindow } from '../../src/ui/inbox/rows.ts'
import { footerOf } from '../../src/ui/key-table.ts'
import { boardArrived } from '../../src/ui/arrivals.ts'
import { makeStore } from '../../src/ui/store.ts'
import { eventually } from '../support/eventually.ts'
import { openDesk, type TestDesk } from './desk.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { openScreen } from './screen.ts'

let fixture: Fixture
let core: Core
let now: Instant
let desk: TestDesk

beforeEach(async () => {
  const real = await openFixture()
  now = instant(Math.ceil(Date.now() / 1000) * 1000 + 1000)
  core = { ...real.core, clock: () => now, settings: { ...real.core.settings, session: { ...real.core.settings.session, maxRetries: 0 } } }
  fixture = { ...real, core, connection: { ...real.connection, core } }
})

afterEach(() => fixture.close())

const agent = (id: string): Actor => ({ kind: 'agent', id, role: 'worker', worktree: null })

const pass = (ms: number): void => {
  now = later(now, ms)
}

const joins = async (id: string): Promise<number> => {
  const taskId = await fixture.addTask(`The task of ${id}`)
  await perform(core, registerAgent, { id, personaId: 'implementer' }, person)
  await perform(core, claimTask, { taskId }, agent(id))
  return taskId
}

/** An agent with a task that asks to run a command; a second later than the one before. */
const asks = async (id: string, command: string): Promise<RequestView> => {
  await joins(id)
  pass(1000)
  return perform(core, requestPermission, { toolName: 'Bash', input: { command } }, agent(id))
}

const fails = async (id: string): Promise<number> => {
  const taskId = await joins(id)
  pass(1000)
  await perform(core, failTask, { taskId, errorMessage: 'red' }, agent(id))
  return taskId
}

/** A command that a planner put on the board. */
const commanded = async (): Promise<number> => {
  await perform(core, registerAgent, { id: 'planner-1', personaId: 'planner' }, person)
  return (
    await perform(core, createTask, { title: 'Clean up', personaId: 'implementer', command: 'rm -rf build' }, { kind: 'agent', id: 'planner-1', role: 'planner', worktree: null })
  ).id
}

/** A task of $2.50 whose agent has used $3.10. */
const overspends = async (): Promise<number> => {
  const { id } = await perform(core, createTask, { title: 'Log in', personaId: 'implementer', metadata: { cli: 'claude' }, budget: { costUsd: 2.5 } }, person)
  await perform(core, dispatch, { maxParallel: 1 }, system())
  await perform(core, recordLaunch, { agentId: 'implementer-1', run: 1, pid: 4242, startedAt: '99', bootId: 'boot', startsTask: true }, system())
  const report = { model: null, session: null, tokensIn: 12_000, tokensOut: 900, tokensCached: 0, costUsd: 3.1, said: null, problem: null }
  await perform(core, recordRunReport, { agentId: 'implementer-1', run: 1, report }, system())
  return id
}

const requestNow = async (id: number): Promise<RequestView> => {
  await core.store.write(async () => {})
  return (await perform(core, listRequests, { all: true }, person)).find((one) => one.id === id)!
}

const statusOf = (id: number, status: string) => eventually(async () => expect((await requestNow(id)).status).toBe(status))

/** The console with the inbox open, and time enough passed to have read it. */
const open = async (): Promise<void> => {
  desk = await openDesk(fixture)
  desk.change(resized(120, 40))
  desk.press('W')
  expect(desk.mode()).toBe('inbox')
  pass(1000)
}

const names = () =>
  inboxItems(desk.state()).map(
    ({ item, receipt }) => `${item.kind} ${item.agentId ?? item.taskId ?? item.worktree}${receipt === null ? '' : `: ${receipt.confirmed ? '✓' : '…'} ${receipt.words}`}`,
  )
const atHand = () => itemAtHand(desk.state())?.item
const labels = () => ['y', 'a'].map((key) => footerOf(desk.state()).keys.find(({ keys }) => keys === key)?.label)
const shown = () => inboxWindow(desk.state(), inboxOf(desk.state())!)

describe('the inbox', () => {
  test('lists what waits, the most urgent first, with what is asked, its evidence and since when', async () => {
    await fails('tester-1')
    await asks('backend-1', 'npm test')
    await asks('backend-2', 'npm run lint')
    await open()
    expect(names()).toEqual(['permission backend-1', 'permission backend-2', `failed 1`])
    const [first, second] = shown().rows.map(({ text }) => text)
    expect(first).toMatch(/^ {2}\? permission +<1m {2}backend-1 asks to use Bash: npm test$/)
    expect(second).toMatch(/^ +for task 2, implementer; it stands still until you answer; always allows shell\(npm test\)$/)
  })

  test('y answers what can be read whole, its receipt stands there until the agent was told, and the cursor is on the next', async () => {
    const one = await asks('backend-1', 'npm test')
    await asks('backend-2', 'npm run lint')
    await open()
    desk.press('y')
    expect(names()[0]).toMatch(/^permission backend-1: … allowed .* …$/)
    expect(atHand()?.agentId).toBe('backend-2')
    await statusOf(one.id, 'allowed')
    await desk.reread()
    expect(names()[0]).toMatch(/^permission backend-1: … allowed .*; backend-1 is being told …$/)
    await perform(core, settleRequest, { requestId: one.id }, system())
    await desk.reread()
    expect(names()).toEqual([expect.stringMatching(/^permission backend-1: ✓ allowed, told backend-1 \d\d:\d\d:\d\d$/), 'permission backend-2'])
    // A minute later it is forgotten.
    pass(61_000)
    desk.change((state) => ({ ...state, now }))
    expect(names()).toEqual(['permission backend-2'])
  })

  test('a key that comes with the one before it, or before anybody can have read what came under the cursor, answers nothing', async () => {
    const one = await asks('backend-1', 'npm test')
    const two = await asks('backend-2', 'npm run lint')
    desk = await openDesk(fixture)
    desk.press('W', 'y')
    expect((await requestNow(one.id)).status).toBe('open')
    expect(desk.notice()).toContain('only just come under the cursor')
    pass(1000)
    desk.press('y', 'y', 'y')
    await statusOf(one.id, 'allowed')
    expect((await requestNow(two.id)).status).toBe('open')
  })

  test('a key that comes just behind the one that moves the cursor answers nothing, however old the moment is that the rows tell', async () => {
    await asks('backend-1', 'npm test')
    const two = await asks('backend-2', 'npm run lint')
    await open()
    pass(900)
    desk.press('j')
    pass(100)
    desk.press('y')
    expect(desk.notice()).toContain('only just come under the cursor')
    expect((await requestNow(two.id)).status).toBe('open')
    pass(300)
    desk.press('y')
    await statusOf(two.id, 'allowed')
  })

  test('a key that comes with the one that uncovers the inbox answers nothing', async () => {
    const one = await asks('backend-1', 'npm test')
    await open()
    pass(1000)
    desk.press(':')
    desk.press('escape', 'y', 'j')
    expect([desk.mode(), (await requestNow(one.id)).status]).toEqual(['inbox', 'open'])
    desk.press('y')
    await statusOf(one.id, 'allowed')
  })

  test('what another console has answered meanwhile is not what the key meant', async () => {
    const one = await asks('backend-1', 'npm test')
    const two = await asks('backend-2', 'npm run lint')
    await open()
    await perform(core, answerRequest, { requestId: one.id, verdict: 'deny' }, person)
    await desk.reread()
    expect(atHand()?.agentId).toBe('backend-2')
    desk.press('y')
    expect((await requestNow(two.id)).status).toBe('open')
    pass(1000)
    desk.press('y')
    await statusOf(two.id, 'allowed')
  })

  test('what does not fit is opened first; answered there, one is back in the inbox', async () => {
    const one = await asks('backend-1', `echo ${'x '.repeat(2000)}`)
    await asks('backend-2', 'npm run lint')
    await open()
    desk.press('y')
    expect(desk.mode()).toBe('request')
    expect((await requestNow(one.id)).status).toBe('open')
    pass(1000)
    desk.press('n')
    await statusOf(one.id, 'denied')
    expect(desk.mode()).toBe('inbox')
    expect(atHand()?.agentId).toBe('backend-2')
  })

  test('a refused answer leaves it waiting', async () => {
    const one = await asks('backend-1', 'npm test')
    await open()
    await perform(core, answerRequest, { requestId: one.id, verdict: 'deny' }, person)
    desk.press('y')
    await eventually(() => expect(desk.notice()).toContain('is over'))
    expect(desk.state().settled).toEqual([])
  })

  test('r puts a failed task back on the board, and it waits no more', async () => {
    const taskId = await fails('tester-1')
    await open()
    desk.press('r')
    await eventually(() => expect(desk.notice()).toBe(`Task ${taskId} is on the board again.`))
    await desk.reread()
    expect(names()[0]).toMatch(new RegExp(`^failed ${taskId}: ✓ Task ${taskId} is on the board again\\. \\d\\d`))
  })

  test('x cancels a task that stands still after a question, and its receipt stands in the list', async () => {
    const taskId = await joins('backend-1')
    pass(6 * 60_000)
    await fails('tester-1')
    await open()
    expect(names()[0]).toBe(`stalled ${taskId}`)
    desk.press('y')
    expect(desk.notice()).toBe('x cancels the task; enter shows it, with its log.')
    desk.press('x')
    expect(desk.mode()).toBe('confirm')
    desk.press('n')
    expect([desk.mode(), atHand()?.kind]).toEqual(['inbox', 'stalled'])
    pass(1000)
    desk.press('x')
    desk.press('y')
    await eventually(() => expect(desk.notice()).toBe(`Task ${taskId} is cancelled.`))
    await desk.reread()
    expect([desk.mode(), names()[0]]).toEqual(['inbox', expect.stringMatching(new RegExp(`^stalled ${taskId}: ✓ Task ${taskId} is cancelled\\. \\d\\d`))])
  })

  test('x gives up a failed task, so that nothing waits for you any more', async () => {
    const taskId = await fails('tester-1')
    await open()
    desk.press('x')
    expect(desk.mode()).toBe('confirm')
    pass(1000)
    desk.press('y')
    await eventually(() => expect(desk.notice()).toBe(`Task ${taskId} is cancelled.`))
    await desk.reread()
    expect(names()[0]).toMatch(new RegExp(`^failed ${taskId}: ✓ Task ${taskId} is cancelled\\. `))
    expect(desk.state().board.attention).toEqual([])
  })

  test('x takes a command that an agent put there off the board', async () => {
    const taskId = await commanded()
    await open()
    expect(names()).toEqual([`command ${taskId}`])
    expect(labels()).toEqual(['run', 'always'])
    desk.press('n')
    expect(desk.notice()).toBe('y runs it after a question that spells it out, x cancels the task.')
    desk.press('x')
    desk.press('y')
    await eventually(() => expect(desk.notice()).toBe(`Task ${taskId} is cancelled.`))
    await desk.reread()
    expect(names()[0]).toMatch(new RegExp(`^command ${taskId}: ✓ Task ${taskId} is cancelled\\. `))
  })

  test('a budget is answered by one key where the list says what each key does, else it is opened first', async () => {
    const taskId = await overspends()
    await open()
    expect(
      shown()
        .asked.map(({ text }) => text)
        .join(' '),
    ).toContain('y raises the budget by as much as it was at first, a takes the limit away, x cancels the task')
    expect(labels()).toEqual(['raise', 'no limit'])
    desk.change(resized(60, 15))
    desk.press('y')
    expect([desk.mode(), desk.notice()]).toEqual(['budget', 'Read it to its end first; the same key answers it here.'])
    desk.press('escape')
    desk.change(resized(120, 40))
    pass(1000)
    desk.press('y')
    await eventually(() => expect(desk.notice()).toBe(`The budget of task ${taskId} is $5.00 now; it goes on.`))
    await desk.reread()
    expect(labels()).toEqual(['allow', 'always'])
    expect([desk.mode(), names()[0]]).toEqual(['inbox', expect.stringMatching(/^budget \d: ✓ The budget of task \d is \$5\.00 now; it goes on\. \d\d/)])
  })

  test('an integration is looked at before it is approved, and is never one of many', async () => {
    await fixture.addWorktree('auth')
    await fixture.makeReady('auth')
    await open()
    for (const key of ['y', ' ', '*', 'n', 'a', 'r'] as const) desk.press(key)
    expect([desk.mode(), inboxOf(desk.state())!.marked]).toEqual(['inbox', []])
    expect(desk.notice()).toContain('Only a failed task')
    desk.press('i')
    expect(desk.mode()).toBe('approval')
    desk.press('escape')
    expect(desk.mode()).toBe('inbox')
  })

  test('a question is answered in words from the list', async () => {
    await joins('backend-1')
    const { id } = await perform(core, askHuman, { question: 'Which colour?', options: [] }, agent('backend-1'))
    await open()
    desk.press('y')
    expect((await requestNow(id)).status).toBe('open')
    desk.press('enter')
    expect(desk.mode()).toBe('form')
    desk.press('b', 'l', 'u', 'e')
    pass(1000)
    desk.press('enter')
    await statusOf(id, 'answered')
    expect(desk.mode()).toBe('inbox')
  })

  test('what went wrong is told once, with how often it was tried', async () => {
    await fails('tester-1')
    await open()
    expect(shown().asked.map(({ text }) => text.trim())).toEqual([
      'task 1 failed: red',
      expect.stringMatching(/^failed for good at [\d:]+ after one attempt$/),
      expect.stringContaining('no retry is left'),
    ])
  })

  test('n is called what it does to a question', async () => {
    await asks('backend-1', 'npm test')
    await joins('backend-2')
    pass(1000)
    await perform(core, askHuman, { question: 'Which colour?', options: [] }, agent('backend-2'))
    await open()
    const no = () => footerOf(desk.state()).keys.find(({ keys }) => keys === 'n')?.label
    expect(no()).toBe('deny')
    desk.press('j')
    expect([atHand()?.kind, no()]).toEqual(['question', 'leave it'])
    desk.press('enter')
    desk.press('escape')
    desk.press('escape', 'w')
    expect([desk.mode(), no()]).toEqual(['request', 'deny'])
    desk.press('w')
    expect([desk.mode(), no()]).toEqual(['request', 'leave it'])
  })

  test('is opened from what is asked as well, and goes back there', async () => {
    await asks('backend-1', 'npm test')
    const { id } = await asks('backend-2', 'npm run lint')
    desk = await openDesk(fixture)
    desk.press('w')
    desk.press('w')
    expect(desk.mode()).toBe('request')
    desk.press('W')
    expect([desk.mode(), desk.notice(), atHand()?.requestId]).toEqual(['inbox', '', id])
    desk.press('escape')
    expect(desk.mode()).toBe('request')
    // What was opened out of the list leads back to that list, and no key answers there before it can be read.
    desk.press('W')
    desk.press(' ')
    desk.press('enter')
    expect(desk.mode()).toBe('request')
    desk.press('W')
    expect([desk.mode(), inboxOf(desk.state())!.marked.length]).toEqual(['inbox', 1])
    desk.press('escape')
    desk.press('escape')
    expect(desk.mode()).toBe('list')
  })

  test('is empty when nothing waits, and cannot be opened then', async () => {
    desk = await openDesk(fixture)
    desk.press('W')
    expect([desk.mode(), desk.notice()]).toEqual(['list', 'Nothing waits for you.'])
  })
})

describe('answers by rule', () => {
  test('* marks what is alike, one question names each, and each has an answer and a receipt of its own', async () => {
    const alike = [await asks('backend-1', 'npm test'), await asks('backend-2', 'npm test -- --watch=false'), await asks('backend-3', 'npm test src')]
    const other = await asks('backend-4', 'rm -rf build')
    await open()
    desk.press('*')
    expect(inboxOf(desk.state())!.marked).toHaveLength(3)
    desk.press('y')
    expect(desk.mode()).toBe('confirm')
    const { overlay } = desk.state().view
    const lines = overlay?.kind === 'confirm' ? overlay.lines : []
    expect(lines).toEqual([
      'Allows these 3 once each:',
      '· backend-1 asks to use Bash: npm test',
      '· backend-2 asks to use Bash: npm test -- --watch=false',
      '· backend-3 asks to use Bash: npm test src',
    ])
    expect(await Promise.all(alike.map(async ({ id }) => (await requestNow(id)).status))).toEqual(['open', 'open', 'open'])
    desk.press('y')
    for (const { id } of alike) await statusOf(id, 'allowed')
    expect((await requestNow(other.id)).status).toBe('open')
    expect(desk.mode()).toBe('inbox')
    await desk.reread()
    expect(names().filter((name) => name.includes('is being told'))).toHaveLength(3)
    expect(atHand()?.agentId).toBe('backend-4')
  })

  test('what is allowed from now on is named by the rules that the configuration then has', async () => {
    for (const id of ['backend-1', 'backend-2']) await asks(id, 'npm test')
    await open()
    desk.press('*')
    desk.press('a')
    const { overlay } = desk.state().view
    expect(overlay?.kind === 'confirm' ? overlay.lines.at(-1) : '').toBe('The configuration then has: shell(npm test) for implementer')
    desk.press('n')
  })

  test('what one of them refuses does not hold up the others', async () => {
    const [one, two] = [await asks('backend-1', 'npm test'), await asks('backend-2', 'npm test')]
    await open()
    desk.press('*', 'n')
    await perform(core, answerRequest, { requestId: one.id, verdict: 'allow' }, person)
    desk.press('y')
    await statusOf(two.id, 'denied')
    expect((await requestNow(one.id)).status).toBe('allowed')
  })

  test('n and esc leave all of them open, with their marks', async () => {
    const { id } = await asks('backend-1', 'npm test')
    await open()
    desk.press('*', 'y')
    desk.press('escape')
    expect([desk.mode(), inboxOf(desk.state())!.marked.length, (await requestNow(id)).status]).toEqual(['inbox', 1, 'open'])
  })

  test('more than can be read at once is not asked for', async () => {
    for (let n = 1; n <= 4; n++) await asks(`backend-${n}`, 'npm test')
    await open()
    desk.change(resized(60, 10))
    desk.press('*', 'y')
    expect([desk.mode(), desk.notice()]).toEqual(['inbox', expect.stringContaining('do not all fit on the screen')])
  })
})

describe('w', () => {
  test('goes on where it was after an answer', async () => {
    const two = await fails('tester-1')
    await asks('backend-1', 'npm test')
    const three = await fails('tester-2')
    desk = await openDesk(fixture)
    desk.change((state) => ({ ...state, view: { ...state.view, task: 999 } }))
    desk.press('w')
    expect(desk.mode()).toBe('request')
    pass(1000)
    desk.press('y')
    await eventually(() => expect(desk.notice()).toContain('may use Bash'))
    await desk.reread()
    desk.press('w')
    expect(desk.state().view.task).toBe(two)
    // That one is answered too, and what comes behind it is next, not the first again.
    desk.press('r')
    await eventually(() => expect(desk.notice()).toContain('on the board again'))
    await asks('backend-9', 'npm run lint')
    await desk.reread()
    desk.press('w')
    expect(desk.state().view.task).toBe(three)
  })

  test('goes from one that is not answered to the next, and what was typed behind it answers nothing', async () => {
    const first = await asks('backend-1', 'npm test')
    const second = await asks('backend-2', 'npm run lint')
    const two = await fails('tester-1')
    desk = await openDesk(fixture)
    const shownNow = () => desk.state().view.overlay
    desk.press('w')
    expect(shownNow()).toMatchObject({ kind: 'request', request: first.id })
    desk.press('w', 'y')
    expect(shownNow()).toMatchObject({ kind: 'request', request: second.id, behind: null })
    desk.press('w')
    expect([desk.mode(), desk.state().view.task]).toEqual(['list', two])
    expect([(await requestNow(first.id)).status, (await requestNow(second.id)).status]).toEqual(['open', 'open'])
  })
})

test('w in a sheet that was opened from the inbox goes on to the next item, and the inbox and its marks stay behind', async () => {
  await asks('backend-1', 'npm test')
  const second = await asks('backend-2', 'npm run lint')
  const two = await fails('tester-1')
  await open()
  desk.press(' ', 'g', 'enter')
  expect(desk.mode()).toBe('request')
  desk.press('w')
  expect(desk.state().view.overlay).toMatchObject({ kind: 'request', request: second.id, behind: { kind: 'inbox', marked: [expect.any(String)] } })
  // What has no sheet of its own is shown in the list.
  desk.press('w')
  expect([desk.mode(), atHand()?.kind, desk.state().view.task, inboxOf(desk.state())!.marked.length]).toEqual(['inbox', 'failed', two, 1])
})

test('from a question to a changed configuration no key of one piece passes between them', async () => {
  await asks('backend-1', 'npm test')
  await perform(core, recordGuard, { found: { hash: 'before', entries: {} }, lines: [] }, system())
  await perform(core, recordGuard, { found: { hash: 'after', entries: {} }, lines: ['+ config a = 1'] }, system())
  desk = await openDesk(fixture)
  for (let presses = 0; desk.mode() !== 'request' && presses < 3; presses++) {
    desk.press('w')
    await new Promise((done) => setTimeout(done, 50))
  }
  expect(desk.mode()).toBe('request')
  desk.press('w', 'x')
  await eventually(() => expect(desk.mode()).toBe('guard'))
  expect(desk.state().view.overlay?.behind).toBeNull()
})

describe('an announcement', () => {
  const ms = 60

  test('tells what is new, once, together, and not what is on the screen, was there before or is to be quiet', async () => {
    await asks('backend-1', 'npm test')
    const store = makeStore(core.clock())
    const test = await openDesk(fixture)
    store.setState(boardArrived(test.state().board), true)
    const told: string[] = []
    let idle = Infinity
    const stop = startAnnouncer(store, { quiet: ['failed'] }, { announce: (text) => told.push(text), idle: () => idle, calm: ms, away: 4 * ms })
    const arrive = async (): Promise<void> => {
      await test.reread()
      store.setState(boardArrived(test.state().board), true)
    }
    const settle = () => new Promise((done) => setTimeout(done, 4 * ms))
    await settle()
    expect(told).toEqual([])

    await asks('backend-2', 'npm run lint')
    await asks('backend-3', 'npm run build')
    await fails('tester-1')
    await arrive()
    await eventually(() => expect(told).toEqual(['2 things wait for you: backend-2 asks to use Bash: npm run lint; …']))
    await arrive()
    await settle()
    expect(told).toHaveLength(1)

    // Keys are pressed, and the rows of the agents have room: what waits is marked there.
    idle = 0
    await asks('backend-4', 'make')
    await arrive()
    await settle()
    expect(told).toHaveLength(1)
    // Nobody has pressed a key since, and it still waits.
    idle = 4 * ms
    await eventually(() => expect(told.slice(1)).toEqual(['backend-4 asks to use Bash: make']))
    await settle()
    expect(told).toHaveLength(2)

    // In the logs no row is seen.
    idle = 0
    store.setState((state) => ({ ...state, view: { ...state.view, pane: 'log', size: { columns: 60, rows: 15 } } }), true)
    await asks('backend-6', 'make it')
    await arrive()
    await eventually(() => expect(told.slice(2)).toEqual(['backend-6 asks to use Bash: make it']))
    stop()
    await asks('backend-5', 'make')
    await arrive()
    await settle()
    expect(told).toHaveLength(3)
  })
})

test('what comes while a shell has the terminal is announced, whatever stood on the screen', async () => {
  const heard: string[] = []
  let leave = (): void => {}
  const screen = openScreen(fixture, { columns: 100, rows: 30, announce: (text) => heard.push(text), openShell: () => new Promise((done) => (leave = done)) })
  await asks('backend-1', 'npm test')
  await screen.shows('⚑ 1 waits for you')
  // Past the first second, in which nothing is announced.
  await new Promise((done) => setTimeout(done, 1100))
  await screen.press('o')
  await asks('backend-2', 'npm run lint')
  await eventually(() => expect(heard).toEqual(['backend-2 asks to use Bash: npm run lint']))
  leave()
  await screen.close()
})

describe('on a screen', () => {
  test('on a narrow screen the keys that answer the item under the cursor are seen', async () => {
    await fails('backend-1')
    await fixture.addWorktree('pay')
    await fixture.makeReady('pay')
    const screen = openScreen(fixture, { columns: 60, rows: 15 })
    await screen.shows('2 wait for you')
    await screen.press('W')
    await screen.shows(/enter open {2}i .*\? help +esc back/)
    expect(screen.text()).not.toContain('r retry')
    await screen.press('j')
    await screen.shows(/enter open {2}r retry .*\? help +esc back/)
    await screen.close()
  })

  test('a sentence that is longer than the screen is wide is read whole, and the rows keep their place', async () => {
    for (const name of ['pay', 'ship']) {
      await fixture.addWorktree(name)
      await fixture.makeReady(name)
    }
    for (const { columns, rows } of [
      { columns: 80, rows: 24 },
      { columns: 60, rows: 15 },
    ]) {
      const screen = openScreen(fixture, { columns, rows })
      await screen.shows('2 wait for you')
      await screen.press('W')
      await screen.shows('Asked')
      const listed = () => screen.text().split('\n').slice(1, 5)
      const before = listed()
      await screen.press('y')
      await screen.shows(/bound to its commits: enter\s+shows\s+them, and\s+there\s+y\s+approves\s+exactly\s+these\./)
      expect(listed()).toEqual(before)
      await screen.shows(/esc back/)
      await screen.close()
    }
  })

  test('the answers that an agent offers are seen before one is chosen', async () => {
    await joins('backend-1')
    await perform(core, askHuman, { question: 'Which colour?', options: ['red', 'sky {yes} blue'] }, agent('backend-1'))
    const screen = openScreen(fixture, { columns: 80, rows: 24 })
    await screen.shows('1 waits for you')
    await screen.press('w')
    await screen.shows('1. red')
    await screen.shows(/^ n leave it {2}1–9 choose {2}enter answer {2}/m)
    await screen.press('\r')
    await screen.shows(/Answer: Which colour\?[^]*chooses: red, sky \{yes\} blue/)
    await screen.close()
  })

  test('one line that has no room, and one failure that is not listed, are one', async () => {
    for (let n = 0; n < 101; n++) await fails(`backend-${n}`)
    pass(1000)
    const { input } = await asks('backend-200', 'one\ntwo\nthree\nfour\nfive')
    expect(input).not.toBeNull()
    const screen = openScreen(fixture, { columns: 80, rows: 15 })
    await screen.shows('101 wait for you')
    await screen.press('W')
    await screen.shows(/1 older failure not listed/)
    await screen.shows(/\d more lines?: enter/)
    expect(screen.text()).not.toContain('1 more lines')
    await screen.close()
  })

  test('a screen reader is read it as sentences, and which keys do nothing now', async () => {
    await fails('backend-1')
    await fixture.addWorktree('pay')
    await fixture.makeReady('pay')
    const screen = openScreen(fixture, { columns: 150, rows: 40, environment: { INK_SCREEN_READER: '1' } })
    await screen.shows('2 wait for you')
    await screen.press('W')
    await screen.shows(/Selected: approve for less than a minute, [^]*\n *failed for less than a minute, .*red/)
    await screen.shows(/i integrate, .*esc back, not now: y allow, .*r retry/)
    expect(screen.text().slice(screen.text().indexOf('Waiting for you'))).not.toMatch(/[▸◂●○◌◍✗⚑]/)
    await screen.press('j')
    await screen.shows(/Selected: failed for .*red[^]*r retry, .*not now: .*i integrate/)
    await screen.press('\r')
    await screen.shows(/Error, open\n/)
    await screen.close()
  })

  test('of failed tasks that are too many to be listed it is told how many there are', async () => {
    for (let n = 0; n < 103; n++) await fails(`backend-${n}`)
    const screen = openScreen(fixture, { columns: 100, rows: 24 })
    await screen.shows('100 wait for you')
    await screen.press('W')
    await screen.shows(/Waiting for you.*3 older failures not listed.*1–4 of 100/)
    await screen.close()
  })

  test('the list, what is asked and the receipt; and a bell for what comes meanwhile', async () => {
    await asks('backend-1', 'npm test')
    const heard: string[] = []
    const screen = openScreen(fixture, { columns: 100, rows: 24, announce: (text) => heard.push(text) })
    await screen.shows('⚑ 1 waits for you')
    await screen.press('W')
    await screen.shows(/\[Waiting for you\][^]*▸ {2}\? permission .*backend-1 asks to use Bash: npm test[^]*Asked[^]*npm test/)
    pass(1000)
    await screen.press('y')
    await screen.shows(/… allowed .* backend-1 is being told …/)
    await screen.press('\u001b')
    await screen.shows('[1 Board]')
    // Past the first second, in which nothing is announced.
    await new Promise((done) => setTimeout(done, 1100))
    expect(screen.written.join('')).not.toContain('\u0007')
    // Over the panes no row is seen.
    await screen.press('L')
    await screen.shows('Logs of all agents')
    await asks('backend-2', 'npm run lint')
    await eventually(() => expect(heard).toEqual(['backend-2 asks to use Bash: npm run lint']))
    expect(screen.written.join('')).toContain(
      '\u0007\u001b]9;aiswarm: backend-2 asks to use Bash: npm run lint\u001b\\\u001b]777;notify;aiswarm;backend-2 asks to use Bash: npm run lint\u001b\\',
    )
    await screen.close()
  })
})
