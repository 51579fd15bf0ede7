import { execFileSync, type StdioOptions } from 'node:child_process'
import { existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrations } from '../../../bench/bench-core.ts'
import { openPostgres } from '../../../src/db/postgres/open.ts'
import type { Store } from '../../../src/db/engine/store.ts'
import { type Lab, openLab } from '../../fleet/lab.ts'
import type { FleetMachine, Running } from '../../fleet/machine.ts'
import type { Figures } from '../proof.ts'
import { agentsOf } from '../../support/agent-processes.ts'
import { surely } from './people.ts'

// Hosts with the times that docs/fleet.md names, and what each of them says about the time that passes.

const HOSTS = ['a', 'b', 'c']

/** Commits once a second, and leaves a file that it never commits, until there is a file for its end. */
const committing = [
  'echo "start $AISWARM_TASK_ID $(date +%s%3N)" >> "$HOME/diary"',
  'echo loose > loose.txt',
  'n=0; until [ -e done ]; do n=$((n + 1)); echo $n > count.txt; git add count.txt; git commit -qm "Count $n"; sleep 1; done',
  'rm done',
].join('; ')

const minutes = (count: number): number => count * 60_000

/** Waits for a fact; returns how long it took (ms), or undefined after `limit` ms. */
const until = async (limit: number, fact: () => Promise<boolean> | boolean): Promise<number | undefined> => {
  const began = performance.now()
  while (performance.now() - began < limit) {
    if (await surely(async () => fact())) return performance.now() - began
    await sleep(50)
  }
  return undefined
}

export const runSilence = async (): Promise<Figures> => {
  const lab = await openLab({ hosts: HOSTS, files: { 'README.md': 'a shop\n' }, fsync: true })
  const store = await openPostgres(
    { url: `${lab.cluster.url()}&port=${lab.port}`, schema: 'board' },
    { migrations: join(migrations, 'postgres') },
  )
  try {
    if (lab.machines['a']!.net === undefined) throw new Error(`hosts are ${lab.form}, which cannot be cut off.`)
    return await new Trial(lab, store).run()
  } finally {
    store.close()
    await lab.close()
  }
}

class Trial {
  readonly #lab: Lab
  readonly #store: Store
  readonly #workers = new Map<string, Running>()
  readonly #counts: Record<string, number> = { hosts: HOSTS.length }
  readonly #violations: string[] = []

  constructor(lab: Lab, store: Store) {
    this.#lab = lab
    this.#store = store
  }

  async run(): Promise<Figures> {
    for (const name of HOSTS) this.#work(name)
    await this.#need('the workers', minutes(1), async () =>
      (await this.#beats()).every(({ beat_at: at }) => at !== null),
    )
    for (const [worktree, host] of [
      ['near', 'a'],
      ['four', 'b'],
      ['ten', 'c'],
    ] as const)
      await this.#lab.machines['a']!.run(['worktree', 'create', worktree, '--branch', worktree, '--host', host])
    await this.#leaderKilled()
    await this.#leaderStops()
    const [four, ten] = [await this.#task('four', committing), await this.#task('ten', committing)]
    await this.#started('b', four)
    await this.#started('c', ten)
    await this.#serverRestarts()
    await this.#cutOff(four, ten)
    await this.#switchedOff()
    return { counts: this.#counts, violations: this.#violations }
  }

  get #first(): FleetMachine {
    return this.#lab.machines['a']!
  }

  #work(name: string): void {
    const file = openSync(join(this.#lab.folder, `${name}.worker.log`), 'a')
    const stdio: StdioOptions = ['ignore', file, file]
    this.#workers.set(name, this.#lab.machines[name]!.start(['worker', '--max-parallel', '3'], { stdio }))
  }

  /** Records how long a fact took, or that it did not come in time. */
  async #need(what: string, limit: number, fact: () => Promise<boolean> | boolean): Promise<void> {
    const took = await until(limit, fact)
    if (took === undefined) this.#violations.push(`${what}: not within ${limit / 1000} s`)
    this.#counts[what] = Math.round((took ?? limit) / 100)
  }

  #beats() {
    return this.#store.read.selectFrom('hosts').select(['id', 'name', 'state', 'beat_at']).execute()
  }

  async #task(worktree: string, command: string): Promise<number> {
    const words = ['task', 'add', `work in ${worktree}`, '--persona', 'implementer', '--worktree', worktree]
    return (await this.#first.run<{ id: number }>([...words, '--command', command])).id
  }

  #diary(name: string): readonly string[] {
    const path = join(this.#lab.machines[name]!.home, 'diary')
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
  }

  async #started(name: string, task: number): Promise<void> {
    const begun = () => this.#diary(name).some((line) => line.startsWith(`start ${task} `))
    if ((await until(minutes(1), begun)) === undefined) throw new Error(`task ${task} did not start on ${name}`)
  }

  /** The host whose worker plans for the board. */
  async #leader(): Promise<string | undefined> {
    const rows = await this.#store.read.selectFrom('leases').select(['name', 'holder']).execute()
    const holders = new Map(rows.map(({ name, holder }) => [name, holder]))
    const planner = holders.get('supervisor')
    return (await this.#beats()).find(({ id }) => planner !== undefined && holders.get(`host:${id}`) === planner)?.name
  }

  /** A task for a host that is not the one that has just gone. */
  async #dispatched(what: string, gone: string, limit: number): Promise<void> {
    const [worktree, host] = gone === 'b' ? (['ten', 'c'] as const) : (['four', 'b'] as const)
    const task = await this.#task(worktree, 'echo "start $AISWARM_TASK_ID" >> "$HOME/diary"')
    await this.#need(what, limit, async () => (await this.#attempts(task)).length > 0)
    await until(minutes(1), () => this.#diary(host).includes(`start ${task}`))
    await until(minutes(1), async () => (await this.#attempts(task)).some(({ outcome }) => outcome === 'completed'))
  }

  #attempts(task: number) {
    return this.#store.read
      .selectFrom('task_attempts')
      .where('task_id', '=', task)
      .select(['attempt', 'outcome', 'agent_id'])
      .orderBy('attempt')
      .execute()
  }

  async #leaderKilled(): Promise<void> {
    const leader = (await this.#leader())!
    this.#workers.get(leader)!.signal('SIGKILL')
    await this.#workers.get(leader)!.ended
    await this.#dispatched('the process that plans was killed, until the next task starts', leader, 13_000)
    this.#work(leader)
  }

  async #leaderStops(): Promise<void> {
    await until(minutes(1), async () => (await this.#leader()) !== undefined)
    const leader = (await this.#leader())!
    this.#workers.get(leader)!.signal('SIGTERM')
    await this.#workers.get(leader)!.ended
    await this.#dispatched('it ended normally, until the next task starts', leader, 13_000)
    this.#work(leader)
  }

  async #serverRestarts(): Promise<void> {
    this.#lab.cluster.stop('immediate')
    this.#lab.cluster.start()
    const before = new Map((await surely(() => this.#beats())).map(({ id, beat_at: at }) => [id, at]))
    await this.#need('the server crashed, until every host is heard of', 15_000, async () =>
      (await this.#beats()).every(({ id, beat_at: at }) => at !== before.get(id)),
    )
  }

  /** Cuts b off for four minutes, and c for ten. */
  async #cutOff(four: number, ten: number): Promise<void> {
    const [b, c] = [this.#lab.machines['b']!, this.#lab.machines['c']!]
    const began = performance.now()
    const after = (): number => Math.round((performance.now() - began) / 100)
    for (const { net } of [b, c]) net!.link(false)
    await sleep(minutes(4))
    b.net!.link(true)
    await this.#need('cut off for four minutes, until it is heard of', 30_000, async () => {
      const row = (await this.#beats()).find(({ name }) => name === 'b')!
      return row.state === 'up' && Date.now() - Date.parse(row.beat_at!) < 5000
    })
    b.sh('touch ../four/done')
    await this.#need('its agent has completed its task', 60_000, async () =>
      (await this.#attempts(four)).some(({ outcome }) => outcome === 'completed'),
    )
    const attempts = (await this.#attempts(four)).length
    if (attempts !== 1)
      this.#violations.push(`the task of the host that was cut off for four minutes has ${attempts} attempts`)
    await until(minutes(3), () => agentsOf(c.root).every(isStopped) && agentsOf(c.root).length > 0)
    const paused = after()
    await until(minutes(3), async () => (await this.#beats()).find(({ name }) => name === 'c')!.state === 'lost')
    const lost = after()
    this.#counts['cut off for ten, until its agents are paused'] = paused
    this.#counts['until it is lost'] = lost
    if (paused >= lost || lost - paused > 350)
      this.#violations.push(`agents were paused at ${paused}, the host lost at ${lost}`)
    await this.#need('until its task runs elsewhere', 60_000, () =>
      ['a', 'b'].some((name) => this.#diary(name).some((line) => line.startsWith(`start ${ten} `))),
    )
    await sleep(Math.max(0, minutes(10) - (performance.now() - began)))
    const there = this.#git(c.root, 'rev-parse', 'ten')
    c.net!.link(true)
    await this.#need('back after ten minutes, until it works again', 60_000, async () =>
      (await this.#beats()).some(({ name, state }) => name === 'c' && state === 'up'),
    )
    const remote = this.#lab.remote.folder
    const [ref = ''] = this.#git(remote, 'for-each-ref', '--format=%(refname)', 'refs/aiswarm/returned').split('\n')
    const kept = ref === '' ? '' : this.#git(remote, 'show', `${ref}:loose.txt`)
    if (kept !== 'loose')
      this.#violations.push('the uncommitted file of the host that came back is in no ref of the remote')
    if (ref !== '' && this.#git(remote, 'merge-base', there, ref) !== there)
      this.#violations.push('commits of the host that came back are in no ref of the remote')
  }

  /** Switches b off in the middle of its commits; lost is what it had not pushed. */
  async #switchedOff(): Promise<void> {
    const b = this.#lab.machines['b']!
    const task = await this.#task('four', committing)
    await this.#started('b', task)
    await sleep(minutes(1.5))
    await b.off()
    const time = (folder: string, ref: string): number => Number(this.#git(folder, 'log', '-1', '--format=%ct', ref))
    const lost = time(b.root, 'four') - time(this.#lab.remote.folder, 'refs/aiswarm/work/four')
    this.#counts['switched off, commits that were not pushed'] = lost * 10
    if (lost > 65) this.#violations.push(`${lost} s of commits were only on the host that was switched off`)
  }

  #git(folder: string, ...args: readonly string[]): string {
    return execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim()
  }
}

const isStopped = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.startsWith('T')
  } catch {
    return true
  }
}
