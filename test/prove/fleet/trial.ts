import { existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { benchCoreOn, migrations } from '../../../bench/bench-core.ts'
import type { Store } from '../../../src/db/engine/store.ts'
import { openPostgres } from '../../../src/db/postgres/open.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import type { Core } from '../../../src/operations/perform/core.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { type Lab, openLab } from '../../fleet/lab.ts'
import type { Running } from '../../fleet/machine.ts'
import type { Figures } from '../proof.ts'
import { surely } from './people.ts'

// Three hosts with the times of the documentation, each with a worker, and a person elsewhere who gives them work and
// looks at the rows. There is no console.

export const HOSTS = ['a', 'b', 'c']

const MINUTE = 60_000

/** Waits for a fact; returns how long it took (ms), or undefined after `limit` ms. */
export const until = async (limit: number, fact: () => Promise<boolean> | boolean): Promise<number | undefined> => {
  const began = performance.now()
  while (performance.now() - began < limit) {
    if (await surely(async () => fact())) return performance.now() - began
    await sleep(10)
  }
  return undefined
}

/**
 * Opens the hosts with the files of their repository, starts the workers, and returns what a trial of them has counted.
 * Refuses where hosts have no network of their own, unless the trial needs none.
 */
export const onHosts = async (
  files: Readonly<Record<string, string>>,
  run: (trial: Trial) => Promise<void>,
  { isNetworked = true }: { readonly isNetworked?: boolean } = {},
): Promise<Figures> => {
  const lab = await openLab({ hosts: HOSTS, files: { 'README.md': 'a shop\n', ...files }, fsync: true })
  const store = await storeAt(lab.cluster.folder, lab.port)
  try {
    if (isNetworked && lab.machines['a']!.net === undefined)
      throw new Error(`hosts are ${lab.form}, without a network of their own.`)
    // Without a host it would be of a board of one, which exchanges no code with others.
    const trial = new Trial(lab, store, { ...(await benchCoreOn(store, lab.folder)), host: LOCAL })
    for (const name of HOSTS) trial.work(name)
    await trial.allHeard('the workers', MINUTE)
    await run(trial)
    return { counts: trial.counts, violations: trial.violations }
  } finally {
    store.close()
    await lab.close()
  }
}

/** The board of a server, by the folder of its socket. */
export const storeAt = (folder: string, port: number): Promise<Store> =>
  openPostgres(
    { url: `postgresql://owner@localhost/postgres?host=${folder}&port=${port}`, schema: 'board' },
    { migrations: join(migrations, 'postgres') },
  )

export class Trial {
  readonly lab: Lab
  store: Store
  core: Core
  readonly workers = new Map<string, Running>()
  readonly counts: Record<string, number> = { hosts: HOSTS.length }
  readonly violations: string[] = []

  constructor(lab: Lab, store: Store, core: Core) {
    this.lab = lab
    this.store = store
    this.core = core
  }

  /** Looks at the board on another server from now on. */
  moveTo(store: Store): void {
    this.store = store
    this.core = { ...this.core, store }
  }

  log(name: string, of: string): string {
    return join(this.lab.folder, `${name}.${of}.log`)
  }

  /** Starts the worker of a host. */
  work(name: string): void {
    const file = openSync(this.log(name, 'worker'), 'a')
    const machine = this.lab.machines[name]!
    this.workers.set(name, machine.start(['worker', '--max-parallel', '3'], { stdio: ['ignore', file, file] }))
  }

  /** Records how long a fact took (ms), or that it did not come in time. */
  async need(what: string, limit: number, fact: () => Promise<boolean> | boolean): Promise<number> {
    const took = await until(limit, fact)
    if (took === undefined) this.violations.push(`${what}: not within ${limit / 1000} s`)
    return took ?? limit
  }

  /** Counts the tenths of a second that a thing took. */
  tenths(what: string, ms: number): void {
    this.counts[what] = Math.round(ms / 100)
  }

  /** Counts how often a thing was done, and its median and longest time (ms), which may not exceed the limit. */
  spread(what: string, from: string, times: readonly number[], limit: number): void {
    const sorted = times.map(Math.round).sort((one, other) => one - other)
    const longest = sorted.at(-1) ?? Infinity
    this.counts[what] = sorted.length
    this.counts[`ms ${from}, median`] = sorted[sorted.length >> 1] ?? 0
    this.counts[`ms ${from}, longest`] = longest
    if (longest > limit) this.violations.push(`ms ${from}: up to ${longest}, not ${limit}`)
  }

  hosts() {
    return this.store.read.selectFrom('hosts').select(['id', 'name', 'state', 'beat_at']).execute()
  }

  /** Waits until the board has a newer heartbeat of each host. */
  async allHeard(what: string, limit: number): Promise<number> {
    const before = new Map((await surely(() => this.hosts())).map(({ id, beat_at: at }) => [id, at]))
    return this.need(`${what}, until every host is heard of`, limit, async () =>
      (await this.hosts()).every(({ id, state, beat_at: at }) => state === 'up' && at !== before.get(id)),
    )
  }

  /** The host whose worker plans for the board. */
  async leader(): Promise<string | undefined> {
    const rows = await this.store.read.selectFrom('leases').select(['name', 'holder']).execute()
    const holders = new Map(rows.map(({ name, holder }) => [name, holder]))
    const planner = holders.get('supervisor') ?? ''
    if (planner === '') return undefined
    return (await this.hosts()).find(({ id }) => holders.get(`host:${id}`) === planner)?.name
  }

  /** The same, once there is one. */
  async someLeader(): Promise<string> {
    await until(MINUTE, async () => (await this.leader()) !== undefined)
    return (await this.leader())!
  }

  async worktree(name: string, host: string): Promise<void> {
    await perform(this.core, createWorktreeOn, { name, branchName: name, host }, person)
    await this.need(`worktree ${name}`, MINUTE, async () => {
      const row = await this.store.read
        .selectFrom('worktrees')
        .where('name', '=', name)
        .select('folder')
        .executeTakeFirst()
      return row?.folder === 'ready'
    })
  }

  async task(worktree: string, command: string): Promise<number> {
    const draft = { title: `work in ${worktree}`, personaId: 'implementer', targetWorktree: worktree, command }
    return (await perform(this.core, createTask, draft, person)).id
  }

  attempts(tasks: readonly number[]) {
    return this.store.read
      .selectFrom('task_attempts')
      .where('task_id', 'in', tasks)
      .select(['task_id', 'attempt', 'outcome', 'agent_id'])
      .orderBy('attempt')
      .execute()
  }

  /** Waits until tasks are completed, each in one attempt. */
  async ends(what: string, tasks: readonly number[], limit: number): Promise<number> {
    const took = await this.need(what, limit, async () => {
      const rows = await this.attempts(tasks)
      return tasks.every((id) => rows.some(({ task_id: of, outcome }) => of === id && outcome === 'completed'))
    })
    const { length } = await this.attempts(tasks)
    if (length > tasks.length) this.violations.push(`${what}: ${length} attempts of ${tasks.length} tasks`)
    return took
  }

  /** The lines that agents have written into a file of their home. */
  diary(name: string, file = 'diary'): readonly string[] {
    const path = join(this.lab.machines[name]!.home, file)
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
  }
}
