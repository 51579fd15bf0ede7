import { expect } from 'vitest'
import type { Store } from '../../src/db/engine/store.ts'
import type { PostgresStore } from '../../src/db/postgres/open.ts'
import { instant } from '../../src/domain/words/time.ts'
import { connectionOf } from '../support/store.ts'

// The board in the simplest code, which random histories are compared with, and the facts of the database that
// must equal it.

type Status = 'pending' | 'claimed' | 'in_progress' | 'completed' | 'failed' | 'cancelled'
type Outcome = 'completed' | 'failed' | 'cancelled' | 'lost' | 'terminated' | 'not_started'

export interface Task {
  readonly id: number
  readonly priority: number
  readonly needs: readonly number[]
  readonly command: boolean
  allowed: boolean
  status: Status
  holder: string | null
  attempt: number
  retries: number
  lease: number | null
  notBefore: number | null
  readonly attempts: { readonly agent: string; outcome: Outcome | null }[]
}

export interface Agent {
  readonly id: string
  readonly kind: 'external' | 'claude' | 'command'
  readonly once: boolean
  readonly registered: number
  status: 'active' | 'idle' | 'offline' | 'terminated'
  process: 'none' | 'waiting' | 'wanted' | 'started' | 'ended'
  run: number
  task: number | null
  beat: number
  stopping: boolean
}

/** A refusal of the model, with the code with which the operation must refuse. */
export class Refused extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

const TTL = 60_000
const RETRIES = 2
const LOST_LIMIT = 5

export class Model {
  now = Date.UTC(2026, 0, 30)
  readonly tasks: Task[] = []
  readonly agents: Agent[] = []
  events = 0
  notes = 0
  supervisor: { holder: string; until: number } | null = null

  addTask(priority: number, needs: readonly number[], command: boolean, byAgent: Agent | null): void {
    if (byAgent) this.refuseEnded(byAgent)
    this.tasks.push({
      id: this.tasks.length + 1,
      priority,
      needs,
      command,
      allowed: !(command && byAgent),
      status: 'pending',
      holder: null,
      attempt: 0,
      retries: 0,
      lease: null,
      notBefore: null,
      attempts: [],
    })
    this.events += 1
  }

  register(id: string): void {
    if (this.agents.some((agent) => agent.id === id)) throw new Refused('already_exists')
    this.addAgent(id, 'external', true, 'none', 'active')
    this.events += 1
  }

  spawn(task: Task | null): void {
    if (task === null) this.addAgent(this.freeId(), 'claude', false, 'waiting', 'idle')
    else {
      if (task.status !== 'pending' || this.blocked(task)) throw new Refused('invalid_state')
      task.allowed = true
      this.assign(this.addAgent(this.freeId(), task.command ? 'command' : 'claude', true, 'waiting', 'idle'), task)
    }
    this.events += 1
  }

  claim(agent: Agent, task: Task, itself: boolean): void {
    if (agent.status === 'terminated') throw new Refused(itself ? 'not_allowed' : 'invalid_state')
    if (this.held(task)) throw new Refused('already_claimed')
    if (task.status !== 'pending') throw new Refused('invalid_state')
    if (this.blocked(task)) throw new Refused('blocked')
    if (itself && task.notBefore !== null && task.notBefore > this.now) throw new Refused('not_due')
    this.take(agent, task)
    this.events += 1
  }

  start(agent: Agent, task: Task, itself: boolean): void {
    this.expectHeld(agent, task, itself, ['claimed'])
    task.status = 'in_progress'
    this.alive(agent)
    this.events += 1
  }

  progress(agent: Agent, task: Task, itself: boolean): void {
    this.expectHeld(agent, task, itself, ['claimed', 'in_progress'])
    task.status = 'in_progress'
    this.alive(agent)
    this.extend(agent)
    this.notes += 1
    this.events += 1
  }

  complete(agent: Agent, task: Task, itself: boolean): void {
    this.expectHeld(agent, task, itself, ['claimed', 'in_progress'])
    this.end(task, 'completed', 'completed')
    this.alive(agent)
    this.events += 1
  }

  fail(agent: Agent, task: Task, itself: boolean): void {
    this.expectHeld(agent, task, itself, ['claimed', 'in_progress'])
    this.failed(task)
    this.alive(agent)
    this.events += 1
  }

  heartbeat(agent: Agent, itself: boolean): void {
    if (agent.status === 'terminated') throw new Refused(itself ? 'not_allowed' : 'invalid_state')
    this.alive(agent)
    this.extend(agent)
  }

  retry(task: Task): void {
    if (task.status === 'pending' && task.notBefore !== null) task.notBefore = null
    else if (task.status === 'failed') {
      task.status = 'pending'
      task.holder = null
      task.retries += 1
    } else throw new Refused('invalid_state')
    this.events += 1
  }

  cancel(task: Task): void {
    if (task.status !== 'pending' && !this.held(task)) throw new Refused('invalid_state')
    const holder = this.agents.find((agent) => agent.id === task.holder)
    if (holder && holder.task === task.id && (holder.process === 'wanted' || holder.process === 'started'))
      holder.stopping = true
    if (this.held(task)) this.end(task, 'cancelled', 'cancelled')
    task.status = 'cancelled'
    task.notBefore = null
    this.events += 1
  }

  terminate(agent: Agent): void {
    if (agent.status === 'terminated') throw new Refused('invalid_state')
    if (agent.process === 'wanted' || agent.process === 'started') agent.stopping = true
    else this.stopped(agent)
    this.events += 1
  }

  deregister(agent: Agent): void {
    this.refuseEnded(agent)
    if (agent.process === 'wanted' || agent.process === 'started') throw new Refused('invalid_state')
    this.stopped(agent)
    this.events += 1
  }

  takeLease(holder: string): void {
    if (this.supervisor === null || this.supervisor.holder === holder || this.supervisor.until <= this.now)
      this.supervisor = { holder, until: this.now + TTL }
  }

  dispatch(holder: string, maxParallel: number): void {
    this.refuseStale(holder)
    const live = this.agents.filter((agent) => ['waiting', 'wanted', 'started'].includes(agent.process))
    const waiting = live
      .filter((agent) => agent.process === 'waiting')
      .sort((a, b) => a.registered - b.registered || (a.id < b.id ? -1 : 1))
    let running = live.length - waiting.length
    let commandRuns = live.some((agent) => agent.process !== 'waiting' && agent.kind === 'command')
    let did = 0
    const due = this.tasks.filter(
      (task) =>
        task.status === 'pending' && !this.blocked(task) && (task.notBefore === null || task.notBefore <= this.now),
    )
    for (const task of due.sort((a, b) => b.priority - a.priority || a.id - b.id)) {
      if ((task.command && (!task.allowed || commandRuns)) || running >= maxParallel) continue
      const kind = task.command ? 'command' : 'claude'
      const at = waiting.findIndex((agent) => agent.kind === kind)
      this.assign(
        at === -1 ? this.addAgent(this.freeId(), kind, true, 'waiting', 'idle') : waiting.splice(at, 1)[0]!,
        task,
      )
      running += 1
      commandRuns ||= task.command
      did += 1
    }
    if (!this.tasks.some((task) => task.status === 'pending')) {
      for (const agent of this.agents.filter((one) => one.process === 'waiting')) {
        this.retire(agent)
        did += 1
      }
    }
    if (did > 0) this.events += 1
  }

  sweep(holder: string): void {
    this.refuseStale(holder)
    let found = 0
    for (const agent of this.agents) {
      if (agent.process !== 'none' || !['active', 'idle'].includes(agent.status) || agent.beat > this.now - TTL)
        continue
      agent.status = 'offline'
      found += 1
      for (const task of this.heldBy(agent)) if (task.status === 'claimed') this.release(task, 'lost')
    }
    for (const task of this.tasks) {
      if (task.lease === null || task.lease > this.now) continue
      if (!['none', 'waiting', 'ended'].includes(this.agents.find((agent) => agent.id === task.holder)!.process))
        continue
      this.release(task, 'lost')
      found += 1
    }
    if (found > 0) this.events += 1
  }

  renew(holder: string, agents: readonly Agent[]): void {
    this.refuseStale(holder)
    for (const agent of agents) {
      agent.beat = this.now
      this.extend(agent)
    }
  }

  recordLaunch(agent: Agent, run: number, startsTask: boolean): void {
    if (agent.process !== 'wanted' || agent.run !== run) return
    agent.process = 'started'
    agent.status = 'active'
    agent.beat = this.now
    const task = this.tasks[(agent.task ?? 0) - 1]
    if (startsTask && task?.holder === agent.id && task.status === 'claimed') task.status = 'in_progress'
    this.events += 1
  }

  recordLaunchFailure(agent: Agent, run: number): void {
    if (agent.process !== 'wanted' || agent.run !== run) return
    for (const task of this.heldBy(agent)) this.release(task, 'not_started')
    this.retire(agent)
    this.events += 1
  }

  settle(agent: Agent, run: number, verdict: 'completed' | 'failed' | 'lost'): void {
    if (agent.process !== 'started' || agent.run !== run) return
    for (const task of this.heldBy(agent)) {
      if (agent.stopping && (verdict !== 'completed' || task.id !== agent.task)) this.release(task, 'terminated')
      else if (verdict === 'lost') this.release(task, 'lost')
      else if (verdict === 'completed' && task.id === agent.task) this.end(task, 'completed', 'completed')
      else this.failed(task)
    }
    if (agent.once || agent.stopping || verdict === 'lost') this.retire(agent)
    else {
      agent.process = 'waiting'
      agent.task = null
      agent.status = 'idle'
      agent.beat = this.now
    }
    this.events += 1
  }

  recordStop(agent: Agent, run: number): void {
    if (agent.run !== run || !agent.stopping || agent.status === 'terminated') return
    this.stopped(agent)
    this.events += 1
  }

  blocked(task: Task): boolean {
    return task.needs.some((id) => this.tasks[id - 1]!.status !== 'completed')
  }

  held(task: Task): boolean {
    return task.status === 'claimed' || task.status === 'in_progress'
  }

  private heldBy(agent: Agent): readonly Task[] {
    return this.tasks.filter((task) => this.held(task) && task.holder === agent.id)
  }

  private expectHeld(agent: Agent, task: Task, itself: boolean, from: readonly Status[]): void {
    if (itself) this.refuseEnded(agent)
    if (this.held(task) && task.holder !== agent.id)
      throw new Refused(agent.status === 'terminated' ? 'invalid_state' : 'lease_lost')
    if (from.includes(task.status)) return
    const lost = task.status === 'pending' && task.attempts.some((attempt) => attempt.agent === agent.id)
    throw new Refused(lost ? 'lease_lost' : 'invalid_state')
  }

  private refuseEnded(agent: Agent): void {
    if (agent.status === 'terminated') throw new Refused('not_allowed')
  }

  private refuseStale(holder: string): void {
    if (this.supervisor?.holder !== holder || this.supervisor.until <= this.now) throw new Refused('stale_supervisor')
  }

  private alive(agent: Agent): void {
    agent.beat = this.now
    if (agent.status !== 'terminated') agent.status = 'active'
  }

  private extend(agent: Agent): void {
    for (const task of this.heldBy(agent)) task.lease = this.now + TTL
  }

  private addAgent(
    id: string,
    kind: Agent['kind'],
    once: boolean,
    process: Agent['process'],
    status: Agent['status'],
  ): Agent {
    const agent: Agent = {
      id,
      kind,
      once,
      registered: this.now,
      status,
      process,
      run: 0,
      task: null,
      beat: this.now,
      stopping: false,
    }
    this.agents.push(agent)
    return agent
  }

  private freeId(): string {
    for (let n = 1; ; n++) if (!this.agents.some((agent) => agent.id === `implementer-${n}`)) return `implementer-${n}`
  }

  private take(agent: Agent, task: Task): void {
    Object.assign(task, {
      status: 'claimed',
      holder: agent.id,
      attempt: task.attempt + 1,
      lease: this.now + TTL,
      notBefore: null,
    })
    task.attempts.push({ agent: agent.id, outcome: null })
    this.alive(agent)
  }

  private assign(agent: Agent, task: Task): void {
    this.take(agent, task)
    Object.assign(agent, { process: 'wanted', run: agent.run + 1, task: task.id })
  }

  private end(task: Task, status: Status, outcome: Outcome): void {
    task.attempts.at(-1)!.outcome = outcome
    task.status = status
    task.lease = null
  }

  private failed(task: Task): void {
    if (task.retries >= RETRIES) return this.end(task, 'failed', 'failed')
    this.end(task, 'pending', 'failed')
    task.holder = null
    task.retries += 1
    task.notBefore = this.now + (task.retries === 1 ? 30_000 : 60_000)
  }

  private release(task: Task, outcome: 'lost' | 'terminated' | 'not_started'): void {
    const lost = task.attempts.filter((attempt) => attempt.outcome === 'lost').length + 1
    if (outcome === 'lost' && lost >= LOST_LIMIT) return this.end(task, 'failed', outcome)
    this.end(task, 'pending', outcome)
    task.holder = null
    task.notBefore = outcome === 'not_started' ? this.now + 30_000 : null
  }

  private stopped(agent: Agent): void {
    for (const task of this.heldBy(agent)) this.release(task, 'terminated')
    agent.stopping = true
    this.retire(agent)
  }

  private retire(agent: Agent): void {
    agent.status = 'terminated'
    if (agent.process !== 'none') agent.process = 'ended'
  }
}

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
