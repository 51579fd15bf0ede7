import { expect } from 'vitest'
import { instant } from '../../src/domain/words/time.ts'
import type { Store } from '../../src/db/engine/store.ts'
import type { PostgresStore } from '../../src/db/postgres/open.ts'
import type { Model } from './model.ts'
import { connectionOf } from './store.ts'

type TaskRow = readonly [
  id: number,
  status: string,
  holder: string | null,
  attempt: number,
  retries: number,
  lease: string | null,
  notBefore: string | null,
  allowed: number,
]
type AttemptRow = readonly [task: number, attempt: number, agent: string, outcome: string | null]
type AgentRow = readonly [
  id: string,
  status: string,
  process: string,
  run: number,
  task: number | null,
  beat: string,
  stopping: number,
]

/** The facts in the database, read past all operations. */
export interface Facts {
  readonly tasks: readonly TaskRow[]
  readonly attempts: readonly AttemptRow[]
  readonly agents: readonly AgentRow[]
  /** The pending tasks, maintained by triggers. */
  readonly queue: readonly (readonly [task: number])[]
  readonly events: number
  readonly notes: number
}

const asked = {
  tasks:
    'SELECT task_id, status, assigned_agent_id, attempt, retry_count, lease_expires_at, not_before, command_allowed FROM task_status ORDER BY task_id',
  attempts: 'SELECT task_id, attempt, agent_id, outcome FROM task_attempts ORDER BY task_id, attempt',
  agents:
    "SELECT id, status, process, run, task_id, last_heartbeat, CASE WHEN stop_requested_at IS NULL THEN 0 ELSE 1 END AS stopping FROM agents WHERE id NOT IN ('human', 'aiswarm') ORDER BY id",
  queue: 'SELECT task_id FROM task_queue ORDER BY task_id',
  counts:
    "SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM task_logs WHERE message = 'a note') AS notes",
} as const

type Asked = Readonly<Record<keyof typeof asked, readonly unknown[][]>>

const statements = new WeakMap<Store, () => Asked>()

export const facts = async (store: Store): Promise<Facts> => {
  const { counts, ...read } = 'server' in store ? await onServer(store as PostgresStore) : onSqlite(store)
  const [events, notes] = counts[0] as [number, number]
  return { ...read, events, notes } as unknown as Facts
}

const onSqlite = (store: Store): Asked => {
  const connection = connectionOf(store)
  const known = statements.get(store)
  if (known) return known()
  const prepared = Object.entries(asked).map(
    ([name, sql]) => [name, connection.prepare<[], unknown[]>(sql).raw()] as const,
  )
  const read = (): Asked => Object.fromEntries(prepared.map(([name, one]) => [name, one.all()])) as unknown as Asked
  statements.set(store, read)
  return read()
}

const onServer = async ({ server }: PostgresStore): Promise<Asked> => {
  const session = await server.connect()
  try {
    const read: [string, unknown[][]][] = []
    for (const [name, sql] of Object.entries(asked))
      read.push([name, (await session.script<object>(sql)).map((row) => Object.values(row) as unknown[])])
    return Object.fromEntries(read) as unknown as Asked
  } finally {
    session.release()
  }
}

/** Throws if the facts break an invariant by themselves, compared with earlier facts, or compared with the model. */
export const refuseBrokenPromises = (before: Facts | undefined, now: Facts, model: Model): void => {
  for (const [id, status, holder, attempt, , lease] of now.tasks) {
    const held = status === 'claimed' || status === 'in_progress'
    if (held !== (lease !== null) || (held && holder === null))
      throw new Error(`task ${id} is ${status} with lease ${lease} and holder ${holder}`)
    const open = now.attempts.filter((row) => row[0] === id && row[3] === null)
    if (open.length !== (held ? 1 : 0) || (held && (open[0]![1] !== attempt || open[0]![2] !== holder)))
      throw new Error(`task ${id} is ${status} with ${open.length} open attempts`)
    const old = before?.tasks.find((row) => row[0] === id)
    if (old && old[3] > attempt) throw new Error(`task ${id} went from attempt ${old[3]} back to ${attempt}`)
    if (old?.[1] === 'completed' && status !== 'completed') throw new Error(`task ${id} was completed and is ${status}`)
  }
  for (const row of before?.attempts ?? []) {
    if (row[3] === null) continue
    const same = now.attempts.find((other) => other[0] === row[0] && other[1] === row[1])
    if (same?.[2] !== row[2] || same[3] !== row[3])
      throw new Error(`attempt ${row[1]} of task ${row[0]} had ended and changed`)
  }
  expect(now).toEqual(predictedFacts(model))
}

const at = (ms: number | null): string | null => (ms === null ? null : instant(ms))

const predictedFacts = (model: Model): Facts => ({
  tasks: model.tasks.map((task) => [
    task.id,
    task.status,
    task.holder,
    task.attempt,
    task.retries,
    at(task.lease),
    at(task.notBefore),
    task.allowed ? 1 : 0,
  ]),
  attempts: model.tasks.flatMap((task) =>
    task.attempts.map((attempt, i): AttemptRow => [task.id, i + 1, attempt.agent, attempt.outcome]),
  ),
  agents: [...model.agents]
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map((agent) => [
      agent.id,
      agent.status,
      agent.process,
      agent.run,
      agent.task,
      instant(agent.beat),
      agent.stopping ? 1 : 0,
    ]),
  queue: model.tasks.filter((task) => task.status === 'pending').map((task): [number] => [task.id]),
  events: model.events,
  notes: model.notes,
})
