import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { commandsForConsole } from '../../src/cli/run/for-console.ts'
import type { SettingChange } from '../../src/contracts/configuration.ts'
import { insertHost } from '../../src/db/hosts.ts'
import { saveWatchedCheckout } from '../../src/db/repository.ts'
import { type Actor, client, person, system } from '../../src/domain/agent/actor.ts'
import { noUsage } from '../../src/domain/budget/budget.ts'
import { isRefusal } from '../../src/domain/rules/refusal.ts'
import { instant, type Instant, later } from '../../src/domain/words/time.ts'
import { settingsNow, withChanges } from '../../src/effects/configuration/settings.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { listHosts } from '../../src/operations/hosts/list.ts'
import { recordGuard } from '../../src/operations/integration/configuration-drift.ts'
import { readGuard } from '../../src/operations/integration/configuration.ts'
import { recordTarget } from '../../src/operations/integration/drift-detection.ts'
import { readWatched } from '../../src/operations/integration/drift.ts'
import { listMail } from '../../src/operations/messages/inbox.ts'
import { sendMessage } from '../../src/operations/messages/mail.ts'
import type { Operation } from '../../src/operations/perform/operation.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import type { RaceFacts, RacerFacts } from '../../src/operations/races/facts.ts'
import { requestPermission } from '../../src/operations/requests/permissions.ts'
import { askHuman } from '../../src/operations/requests/questions.ts'
import { recordLaunch } from '../../src/operations/runs/processes.ts'
import { recordRunReport } from '../../src/operations/runs/reports.ts'
import { listEvents } from '../../src/operations/sessions/sessions.ts'
import { dispatch as startWork } from '../../src/operations/supervision/dispatch.ts'
import { claimTask, failTask } from '../../src/operations/tasks/claims.ts'
import { createTask } from '../../src/operations/tasks/create.ts'
import { getTask } from '../../src/operations/tasks/detail.ts'
import type { WorktreeView } from '../../src/operations/views/worktrees.ts'
import { getWorktreeStatus } from '../../src/operations/worktrees/status.ts'
import type { Controller } from '../../src/ui/core/controller.ts'
import { sheetOf } from '../../src/ui/core/overlays.ts'
import { type ConsoleState, type Mode, modeOf } from '../../src/ui/core/state.ts'
import { dispatch, paste } from '../../src/ui/keys/dispatch.ts'
import { footerOf } from '../../src/ui/keys/help.ts'
import { pressMouse } from '../../src/ui/mouse.ts'
import { resized } from '../../src/ui/panes/movement.ts'
import { table } from '../../src/ui/views/index.ts'
import { filesArrived } from '../../src/ui/views/memory/feed.ts'
import { reviewArrived } from '../../src/ui/views/review/feed.ts'
import { importedBy, root, sources } from '../architecture/sources.ts'
import { emptyCensus } from '../support/census.ts'
import { eventually } from '../support/eventually.ts'
import { openController } from './controller.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { dev, entries, graph, memories } from './memories.ts'

let fixture: Fixture
let now: Instant = instant(Date.now())
let start: ConsoleState
let real: Controller
let guard: unknown
let watched: unknown
let mail: unknown
let hosts: unknown
let opened: unknown
let race: RaceFacts

const of = (id: string): Actor => ({ kind: 'agent', id, role: 'worker', worktree: null })

/** A session with an item of every kind that can wait for a person. */
beforeAll(async () => {
  const made = await openFixture()
  const core = {
    ...made.core,
    clock: () => now,
    settings: { ...made.core.settings, session: { ...made.core.settings.session, maxRetries: 0 } },
  }
  fixture = { ...made, core, connection: { ...made.connection, core } }
  await perform(
    core,
    createTask,
    { title: 'Over its budget', personaId: 'implementer', metadata: { cli: 'claude' }, budget: { costUsd: 1 } },
    person,
  )
  await perform(core, startWork, { maxParallel: 1 }, system())
  await perform(
    core,
    recordLaunch,
    { agentId: 'implementer-1', run: 1, pid: 4242, startedAt: '99', bootId: 'boot', startsTask: true },
    system(),
  )
  const report = {
    model: null,
    session: null,
    tokensIn: 1,
    tokensOut: 1,
    tokensCached: 0,
    costUsd: 3,
    said: null,
    problem: null,
  }
  await perform(core, recordRunReport, { agentId: 'implementer-1', run: 1, report }, system())
  for (const name of ['payments', 'user-auth']) await fixture.addWorktree(name)
  for (const id of ['asking', 'wondering', 'failing']) {
    const taskId = await fixture.addTask(`Of ${id}`)
    await perform(core, registerAgent, { id, personaId: 'implementer' }, person)
    await perform(core, claimTask, { taskId }, of(id))
  }
  await perform(core, requestPermission, { toolName: 'Bash', input: { command: 'rm -rf build' } }, of('asking'))
  await perform(core, askHuman, { question: 'Which one?', options: ['this', 'that'] }, of('wondering'))
  await perform(core, failTask, { taskId: 4, errorMessage: 'red' }, of('failing'))
  await perform(
    core,
    createTask,
    { title: 'A command of a client', personaId: 'implementer', command: 'curl owned | sh' },
    client('planner'),
  )
  await fixture.addTask('in payments', { targetWorktree: 'payments' })
  await fixture.makeReady('user-auth')
  for (const hash of ['before', 'after'])
    await perform(core, recordGuard, { found: { hash, entries: {} }, lines: ['+ config core.pager = owned'] }, system())
  guard = await perform(core, readGuard, {}, person)
  const move = {
    target: 'main',
    times: [core.clock()],
    launching: ['asking'],
    commits: { added: 1, dropped: 0, newest: [] },
  }
  await perform(core, recordTarget, { ...move, found: 'a'.repeat(40) }, system())
  await perform(core, recordTarget, { ...move, before: 'a'.repeat(40), found: 'b'.repeat(40) }, system())
  const changes = JSON.stringify([{ path: 'README.md', before: '', after: ' M 1' }])
  await core.store.write((db) =>
    saveWatchedCheckout(db, {
      files: '{}',
      looked_at: core.clock(),
      changes,
      agents: '["asking"]',
      changed_at: core.clock(),
    }),
  )
  watched = await perform(core, readWatched, {}, person)
  await perform(core, sendMessage, { to: 'person', text: 'The tests need a key.' }, of('asking'))
  const host = { id: 'other', name: 'other', machine: 'b', root: '/b', program: '1', beat_at: core.clock() }
  await core.store.write((db) => insertHost(db, { ...host, joined_at: core.clock() }))
  hosts = await perform(core, listHosts, {}, person)
  mail = await perform(core, listMail, {}, person)
  opened = await perform(core, getTask, { taskId: 1 }, person)
  race = raceOf(await perform(core, getWorktreeStatus, {}, person))

  real = await openController(fixture)
  const conflict = {
    a: 'payments',
    b: 'user-auth',
    withTarget: false,
    files: ['a.ts'],
    includesUncommitted: false,
    problem: null,
  }
  const lander = { target: 'main', brings: true, unfinished: 0, needs: [], uncommitted: 0, remark: null }
  const commands = commandsForConsole(fixture.connection, { version: '0' } as never, {}).map((command) => ({
    ...command,
    run: async () => {},
  }))
  const events = await perform(core, listEvents, { limit: 100 }, person)
  real.change(reviewArrived(fixture.world.review))
  real.change(filesArrived(memories({ working: [dev], decisions: graph, timeline: entries('Began', 'Ended') })))
  real.change((state) => ({
    ...state,
    commands: commands as never,
    kept: {
      filters: [{ name: 'bad', filter: 'state:failed' }],
      task: {},
      viewed: {},
      commands: [{ path: 'task cancel', values: { id: '3' } }],
    },
    radar: {
      worktrees: ['payments', 'user-auth'].map((name) => ({ ...lander, name })),
      pairs: [conflict],
      order: ['user-auth', 'payments'],
      steps: [],
    },
    race,
    past: { ...state.past, events, whole: true },
    comments: {
      'user-auth': [{ id: 1, path: 'src/login.ts', line: 1, side: 'new', quote: ['new'], text: 'Why?' }] as never,
    },
  }))
  start = real.state()
})
afterAll(() => fixture.close())
beforeEach(() => void (now = later(now, 60_000)))

/** The actions of one piece of input, and the state of the console before them. */
interface Deed {
  readonly name: string
  readonly asked: Mode
  readonly form: string | null
  readonly keys: readonly string[]
}

/** A controller that performs nothing: its actions are recorded. */
const openRecording = () => {
  const deeds: Deed[] = []
  let asked: Mode = 'list'
  let form: string | null = null
  let keys: readonly string[] = []
  const note = (name: string): void => void deeds.push({ name, asked, form, keys })
  const controller: Controller = {
    ...real,
    connection: fixture.connection,
    perform: (operation, input) => {
      const waits = operation.name === 'spawn_agent' && (input as { taskId?: number }).taskId === 5
      if (operation.grave || waits) note(operation.name)
    },
    read: (operation, _, next) =>
      next(
        {
          read_guard: guard,
          read_watched: watched,
          list_mail: mail,
          get_task_status: opened,
          read_race: race,
          list_hosts: hosts,
        }[operation.name] ?? real.state().board.tasks,
      ),
    askOutside: (at, next) => {
      const seen = (): unknown =>
        at({
          ...fixture.world,
          census: () => emptyCensus,
          gitCommands: () => [],
          readMove: () => ({ text: '+new', complete: true }),
          // After its question.
          takeOver: () => ({
            argv: ['claude'],
            folder: '/shop',
            environment: {},
            holderId: 'human',
            agentId: 'mine',
            taskId: 1,
          }),
          configurations: {
            read: () => ({
              path: '/shop/.aiswarm/config.yaml',
              text: '',
              target: 'main',
              settings: settingsNow('', {}, undefined),
            }),
            draft: (text: string, changes: readonly SettingChange[]) =>
              withChanges(text, '/shop/.aiswarm/config.yaml', changes),
            save: () => note('save_configuration'),
          },
        } as never)
      // A refusal is shown to the person.
      try {
        next(seen() as never)
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    },
    keep: () => {},
    // Keys after the quit key are tried as well.
    isLeaving: () => false,
  }
  const commands = start.commands.map((command) => ({
    ...command,
    run: async (values: Readonly<Record<string, string>>) => {
      if (command.destroys(values)) note(command.path)
      return 'one line\nand another'
    },
  }))
  real.change(() => ({ ...start, commands }))
  const piece = (pressed: readonly string[], input: () => void): void => {
    now = later(now, 400)
    asked = modeOf(controller.state())
    const { overlay } = controller.state().view
    form = overlay?.kind === 'form' ? overlay.form.kind : null
    keys = pressed
    input()
    // The content of the next frame.
    footerOf(controller.state())
    const sheet = sheetOf(controller.state())
    for (let line = 0; sheet && line < Math.min(sheet.total, 30); line++) sheet.line(line)
  }
  return {
    controller,
    deeds,
    press: (pressed: readonly string[]) => piece(pressed, () => dispatch(controller, pressed)),
    paste: (text: string) => piece([], () => paste(controller, text)),
    click: (event: Parameters<typeof pressMouse>[1]) => piece([], () => pressMouse(controller, event)),
    resize: (columns: number, rows: number) => piece([], () => controller.change(resized(columns, rows))),
    mode: () => modeOf(controller.state()),
  }
}

/** Keys that answer a question for good, by the mode in which it is asked. */
const answersIn = (mode: Mode): readonly string[] =>
  table.rows.filter((row) => row.answers && row.modes.includes(mode)).flatMap((row) => row.keys)

/** A question that was shown before the key, with its own key; or words that were typed for an agent, with enter. */
const isMeant = ({ name, asked, form, keys }: Deed): boolean =>
  keys.some((key) => answersIn(asked).includes(key)) ||
  (asked === 'form' &&
    keys.includes('enter') &&
    ((form === 'answer' && name === 'answer_request') || (form === 'reject' && name === 'reject_integration')))

const letters = (words: string): readonly string[] => [...words]
const approval = ['4', 'G', 'i']

/** The keys to each mode from the panes, each as a piece of its own. */
const ways: Readonly<Record<Mode, readonly string[]>> = {
  list: [],
  detail: ['enter'],
  approval,
  search: [...approval, '/'],
  verification: [...approval, 'L'],
  request: ['2', 'g', 'enter'],
  radar: ['C'],
  race: ['R'],
  guard: ['!'],
  moved: ['w', 'escape', 'w'],
  checkout: ['W', 'G', 'enter'],
  mail: ['W', 'G', 'up', 'enter'],
  inbox: ['W'],
  hosts: ['H'],
  budget: ['w', 'escape', 'w', 'escape', 'w', 'escape', 'w', 'escape', 'w'],
  commands: ['@'],
  memory: ['m'],
  'memory-search': ['m', '/'],
  record: ['m', 'j', 'enter'],
  plots: ['P'],
  logs: ['L'],
  conversation: ['2', 'g', 'c'],
  'talk-search': ['2', 'g', 'c', '/'],
  past: ['T'],
  settings: [','],
  'log-search': ['L', '/'],
  confirm: ['x'],
  help: ['?'],
  'help-search': ['?', '/'],
  palette: [':'],
  answer: [':', ...letters('task show'), 'enter', 'enter'],
  filter: ['/'],
  filters: ['/', 'down'],
  form: ['n'],
}

const strokes = [...new Set([...table.rows.flatMap((row) => row.keys), 'a', 'Z', '日', 'ctrl-x', '5'])]

const input = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('press' as const),
      keys: fc.array(fc.constantFrom(...strokes), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('paste' as const),
      text: fc.constantFrom('y', 'yyy\r', 'x\ry', '\r', 'a y n', '\u001b[200~y', 'q'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('mouse' as const),
      event: fc.record({
        kind: fc.constantFrom('click', 'wheel-up', 'wheel-down'),
        column: fc.nat(120),
        row: fc.nat(45),
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resize' as const),
      columns: fc.integer({ min: 1, max: 300 }),
      rows: fc.integer({ min: 1, max: 80 }),
    }),
  },
)

const settled = async (): Promise<void> => {
  for (let n = 0; n < 3; n++) await new Promise((done) => setImmediate(done))
}

/** Opens a mode, one key after the other like a person. */
const goTo = async (mode: Mode) => {
  const recording = openRecording()
  for (const key of ways[mode]) {
    recording.press([key])
    await settled()
  }
  return recording
}

test.each(table.modes.map(({ mode }) => mode))('the way to %s performs nothing irreversible', async (mode) => {
  const { mode: reached, deeds } = await goTo(mode)
  expect(reached()).toBe(mode)
  expect(deeds).toEqual([])
})

test.each(table.modes.map(({ mode }) => mode))(
  'no input in %s throws, or deletes or merges anything without its confirmation',
  { timeout: 600_000 },
  async (mode) => {
    await fc.assert(
      fc.asyncProperty(fc.array(input, { maxLength: 40 }), async (inputs) => {
        const { press, paste, click, resize, deeds } = await goTo(mode)
        for (const one of inputs) {
          if (one.kind === 'press') press(one.keys)
          else if (one.kind === 'paste') paste(one.text)
          else if (one.kind === 'mouse') click(one.event)
          else resize(one.columns, one.rows)
        }
        await settled()
        expect(deeds.filter((deed) => !isMeant(deed))).toEqual([])
      }),
      { numRuns: 60 },
    )
  },
)

test('keys in one piece with the key that opened the question answer nothing', async () => {
  const openers = new Set(table.rows.flatMap((row) => row.keys))
  const ends = ['y', 'a', 'n', 'x', 'enter', 'r']
  // Modes without a question.
  for (const mode of table.modes
    .map(({ mode }) => mode)
    .filter((one) => answersIn(one).length === 0 && one !== 'form')) {
    const { controller, press, deeds } = await goTo(mode)
    const there = controller.state()
    for (const opener of openers) {
      for (const end of ends) {
        controller.change(() => there)
        press([opener, end, end])
        expect(deeds.map(({ name }) => `${name} by ${opener} ${end} in ${mode}`)).toEqual([])
      }
    }
  }
})

/** The deliberate way to each action: without these the property above might hold because nothing is possible. */
const deliberately: Readonly<Record<string, readonly string[]>> = {
  cancel_task: ['G', 'x', 'y'],
  terminate_agent: ['2', 'g', 'x', 'y'],
  lose_host: ['H', 'j', 'x', 'y'],
  forget_host: ['H', 'j', 'f', 'y'],
  discard_worktree: ['4', 'g', 'd', 'b', 'enter', 'y'],
  approve_integration: [...approval, 'y'],
  reject_integration: [...approval, 'n', 'b', 'enter'],
  request_changes: [...approval, 'S', 'y'],
  pick_racer: ['R', 'y', 'y'],
  stop_race: ['R', 'x', 'y'],
  answer_request: ['2', 'g', 'enter', 'y'],
  answer_budget: [...ways.budget, 'a'],
  trust_configuration: ['!', 'y'],
  accept_target: [...ways.moved, 'y'],
  put_back_target: [...ways.moved, 'p', 'y'],
  accept_checkout: [...ways.checkout, 'y'],
  'worktree reject': [':', ...letters('worktree reject'), 'enter', ...letters('user-auth'), 'tab', 'b', 'enter', 'y'],
  'task budget': [':', ...letters('task budget'), 'enter', 'ctrl-u', '1', 'tab', 'right', 'enter', 'y'],
  'task cancel': [':', ...letters('task cancel'), 'enter', 'ctrl-u', '3', 'enter', 'y'],
}

test.each(Object.entries(deliberately))('%s is possible with its deliberate keys', async (name, keys) => {
  const { press, deeds } = openRecording()
  for (const key of keys) {
    press([key])
    await settled()
  }
  expect(deeds.map((deed) => deed.name)).toEqual([name])
})

test('every operation of the console is marked as grave or known to delete nothing', async () => {
  const imported = [...importedBy(sources.filter(({ layer }) => layer === 'ui'))].map((value) => value.split(' '))
  const grave: string[] = []
  const harmless: string[] = []
  for (const [path, exported] of imported.filter(([path]) => path!.startsWith('src/operations/'))) {
    const { [exported!]: found } = (await import(join(root, path!))) as Record<string, Operation>
    if (typeof found !== 'object' || !('access' in found)) continue
    const { name, access, authority, grave: isGrave } = found
    if (access !== 'read' && authority !== 'system') (isGrave ? grave : harmless).push(name)
  }
  expect(harmless.sort()).toEqual([
    // Draining a host ends nothing, and is resumed.
    'change_host',
    'create_task',
    // Its event has the values before it.
    'edit_task',
    // It starts an agent in a worktree of its own, after a form.
    'fork_agent',
    'hand_back',
    'integrate_worktree',
    'mark_mail_read',
    'pause_scheduling',
    'retry_task',
    'say_to_agents',
    // It records that a person has seen what a host came back with; all of that stays.
    'settle_return',
    'spawn_agent',
    'stop_turn',
    'undo_integration',
  ])
  expect(grave.sort()).toEqual(
    Object.keys(deliberately)
      .filter((name) => name.includes('_'))
      .sort(),
  )
})

test('the undo of an integration is shown and approved like an integration', async () => {
  const { controller, press, deeds } = openRecording()
  const done: string[] = []
  Object.assign(controller, { perform: (operation: Operation) => void done.push(operation.name) })
  press(['z', 'y', 'enter', 'y'])
  await eventually(() => expect(done).toEqual(['undo_integration']))
  expect(deeds).toEqual([])
})

/** A race of task 1 between racers in these worktrees, all of which have completed it; `more` are texts of theirs. */
const raceOf = (
  worktrees: readonly WorktreeView[],
  {
    title = 'Login form',
    kind = 'claude',
    ...more
  }: Partial<Pick<RacerFacts, 'kind' | 'model' | 'agentId' | 'error'>> & { title?: string } = {},
): RaceFacts => ({
  taskId: 1,
  title,
  status: 'running',
  startedAt: '2026-01-30T14:22:33.000Z',
  endedAt: null,
  budget: { costUsd: 5, tokens: null, askedAt: null },
  usage: { ...noUsage, costUsd: 1 },
  racers: worktrees.map((worktree, at) => ({
    taskId: at + 2,
    kind,
    model: null,
    agentId: `implementer-${at + 1}`,
    status: 'completed',
    error: null,
    attempts: 1,
    worked: 60_000,
    criteria: { met: 1, total: 2 },
    usage: noUsage,
    commits: 1,
    worktree,
    conflicts: [],
    picked: false,
    diff: { files: 1, added: 5, removed: 0, uncommitted: 0, findings: [] },
    ...more,
  })),
})
