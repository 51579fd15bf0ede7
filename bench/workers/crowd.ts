import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { type Actor, system } from '../../src/domain/agent/actor.ts'
import type { Core } from '../../src/operations/perform/core.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { hashToken } from '../../src/operations/perform/token.ts'
import { takeHost } from '../../src/operations/hosts/worker.ts'
import { renew } from '../../src/operations/supervision/sweep.ts'
import { claimTask, completeTask, reportTaskProgress } from '../../src/operations/tasks/claims.ts'
import { migrations } from '../bench-core.ts'

// The workers of some hosts, as far as the server sees them: each beats, renews the leases of its agents, and carries out
// what they ask for, so many times a second, until a message says that it ends.

export interface CrowdOrder {
  readonly url: string
  readonly core: Omit<Core, 'store' | 'clock' | 'allowRules' | 'newToken' | 'launchToken'>
  readonly hosts: readonly {
    readonly id: string
    readonly agents: readonly string[]
    readonly tasks: readonly number[]
  }[]
  /** Of each host, a second. */
  readonly claims: number
  readonly notes: number
}

const BEAT = 3300
const RENEWAL = 10_000

const claimed: number[] = []
const refused: string[] = []
let over = false

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  try {
    await work()
  } catch (error) {
    refused.push(String(error))
  }
  return performance.now() - began
}

/** Begins a call each so many milliseconds, whether the one before has ended or not. */
const paced = async (pause: number, work: () => Promise<unknown>): Promise<void> => {
  const under: Promise<unknown>[] = []
  await sleep(Math.random() * pause)
  for (let due = performance.now(); !over; due += pause) {
    await sleep(Math.max(0, due - performance.now()))
    under.push(timed(work))
  }
  await Promise.all(under)
}

const hostAtWork = async ({ url, core: shared, claims, notes }: CrowdOrder, host: CrowdOrder['hosts'][number]) => {
  const store = await openPostgres({ url, schema: 'bench' }, { migrations: join(migrations, 'postgres') })
  const core: Core = {
    ...shared,
    store,
    clock: () => new Date().toISOString(),
    allowRules: () => [],
    newToken: () => 'token',
    launchToken: (agentId, run) => `${agentId}${run}`,
  }
  const actorOf = (id: string): Actor => ({
    ...{ kind: 'agent', id, role: 'worker', worktree: null, tokenHash: hashToken('token') },
  })
  const free = [...host.agents]
  const held: { task: number; agent: string }[] = []
  let next = 0
  const claim = async (): Promise<void> => {
    const [agent, task] = [free.shift(), host.tasks[next++]]
    if (agent === undefined || task === undefined) return
    claimed.push(await timed(() => perform(core, claimTask, { taskId: task }, actorOf(agent))))
    held.push({ task, agent })
  }
  const complete = async (): Promise<void> => {
    const one = held.length > host.agents.length / 2 ? held.shift() : undefined
    if (one === undefined) return
    await perform(core, completeTask, { taskId: one.task }, actorOf(one.agent))
    free.push(one.agent)
  }
  const note = async (): Promise<void> => {
    const one = held[Math.floor(Math.random() * held.length)]
    if (one === undefined) return
    const input = { taskId: one.task, progressNote: 'what an agent has found out, in a sentence of some length' }
    await perform(core, reportTaskProgress, input, actorOf(one.agent)).catch((error: unknown) => {
      // Its task has just been completed.
      if (held.includes(one)) throw error
    })
  }
  const facts = {
    hostId: host.id,
    holder: host.id,
    pid: process.pid,
    ttl: 10_000,
    root: '/',
    program: 'bench',
    kinds: [],
  }
  await Promise.all([
    paced(BEAT, () => perform(core, takeHost, facts, system())),
    paced(RENEWAL, () => perform(core, renew, { agentIds: [...host.agents] }, system())),
    paced(1000 / claims, claim),
    paced(1000 / claims, complete),
    paced(1000 / notes, note),
  ])
  store.close()
}

process.once('message', (order: CrowdOrder) => {
  const work = Promise.all(order.hosts.map((host) => hostAtWork(order, host)))
  process.once('message', () => {
    over = true
    void work.then(() => process.send!({ claimed, refused }, () => process.exit(0)))
  })
})
process.send!('ready')
