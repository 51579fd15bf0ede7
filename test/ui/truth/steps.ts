import { claimTask, completeTask, failTask, reportTaskProgress } from '../../../src/operations/tasks/claims.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { isRefusal } from '../../../src/domain/rules/refusal.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import type { Fixture } from '../fixture.ts'
import type { Terminal } from './terminal.ts'
import { connectionOf } from '../../support/store.ts'

// The possible events of a console, one at a time.

/** A number from 0 up to and excluding this one. */
export type Roll = (below: number) => number

export interface Step {
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
export const statusesOf = ({
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

export const steps: readonly Step[] = [
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
