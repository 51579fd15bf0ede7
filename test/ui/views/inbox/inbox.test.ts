import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Actor, person, system } from '../../../../src/domain/agent/actor.ts'
import { instant, type Instant, later } from '../../../../src/domain/words/time.ts'
import { answerRequest } from '../../../../src/operations/requests/answers.ts'
import { claimTask, failTask } from '../../../../src/operations/tasks/claims.ts'
import { createTask } from '../../../../src/operations/tasks/create.ts'
import { dispatch } from '../../../../src/operations/supervision/dispatch.ts'
import { recordLaunch } from '../../../../src/operations/runs/processes.ts'
import { recordRunReport } from '../../../../src/operations/runs/reports.ts'
import type { Core } from '../../../../src/operations/perform/core.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { recordGuard } from '../../../../src/operations/integration/configuration-drift.ts'
import { listRequests, type RequestView } from '../../../../src/operations/requests/requests.ts'
import { askHuman, settleRequest } from '../../../../src/operations/requests/questions.ts'
import { registerAgent } from '../../../../src/operations/agents/spawn.ts'
import { requestPermission } from '../../../../src/operations/requests/permissions.ts'
import { resized } from '../../../../src/ui/panes/movement.ts'
import { startAnnouncer } from '../../../../src/ui/feeds/announcer.ts'
import { inboxItems, inboxOf, itemAtHand } from '../../../../src/ui/views/inbox/inbox.ts'
import { inboxWindow } from '../../../../src/ui/views/inbox/lines.ts'
import { footerOf } from '../../../../src/ui/keys/help.ts'
import { boardArrived } from '../../../../src/ui/core/reducers.ts'
import { makeStore } from '../../../../src/ui/store.ts'
import { eventually } from '../../../support/eventually.ts'
import { openController, type TestController } from '../../controller.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen } from '../../screen.ts'

let fixture: Fixture
let core: Core
let now: Instant
let controller: TestController

beforeEach(async () => {
  const real = await openFixture()
  now = instant(Math.ceil(Date.now() / 1000) * 1000 + 1000)
  core = {
    ...real.core,
    clock: () => now,
    settings: { ...real.core.settings, session: { ...real.core.settings.session, maxRetries: 0 } },
  }
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

/** An agent with a task that asks to run a command, one second later than the previous one. */
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

/** A command that a planner created. */
const commanded = async (): Promise<number> => {
  await perform(core, registerAgent, { id: 'planner-1', personaId: 'planner' }, person)
  return (
    await perform(
      core,
      createTask,
      { title: 'Clean up', personaId: 'implementer', command: 'rm -rf build' },
      { kind: 'agent', id: 'planner-1', role: 'planner', worktree: null },
    )
  ).id
}

/** A task with a budget of $2.50 whose agent has used $3.10. */
const overspends = async (): Promise<number> => {
  const { id } = await perform(
    core,
    createTask,
    { title: 'Log in', personaId: 'implementer', metadata: { cli: 'claude' }, budget: { costUsd: 2.5 } },
    person,
  )
  await perform(core, dispatch, { maxParallel: 1 }, system())
  await perform(
    core,
    recordLaunch,
    { agentId: 'implementer-1', run: 1, pid: 4242, startedAt: '99', bootId: 'boot', startsTask: true },
    system(),
  )
  const report = {
    model: null,
    session: null,
    tokensIn: 12_000,
    tokensOut: 900,
    tokensCached: 0,
    costUsd: 3.1,
    said: null,
    problem: null,
  }
  await perform(core, recordRunReport, { agentId: 'implementer-1', run: 1, report }, system())
  return id
}

const requestNow = async (id: number): Promise<RequestView> => {
  await core.store.write(async () => {})
  return (await perform(core, listRequests, { all: true }, person)).find((one) => one.id === id)!
}

const statusOf = (id: number, status: string) =>
  eventually(async () => expect((await requestNow(id)).status).toBe(status))

/** The console with the inbox open long enough for a person to have read it. */
const open = async (): Promise<void> => {
  controller = await openController(fixture)
  controller.change(resized(120, 40))
  controller.press('W')
  expect(controller.mode()).toBe('inbox')
  pass(1000)
}

const names = () =>
  inboxItems(controller.state()).map(
    ({ item, receipt }) =>
      `${item.kind} ${item.agentId ?? item.taskId ?? item.worktree}${receipt === null ? '' : `: ${receipt.confirmed ? '✓' : '…'} ${receipt.words}`}`,
  )
const atHand = () => itemAtHand(controller.state())?.item
const labels = () => ['y', 'a'].map((key) => footerOf(controller.state()).keys.find(({ keys }) => keys === key)?.label)
const shown = () => inboxWindow(controller.state(), inboxOf(controller.state())!)

describe('the inbox', () => {
  test('lists the items that wait, the most urgent first, with the request, its evidence and its time', async () => {
    await fails('tester-1')
    await asks('backend-1', 'npm test')
    await asks('backend-2', 'npm run lint')
    await open()
    expect(names()).toEqual(['permission backend-1', 'permission backend-2', `failed 1`])
    const [first, second] = shown().rows.map(({ text }) => text)
    expect(first).toMatch(/^ {2}\? permission +<1m {2}backend-1 asks to use Bash: npm test$/)
    expect(second).toMatch(
      /^ +for task 2, implementer; it is blocked until you answer; always allows shell\(npm test\)$/,
    )
  })

  test('is answered by y if an item is fully visible, shows the receipt until the agent knows it, and moves the cursor to the next item', async () => {
    const one = await asks('backend-1', 'npm test')
    await asks('backend-2', 'npm run lint')
    await open()
    controller.press('y')
    expect(names()[0]).toMatch(/^permission backend-1: … allowed .* …$/)
    expect(atHand()?.agentId).toBe('backend-2')
    await statusOf(one.id, 'allowed')
    await controller.reread()
    expect(names()[0]).toMatch(/^permission backend-1: … allowed .*; reporting to backend-1 …$/)
    await perform(core, settleRequest, { requestId: one.id }, system())
    await controller.reread()
    expect(names()).toEqual([
      expect.stringMatching(/^permission backend-1: ✓ allowed, reported to backend-1 \d\d:\d\d:\d\d$/),
      'permission backend-2',
    ])
    // A minute later it is forgotten.
    pass(61_000)
    controller.change((state) => ({ ...state, now }))
    expect(names()).toEqual(['permission backend-2'])
  })

  test('ignores a key that comes together with the previous one, or before a person can have read the item under the cursor', async () => {
    const one = await asks('backend-1', 'npm test')
    const two = await asks('backend-2', 'npm run lint')
    controller = await openController(fixture)
    controller.press('W', 'y')
    expect((await requestNow(one.id)).status).toBe('open')
    expect(controller.notice()).toContain('This item was selected just now.')
    pass(1000)
    controller.press('y', 'y', 'y')
    await statusOf(one.id, 'allowed')
    expect((await requestNow(two.id)).status).toBe('open')
  })

  test('ignores a key directly after the key that moved the cursor, however old the item is', async () => {
    await asks('backend-1', 'npm test')
    const two = await asks('backend-2', 'npm run lint')
    await open()
    pass(900)
    controller.press('j')
    pass(100)
    controller.press('y')
    expect(controller.notice()).toContain('This item was selected just now.')
    expect((await requestNow(two.id)).status).toBe('open')
    pass(300)
    controller.press('y')
    await statusOf(two.id, 'allowed')
  })

  test('ignores a key that comes together with the one that uncovers the inbox', async () => {
    const one = await asks('backend-1', 'npm test')
    await open()
    pass(1000)
    controller.press(':')
    controller.press('escape', 'y', 'j')
    expect([controller.mode(), (await requestNow(one.id)).status]).toEqual(['inbox', 'open'])
    controller.press('y')
    await statusOf(one.id, 'allowed')
  })

  test('ignores an answer to an item that another console has answered meanwhile', async () => {
    const one = await asks('backend-1', 'npm test')
    const two = await asks('backend-2', 'npm run lint')
    await open()
    await perform(core, answerRequest, { requestId: one.id, verdict: 'deny' }, person)
    await controller.reread()
    expect(atHand()?.agentId).toBe('backend-2')
    controller.press('y')
    expect((await requestNow(two.id)).status).toBe('open')
    pass(1000)
    controller.press('y')
    await statusOf(two.id, 'allowed')
  })

  test('opens an item that does not fit first, and returns after its answer', async () => {
    const one = await asks('backend-1', `echo ${'x '.repeat(2000)}`)
    await asks('backend-2', 'npm run lint')
    await open()
    controller.press('y')
    expect(controller.mode()).toBe('request')
    expect((await requestNow(one.id)).status).toBe('open')
    pass(1000)
    controller.press('n')
    await statusOf(one.id, 'denied')
    expect(controller.mode()).toBe('inbox')
    expect(atHand()?.agentId).toBe('backend-2')
  })

  test('keeps an item whose answer was refused', async () => {
    const one = await asks('backend-1', 'npm test')
    await open()
    await perform(core, answerRequest, { requestId: one.id, verdict: 'deny' }, person)
    controller.press('y')
    await eventually(() => expect(controller.notice()).toContain('is closed'))
    expect(controller.state().settled).toEqual([])
  })

  test('retries a failed task with r, which removes the item', async () => {
    const taskId = await fails('tester-1')
    await open()
    controller.press('r')
    await eventually(() => expect(controller.notice()).toBe(`Task ${taskId} is pending again.`))
    await controller.reread()
    expect(names()[0]).toMatch(new RegExp(`^failed ${taskId}: ✓ Task ${taskId} is pending again\\. \\d\\d`))
  })

  test('cancels a stalled task with x after a question, and keeps its receipt in the list', async () => {
    const taskId = await joins('backend-1')
    pass(6 * 60_000)
    await fails('tester-1')
    await open()
    expect(names()[0]).toBe(`stalled ${taskId}`)
    controller.press('y')
    expect(controller.notice()).toBe('x cancels the task, enter shows the task and its log.')
    controller.press('x')
    expect(controller.mode()).toBe('confirm')
    controller.press('n')
    expect([controller.mode(), atHand()?.kind]).toEqual(['inbox', 'stalled'])
    pass(1000)
    controller.press('x')
    controller.press('y')
    await eventually(() => expect(controller.notice()).toBe(`Task ${taskId} is cancelled.`))
    await controller.reread()
    expect([controller.mode(), names()[0]]).toEqual([
      'inbox',
      expect.stringMatching(new RegExp(`^stalled ${taskId}: ✓ Task ${taskId} is cancelled\\. \\d\\d`)),
    ])
  })

  test('cancels a failed task with x, so that nothing waits any more', async () => {
    const taskId = await fails('tester-1')
    await open()
    controller.press('x')
    expect(controller.mode()).toBe('confirm')
    pass(1000)
    controller.press('y')
    await eventually(() => expect(controller.notice()).toBe(`Task ${taskId} is cancelled.`))
    await controller.reread()
    expect(names()[0]).toMatch(new RegExp(`^failed ${taskId}: ✓ Task ${taskId} is cancelled\\. `))
    expect(controller.state().board.attention).toEqual([])
  })

  test("cancels a task with an agent's command with x", async () => {
    const taskId = await commanded()
    await open()
    expect(names()).toEqual([`command ${taskId}`])
    expect(labels()).toEqual(['run', 'always'])
    controller.press('n')
    expect(controller.notice()).toBe('y runs it after a confirmation with the full command, x cancels the task.')
    controller.press('x')
    controller.press('y')
    await eventually(() => expect(controller.notice()).toBe(`Task ${taskId} is cancelled.`))
    await controller.reread()
    expect(names()[0]).toMatch(new RegExp(`^command ${taskId}: ✓ Task ${taskId} is cancelled\\. `))
  })

  test('answers a budget with one key if the list explains the keys, and opens it first otherwise', async () => {
    const taskId = await overspends()
    await open()
    expect(
      shown()
        .asked.map(({ text }) => text)
        .join(' '),
    ).toContain('y raises the budget by its initial amount, a removes the limit, x cancels the task')
    expect(labels()).toEqual(['raise', 'no limit'])
    controller.change(resized(60, 15))
    controller.press('y')
    expect([controller.mode(), controller.notice()]).toEqual([
      'budget',
      'Scroll to its end first; the same key answers it here.',
    ])
    controller.press('escape')
    controller.change(resized(120, 40))
    pass(1000)
    controller.press('y')
    await eventually(() =>
      expect(controller.notice()).toBe(`The budget of task ${taskId} is now $5.00; work continues.`),
    )
    await controller.reread()
    expect(labels()).toEqual(['allow', 'always'])
    expect([controller.mode(), names()[0]]).toEqual([
      'inbox',
      expect.stringMatching(/^budget \d: ✓ The budget of task \d is now \$5\.00; work continues\. \d\d/),
    ])
  })

  test('opens an integration before its approval, and never includes it in an answer for several', async () => {
    await fixture.addWorktree('auth')
    await fixture.makeReady('auth')
    await open()
    for (const key of ['y', ' ', '*', 'n', 'a', 'r'] as const) controller.press(key)
    expect([controller.mode(), inboxOf(controller.state())!.marked]).toEqual(['inbox', []])
    expect(controller.notice()).toContain('Only a failed task')
    controller.press('i')
    expect(controller.mode()).toBe('approval')
    controller.press('escape')
    expect(controller.mode()).toBe('inbox')
  })

  test('answers a question in words from the list', async () => {
    await joins('backend-1')
    const { id } = await perform(core, askHuman, { question: 'Which colour?', options: [] }, agent('backend-1'))
    await open()
    controller.press('y')
    expect((await requestNow(id)).status).toBe('open')
    controller.press('enter')
    expect(controller.mode()).toBe('form')
    controller.press('b', 'l', 'u', 'e')
    pass(1000)
    controller.press('enter')
    await statusOf(id, 'answered')
    expect(controller.mode()).toBe('inbox')
  })

  test('shows a failure once, with the number of tries', async () => {
    await fails('tester-1')
    await open()
    expect(shown().asked.map(({ text }) => text.trim())).toEqual([
      'task 1 failed: red',
      expect.stringMatching(/^failed at [\d:]+ after one attempt$/),
      expect.stringContaining('no retries left'),
    ])
  })

  test('labels n by its effect on a question', async () => {
    await asks('backend-1', 'npm test')
    await joins('backend-2')
    pass(1000)
    await perform(core, askHuman, { question: 'Which colour?', options: [] }, agent('backend-2'))
    await open()
    const no = () => footerOf(controller.state()).keys.find(({ keys }) => keys === 'n')?.label
    expect(no()).toBe('deny')
    controller.press('j')
    expect([atHand()?.kind, no()]).toEqual(['question', 'leave it'])
    controller.press('enter')
    controller.press('escape')
    controller.press('escape', 'w')
    expect([controller.mode(), no()]).toEqual(['request', 'deny'])
    controller.press('w')
    expect([controller.mode(), no()]).toEqual(['request', 'leave it'])
  })

  test('is also opened from a request, and returns there', async () => {
    await asks('backend-1', 'npm test')
    const { id } = await asks('backend-2', 'npm run lint')
    controller = await openController(fixture)
    controller.press('w')
    controller.press('w')
    expect(controller.mode()).toBe('request')
    controller.press('W')
    expect([controller.mode(), controller.notice(), atHand()?.requestId]).toEqual(['inbox', '', id])
    controller.press('escape')
    expect(controller.mode()).toBe('request')
    // A view that was opened from the list returns to it, and no key is accepted there before the list can be read.
    controller.press('W')
    controller.press(' ')
    controller.press('enter')
    expect(controller.mode()).toBe('request')
    controller.press('W')
    expect([controller.mode(), inboxOf(controller.state())!.marked.length]).toEqual(['inbox', 1])
    controller.press('escape')
    controller.press('escape')
    expect(controller.mode()).toBe('list')
  })

  test('is empty if nothing waits, and cannot be opened then', async () => {
    controller = await openController(fixture)
    controller.press('W')
    expect([controller.mode(), controller.notice()]).toEqual(['list', 'Nothing needs you.'])
  })
})

describe('an answer to several items', () => {
  test('marks similar items with *, asks one question that names each, and gives each an answer and a receipt of its own', async () => {
    const alike = [
      await asks('backend-1', 'npm test'),
      await asks('backend-2', 'npm test -- --watch=false'),
      await asks('backend-3', 'npm test src'),
    ]
    const other = await asks('backend-4', 'rm -rf build')
    await open()
    controller.press('*')
    expect(inboxOf(controller.state())!.marked).toHaveLength(3)
    controller.press('y')
    expect(controller.mode()).toBe('confirm')
    const { overlay } = controller.state().view
    const lines = overlay?.kind === 'confirm' ? overlay.lines : []
    expect(lines).toEqual([
      'Allows these 3 once each:',
      '· backend-1 asks to use Bash: npm test',
      '· backend-2 asks to use Bash: npm test -- --watch=false',
      '· backend-3 asks to use Bash: npm test src',
    ])
    expect(await Promise.all(alike.map(async ({ id }) => (await requestNow(id)).status))).toEqual([
      'open',
      'open',
      'open',
    ])
    controller.press('y')
    for (const { id } of alike) await statusOf(id, 'allowed')
    expect((await requestNow(other.id)).status).toBe('open')
    expect(controller.mode()).toBe('inbox')
    await controller.reread()
    expect(names().filter((name) => name.includes('reporting to'))).toHaveLength(3)
    expect(atHand()?.agentId).toBe('backend-4')
  })

  test('is named by the rules that the configuration would have if they are always allowed', async () => {
    for (const id of ['backend-1', 'backend-2']) await asks(id, 'npm test')
    await open()
    controller.press('*')
    controller.press('a')
    const { overlay } = controller.state().view
    expect(overlay?.kind === 'confirm' ? overlay.lines.at(-1) : '').toBe(
      'Rules added to the configuration: shell(npm test) for implementer',
    )
    controller.press('n')
  })

  test('continues after one refusal', async () => {
    const [one, two] = [await asks('backend-1', 'npm test'), await asks('backend-2', 'npm test')]
    await open()
    controller.press('*', 'n')
    await perform(core, answerRequest, { requestId: one.id, verdict: 'allow' }, person)
    controller.press('y')
    await statusOf(two.id, 'denied')
    expect((await requestNow(one.id)).status).toBe('allowed')
  })

  test('leaves all items open, with their marks, on n and esc', async () => {
    const { id } = await asks('backend-1', 'npm test')
    await open()
    controller.press('*', 'y')
    controller.press('escape')
    expect([controller.mode(), inboxOf(controller.state())!.marked.length, (await requestNow(id)).status]).toEqual([
      'inbox',
      1,
      'open',
    ])
  })

  test('is not possible for more items than can be read at once', async () => {
    for (let n = 1; n <= 4; n++) await asks(`backend-${n}`, 'npm test')
    await open()
    controller.change(resized(60, 10))
    controller.press('*', 'y')
    expect([controller.mode(), controller.notice()]).toEqual([
      'inbox',
      expect.stringContaining('The marked items need'),
    ])
  })
})

describe('the key w', () => {
  test('continues at the same place after an answer', async () => {
    const two = await fails('tester-1')
    await asks('backend-1', 'npm test')
    const three = await fails('tester-2')
    controller = await openController(fixture)
    controller.change((state) => ({ ...state, view: { ...state.view, task: 999 } }))
    controller.press('w')
    expect(controller.mode()).toBe('request')
    pass(1000)
    controller.press('y')
    await eventually(() => expect(controller.notice()).toContain('to use Bash once.'))
    await controller.reread()
    controller.press('w')
    expect(controller.state().view.task).toBe(two)
    // That one is answered too, and the next item is the one after it, not the first again.
    controller.press('r')
    await eventually(() => expect(controller.notice()).toContain('is pending again'))
    await asks('backend-9', 'npm run lint')
    await controller.reread()
    controller.press('w')
    expect(controller.state().view.task).toBe(three)
  })

  test('skips an unanswered item, and keys typed after it answer nothing', async () => {
    const first = await asks('backend-1', 'npm test')
    const second = await asks('backend-2', 'npm run lint')
    const two = await fails('tester-1')
    controller = await openController(fixture)
    const shownNow = () => controller.state().view.overlay
    controller.press('w')
    expect(shownNow()).toMatchObject({ kind: 'request', request: first.id })
    controller.press('w', 'y')
    expect(shownNow()).toMatchObject({ kind: 'request', request: second.id, behind: null })
    controller.press('w')
    expect([controller.mode(), controller.state().view.task]).toEqual(['list', two])
    expect([(await requestNow(first.id)).status, (await requestNow(second.id)).status]).toEqual(['open', 'open'])
  })
})

test('the key w in a view that was opened from the inbox moves to the next item, and the inbox and its marks remain below', async () => {
  await asks('backend-1', 'npm test')
  const second = await asks('backend-2', 'npm run lint')
  const two = await fails('tester-1')
  await open()
  controller.press(' ', 'g', 'enter')
  expect(controller.mode()).toBe('request')
  controller.press('w')
  expect(controller.state().view.overlay).toMatchObject({
    kind: 'request',
    request: second.id,
    behind: { kind: 'inbox', marked: [expect.any(String)] },
  })
  // An item without a view of its own is shown in the list.
  controller.press('w')
  expect([
    controller.mode(),
    atHand()?.kind,
    controller.state().view.task,
    inboxOf(controller.state())!.marked.length,
  ]).toEqual(['inbox', 'failed', two, 1])
})

test('keys in one piece never pass between a question and a changed configuration', async () => {
  await asks('backend-1', 'npm test')
  await perform(core, recordGuard, { found: { hash: 'before', entries: {} }, lines: [] }, system())
  await perform(core, recordGuard, { found: { hash: 'after', entries: {} }, lines: ['+ config a = 1'] }, system())
  controller = await openController(fixture)
  for (let presses = 0; controller.mode() !== 'request' && presses < 3; presses++) {
    controller.press('w')
    await new Promise((done) => setTimeout(done, 50))
  }
  expect(controller.mode()).toBe('request')
  controller.press('w', 'x')
  await eventually(() => expect(controller.mode()).toBe('guard'))
  expect(controller.state().view.overlay?.behind).toBeNull()
})

describe('an announcement', () => {
  const ms = 60

  test('reports new items once and together, but not visible, earlier or muted ones', async () => {
    await asks('backend-1', 'npm test')
    const store = makeStore(core.clock())
    const test = await openController(fixture)
    store.setState(boardArrived(test.state().board), true)
    const told: string[] = []
    let idle = Infinity
    const stop = startAnnouncer(
      store,
      { quiet: ['failed'] },
      { announce: (text) => told.push(text), idle: () => idle, calm: ms, away: 4 * ms },
    )
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
    await eventually(() => expect(told).toEqual(['2 items need you: backend-2 asks to use Bash: npm run lint; …']))
    await arrive()
    await settle()
    expect(told).toHaveLength(1)

    // Keys are pressed, and the rows of the agents have room: an item is marked there.
    idle = 0
    await asks('backend-4', 'make')
    await arrive()
    await settle()
    expect(told).toHaveLength(1)
    // No key was pressed since then, and the item still waits.
    idle = 4 * ms
    await eventually(() => expect(told.slice(1)).toEqual(['backend-4 asks to use Bash: make']))
    await settle()
    expect(told).toHaveLength(2)

    // The logs show no rows.
    idle = 0
    store.setState(
      (state) => ({ ...state, view: { ...state.view, pane: 'log', size: { columns: 60, rows: 15 } } }),
      true,
    )
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

test('an item that arrives while a shell has the terminal is announced, whatever was on the screen', async () => {
  const heard: string[] = []
  let leave = (): void => {}
  const screen = openScreen(fixture, {
    columns: 100,
    rows: 30,
    announce: (text) => heard.push(text),
    openShell: () => new Promise((done) => (leave = done)),
  })
  await asks('backend-1', 'npm test')
  await screen.shows('⚑ 1 needs you')
  // After the first second, in which nothing is announced.
  await new Promise((done) => setTimeout(done, 1100))
  await screen.press('o')
  await asks('backend-2', 'npm run lint')
  await eventually(() => expect(heard).toEqual(['backend-2 asks to use Bash: npm run lint']))
  leave()
  await screen.close()
})

describe('the inbox on a screen', () => {
  test('shows the keys for the item under the cursor on a narrow screen', async () => {
    await fails('backend-1')
    await fixture.addWorktree('pay')
    await fixture.makeReady('pay')
    const screen = openScreen(fixture, { columns: 60, rows: 15 })
    await screen.shows('2 need you')
    await screen.press('W')
    await screen.shows(/enter open {2}i .*\? help +esc back/)
    expect(screen.text()).not.toContain('r retry')
    await screen.press('j')
    await screen.shows(/enter open {2}r retry .*\? help +esc back/)
    await screen.close()
  })

  test('shows a sentence longer than the screen completely, and keeps the rows in place', async () => {
    for (const name of ['pay', 'ship']) {
      await fixture.addWorktree(name)
      await fixture.makeReady(name)
    }
    for (const { columns, rows } of [
      { columns: 80, rows: 24 },
      { columns: 60, rows: 15 },
    ]) {
      const screen = openScreen(fixture, { columns, rows })
      await screen.shows('2 need you')
      await screen.press('W')
      await screen.shows('Asked')
      const listed = () => screen.text().split('\n').slice(1, 5)
      const before = listed()
      await screen.press('y')
      await screen.shows(/Press enter\s+to\s+review\s+the\s+commits;\s+y\s+there\s+approves\s+exactly\s+these\./)
      expect(listed()).toEqual(before)
      await screen.shows(/esc back/)
      await screen.close()
    }
  })

  test('shows the answers that an agent offers before one is chosen', async () => {
    await joins('backend-1')
    await perform(core, askHuman, { question: 'Which colour?', options: ['red', 'sky {yes} blue'] }, agent('backend-1'))
    const screen = openScreen(fixture, { columns: 80, rows: 24 })
    await screen.shows('1 needs you')
    await screen.press('w')
    await screen.shows('1. red')
    await screen.shows(/^ n leave it {2}1–9 choose {2}enter answer {2}/m)
    await screen.press('\r')
    await screen.shows(/Answer: Which colour\?[^]*choose: red, sky \{yes\} blue/)
    await screen.close()
  })

  test('counts one hidden line and one unlisted failure in the singular', async () => {
    for (let n = 0; n < 101; n++) await fails(`backend-${n}`)
    pass(1000)
    const { input } = await asks('backend-200', 'one\ntwo\nthree\nfour\nfive')
    expect(input).not.toBeNull()
    const screen = openScreen(fixture, { columns: 80, rows: 15 })
    await screen.shows('101 need you')
    await screen.press('W')
    await screen.shows(/1 older failure not listed/)
    await screen.shows(/\d more lines?: enter/)
    expect(screen.text()).not.toContain('1 more lines')
    await screen.close()
  })

  test('is read to a screen reader as sentences, with the keys that are inactive now', async () => {
    await fails('backend-1')
    await fixture.addWorktree('pay')
    await fixture.makeReady('pay')
    const screen = openScreen(fixture, { columns: 150, rows: 40, environment: { INK_SCREEN_READER: '1' } })
    await screen.shows('2 need you')
    await screen.press('W')
    await screen.shows(/Selected: approval for less than a minute, [^]*\n *failed for less than a minute, .*red/)
    await screen.shows(/i integrate, .*esc back, not now: y allow, .*r retry/)
    expect(screen.text().slice(screen.text().indexOf('Inbox'))).not.toMatch(/[▸◂●○◌◍✗⚑]/)
    await screen.press('j')
    await screen.shows(/Selected: failed for .*red[^]*r retry, .*not now: .*i integrate/)
    await screen.press('\r')
    await screen.shows(/Error, unfolded\n/)
    await screen.close()
  })

  test('shows how many failed tasks are too many to list', async () => {
    for (let n = 0; n < 103; n++) await fails(`backend-${n}`)
    const screen = openScreen(fixture, { columns: 100, rows: 24 })
    await screen.shows('100 need you')
    await screen.press('W')
    await screen.shows(/Inbox.*3 older failures not listed.*1–4 of 100/)
    await screen.close()
  })

  test('shows the list, the request and the receipt, and rings for new items', async () => {
    await asks('backend-1', 'npm test')
    const heard: string[] = []
    const screen = openScreen(fixture, { columns: 100, rows: 24, announce: (text) => heard.push(text) })
    await screen.shows('⚑ 1 needs you')
    await screen.press('W')
    await screen.shows(/\[Inbox\][^]*▸ {2}\? permission .*backend-1 asks to use Bash: npm test[^]*Asked[^]*npm test/)
    pass(1000)
    await screen.press('y')
    await screen.shows(/… allowed .* reporting to backend-1 …/)
    await screen.press('\u001b')
    await screen.shows('[1 Board]')
    // After the first second, in which nothing is announced.
    await new Promise((done) => setTimeout(done, 1100))
    expect(screen.written.join('')).not.toContain('\u0007')
    // A view covers the rows.
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
