import { setTimeout as pause } from 'node:timers/promises'
import { render } from 'ink'
import { createElement } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { StoreApi } from 'zustand/vanilla'
import { person } from '../../src/domain/agent/actor.ts'
import { isRefusal } from '../../src/domain/rules/refusal.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { cancelTask } from '../../src/operations/tasks/cancel.ts'
import { claimTask, completeTask, failTask, reportTaskProgress } from '../../src/operations/tasks/claims.ts'
import { retryTask } from '../../src/operations/tasks/retry.ts'
import { runConsole } from '../../src/ui/console.tsx'
import { makeController } from '../../src/ui/core/controller.ts'
import { layoutOf } from '../../src/ui/core/layout.ts'
import type { ConsoleState } from '../../src/ui/core/state.ts'
import { App } from '../../src/ui/screen/App.tsx'
import { eventually } from '../support/eventually.ts'
import { connectionOf } from '../support/store.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { openTerminal, type Terminal } from './terminal.ts'

// After any event, the quiet screen shows exactly the database. By hand, for any time: TRUTH_SEED=1 TRUTH_STEPS=20000
// npx vitest run test/ui/truth.test.ts

const stores: StoreApi<ConsoleState>[] = []

// The console's caches are inspected, not changed.
vi.mock(import('../../src/ui/store.ts'), async (original) => {
  const { makeStore } = await original()
  return { makeStore: (now) => stores[stores.push(makeStore(now)) - 1]! }
})

const seed = Number(process.env['TRUTH_SEED'] ?? 7)
const count = Number(process.env['TRUTH_STEPS'] ?? 50)

let fixture: Fixture
beforeEach(async () => void (fixture = await openFixture()))
afterEach(() => fixture.close())

interface Console {
  readonly terminal: Terminal
  readonly store: StoreApi<ConsoleState>
  readonly close: () => Promise<void>
}

const open = async (columns: number, rows: number): Promise<Console> => {
  const terminal = openTerminal({ columns, rows })
  const { connection, core } = fixture
  const ended = runConsole(
    {
      connection,
      repository: { name: 'shop', branch: 'main' },
      watch: (changed) => {
        let seen = core.store.version()
        const timer = setInterval(() => {
          if (core.store.version() !== seen) changed()
          seen = core.store.version()
        }, 20)
        return () => clearInterval(timer)
      },
      supervisor: () => ({ here: true, pid: null }),
      openShell: async () => {},
      openEditor: async () => {},
    },
    { stdin: terminal.stdin, stdout: terminal.stdout, environment: {} },
  )
  const store = stores.at(-1)!
  const close = async (): Promise<void> => {
    terminal.reads(true)
    terminal.press('\u0003')
    await ended
    terminal.dispose()
  }
  await eventually(async () => expect((await terminal.lines()).map(({ text }) => text).join('\n')).toContain('1 Board'))
  return { terminal, store, close }
}

/** The frame of a fresh program for the same state. */
const drawnFromNothing = async ({ store, terminal }: Console): ReturnType<Terminal['lines']> => {
  const { columns, rows } = terminal.stdout
  const other = openTerminal({ columns, rows })
  // Like the console: lines end at the edge.
  other.scribble('\u001b[?7l')
  const controller = makeController(fixture.connection, store, {
    refresh: () => {},
    openShell: () => {},
    openEditor: () => {},
    quit: () => {},
  })
  const app = createElement(App, {
    store,
    controller,
    repository: { name: 'shop', branch: 'main' },
    onKey: () => {},
    onTerminal: () => () => {},
  })
  const drawing = render(app, {
    stdin: other.stdin,
    stdout: other.stdout,
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
  })
  const lines = await other.lines()
  drawing.unmount()
  drawing.cleanup()
  other.dispose()
  return lines
}

type Task = ReturnType<typeof statusesOf>[number]

const meets: Readonly<Record<string, (task: Task) => boolean>> = {
  '': () => true,
  pay: ({ title }) => title.toLowerCase().includes('pay'),
  'state:completed': ({ status }) => status === 'completed',
  'state:pending': ({ status }) => status === 'pending',
  'is:over': ({ status }) => ['completed', 'failed', 'cancelled'].includes(status),
  '-is:over': ({ status }) => !['completed', 'failed', 'cancelled'].includes(status),
}

const marks: Readonly<Record<string, RegExp>> = {
  completed: /✓ done/,
  failed: /✗ failed/,
  cancelled: /cancel/,
  claimed: /claimed|⚑/,
  in_progress: /working|⚑/,
  pending: /pending|retries in/,
}

/** The errors in the rows of the board, compared with the database. */
const wrongRows = ({ store }: Console, lines: readonly { readonly text: string }[]): readonly string[] => {
  const { view, preferences } = store.getState()
  const filter = meets[view.filter]
  if (view.shape.as !== 'list' || view.overlay !== null || !filter) return []
  const { columns, rows } = view.size
  const room = layoutOf(columns, rows, view.pane, 0, preferences.arrangement).rooms.board
  if (!room) return []
  const there = statusesOf(fixture).filter(filter)
  const shown = lines.slice(room.top + 1, room.top + room.height).flatMap(({ text }) => {
    const [, id, rest] = /^..\s*(\d+) (.*)/.exec(text.slice(room.left, room.left + room.width)) ?? []
    return id === undefined ? [] : [{ id: Number(id), rest: rest! }]
  })
  const fits = Math.min(there.length, Math.max(1, room.height - 1))
  const ids = shown.map(({ id }) => id)
  const from = there.findIndex(({ id }) => id === ids[0])
  return [
    ...(ids.length === fits ? [] : [`${ids.length} rows of ${fits}: ${ids.join()}`]),
    ...(view.sorts.board === undefined &&
    ids.join() !==
      there
        .slice(Math.max(0, from), Math.max(0, from) + ids.length)
        .map(({ id }) => id)
        .join()
      ? [`rows that do not follow each other: ${ids.join()}`]
      : []),
    ...(new Set(ids).size === ids.length ? [] : [`rows twice: ${ids.join()}`]),
    ...(view.task !== null && there.some(({ id }) => id === view.task) && !ids.includes(view.task) && ids.length > 0
      ? [`the selected ${view.task} is not among ${ids.join()}`]
      : []),
    ...shown.flatMap(({ id, rest }) => {
      const task = there.find((one) => one.id === id)
      if (!task) return [`${id} is not there`]
      return marks[task.status]!.test(rest) ? [] : [`${id} is ${task.status}, not: ${rest}`]
    }),
  ]
}

/** Waits for a moment without errors; returns the errors of each check, for as long as the screen may take. */
const wrong = async (console: Console): Promise<readonly string[]> => {
  const until = Date.now() + 30_000
  for (let looks = 0; ;) {
    const state = console.store.getState()
    const expected = await drawnFromNothing(console)
    const seen = await console.terminal.lines()
    // If a second has passed meanwhile, or more was read, the two are not of the same moment.
    if (console.store.getState() !== state) continue
    const differ = seen.flatMap(({ text, look }, row) =>
      look === expected[row]?.look ? [] : [`line ${row}\nis      ${text}\nand not ${expected[row]?.text}`],
    )
    const found = [...differ, ...wrongRows(console, seen)]
    if (found.length === 0 || (++looks > 20 && Date.now() > until)) return found
    await pause(20)
  }
}

/** Pseudo-random numbers, the same for the same seed. */
const rolling = (start: number): Roll => {
  let state = start >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % Math.max(1, below)
  }
}

test(
  'the screen equals a fresh one and shows the database after any sequence of events',
  { timeout: 600_000 + count * 1000 },
  async () => {
    const roll = rolling(seed)
    const all = steps.flatMap((step) => Array.from({ length: step.weight }, () => step))
    const console = await open(200, 40)
    const happened: string[] = []
    try {
      for (let n = 0; n < count; n++) {
        // Several events at once, or nearly, and then a quiet moment.
        for (let more = 1 + roll(6); more > 0; more--) {
          const step = all[roll(all.length)]!
          happened.push(step.name)
          await step.happen({ fixture, terminal: console.terminal, roll })
          if (roll(2) === 0) await pause(roll(40))
        }
        console.terminal.reads(true)
        // A playing past is never quiet.
        const { overlay } = console.store.getState().view
        if (overlay?.kind === 'past' && overlay.playing) console.terminal.press('\u001b')
        expect(await wrong(console), `seed ${seed}, step ${n}: ${happened.slice(-12).join(', ')}`).toEqual([])
      }
    } finally {
      await console.close()
    }
  },
)

// The possible events of a console, one at a time.

/** A number from 0 up to and excluding this one. */
type Roll = (below: number) => number

interface Step {
  readonly name: string
  readonly weight: number
  readonly happen: (where: {
    readonly fixture: Fixture
    readonly terminal: Terminal
    readonly roll: Roll
  }) => Promise<unknown> | void
}

/** Letters whose width terminals and the console may judge differently. */
const titles = [
  'Pay by card',
  'Log in',
  'Thumbs up 👍🏽👍🏽 for all',
  'สวัสดี น้ำ คำ ทำ',
  'क्षितिज देखना',
  '日本語のタイトルです',
  '⚠️ careful ✔️ ❤️',
  'e\u0301toile ①㉈',
  '👨‍👩‍👧 family',
  'A'.repeat(300),
]
const notes = [
  'all is well',
  'thumbs up 👍🏽👍🏽👍🏽',
  '\u001b[31mred\u001b[0m and plain',
  'สวัสดี น้ำ คำ '.repeat(30),
  '日本'.repeat(120),
  'x'.repeat(400),
  '',
]
const agents = ['backend-1', 'backend-2', 'front-1', 'tester-1']
const sizes: readonly (readonly [number, number])[] = [
  [200, 40],
  [120, 30],
  [80, 24],
  [60, 15],
  [101, 31],
  [160, 50],
]

const keys = [
  ...'jjjkkkgGGbbS+-><}{f1234wWCLTPmp?'.split(''),
  '\t',
  '\r',
  '\u001b',
  '\u001b',
  '\u001b',
  '\u0014',
  '\u0007',
  '\u001b[6~',
  '\u001b[5~',
  '\u001b[B\u001b[B\u001b[B',
]
const filters = ['pay', 'state:completed', 'state:pending', 'is:over', '-is:over', 'nothing has these words']

/** A refused operation has no effect. */
const tried = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    if (!isRefusal(error)) throw error
  })

const anyTask = (fixture: Fixture, roll: Roll, statuses: readonly string[]): number | undefined => {
  const ids = statusesOf(fixture).flatMap(({ id, status }) => (statuses.includes(status) ? [id] : []))
  return ids[roll(ids.length)]
}

/** Every task in the database, by number. */
const statusesOf = ({
  core,
}: Fixture): readonly {
  readonly id: number
  readonly title: string
  readonly status: string
  readonly agent: string | null
}[] =>
  connectionOf(core.store)
    .prepare(
      'SELECT id, title, status, assigned_agent_id AS agent FROM tasks JOIN task_status ON task_id = id ORDER BY id',
    )
    .all() as never

const withTask = (
  fixture: Fixture,
  roll: Roll,
  statuses: readonly string[],
  work: (taskId: number, agentId: string) => Promise<unknown>,
): Promise<unknown> | void => {
  const taskId = anyTask(fixture, roll, statuses)
  const held = statusesOf(fixture).find(({ id }) => id === taskId)?.agent ?? agents[roll(agents.length)]!
  return taskId === undefined ? undefined : tried(work(taskId, held))
}

const steps: readonly Step[] = [
  {
    name: 'a task is added',
    weight: 5,
    happen: ({ fixture, roll }) => fixture.addTask(titles[roll(titles.length)]!, { priority: roll(200) }),
  },
  {
    name: 'an agent comes',
    weight: 1,
    happen: ({ fixture, roll }) =>
      tried(
        perform(fixture.core, registerAgent, { id: agents[roll(agents.length)]!, personaId: 'implementer' }, person),
      ),
  },
  {
    name: 'a task is claimed',
    weight: 6,
    happen: ({ fixture, roll }) =>
      withTask(fixture, roll, ['pending'], (taskId, agentId) =>
        perform(fixture.core, claimTask, { taskId, agentId }, person),
      ),
  },
  {
    name: 'progress is told',
    weight: 6,
    happen: ({ fixture, roll }) =>
      withTask(fixture, roll, ['claimed', 'in_progress'], (taskId, agentId) =>
        perform(
          fixture.core,
          reportTaskProgress,
          { taskId, agentId, progressNote: notes[roll(notes.length)]! || 'on', percentComplete: roll(100) },
          person,
        ),
      ),
  },
  {
    name: 'a task is done',
    weight: 5,
    happen: ({ fixture, roll }) =>
      withTask(fixture, roll, ['claimed', 'in_progress'], (taskId, agentId) =>
        perform(fixture.core, completeTask, { taskId, agentId }, person),
      ),
  },
  {
    name: 'a task fails',
    weight: 2,
    happen: ({ fixture, roll }) =>
      withTask(fixture, roll, ['claimed', 'in_progress'], (taskId, agentId) =>
        perform(fixture.core, failTask, { taskId, agentId, errorMessage: notes[roll(notes.length)]! || 'no' }, person),
      ),
  },
  {
    name: 'a task is cancelled',
    weight: 1,
    happen: ({ fixture, roll }) =>
      withTask(fixture, roll, ['pending', 'failed'], (taskId) => perform(fixture.core, cancelTask, { taskId }, person)),
  },
  {
    name: 'a task is tried again',
    weight: 2,
    happen: ({ fixture, roll }) =>
      withTask(fixture, roll, ['failed', 'cancelled'], (taskId) =>
        perform(fixture.core, retryTask, { taskId }, person),
      ),
  },
  {
    name: 'an agent prints',
    weight: 6,
    happen: ({ fixture: { world }, roll }) => {
      const agent = agents[roll(agents.length)]!
      world.output.set(agent, `${world.output.get(agent) ?? ''}${notes[roll(notes.length)]!}\n`)
    },
  },
  {
    name: 'the size changes',
    weight: 3,
    happen: ({ terminal, roll }) => terminal.resize(...sizes[roll(sizes.length)]!),
  },
  { name: 'a key is pressed', weight: 20, happen: ({ terminal, roll }) => terminal.press(keys[roll(keys.length)]!) },
  {
    name: 'a filter is typed',
    weight: 2,
    happen: ({ terminal, roll }) => terminal.press(`/${filters[roll(filters.length)]!}\r`),
  },
  { name: 'the terminal reads nothing', weight: 3, happen: ({ terminal }) => terminal.reads(false) },
  { name: 'the terminal reads on', weight: 3, happen: ({ terminal }) => terminal.reads(true) },
]
