import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { createTask } from '../../src/operations/tasks/create.ts'
import { importTasks } from '../../src/operations/tasks/import.ts'
import { startCluster } from '../../test/support/postgres.ts'
import { benchCoreOn, migrations, scratch } from '../bench-core.ts'
import { processorTime } from '../both-sizes.ts'
import { program } from '../repository.ts'
import { middleAndWorst, quantile, type Row } from '../row.ts'
import { openScreen } from '../screen.ts'
import { memoryOf, SETTLED } from './idle.ts'

const COMMITS = 100
const TASKS = 1000
const SECONDS = 20

/** The second number of the header's `tasks ███░ 12/18`. */
const totalIn = (text: string): number => Number(/tasks\s+\S+\s+\d+\/(\d+)/.exec(text)?.[1] ?? 0)

/** The costs of a program that has nothing to do. */
interface Idle {
  /** Of a core. */
  readonly share: number
  /** Transactions per second of all programs on the server. */
  readonly queries: number
  /** Resident (MB). */
  readonly memory: number
}

/** A console of a board on a server: how soon it shows the commit of another process; and what it and a worker cost while nothing happens. */
const measured = async (): Promise<{ times: readonly number[]; console: Idle; worker: Idle }> => {
  const cluster = startCluster()
  process.once('exit', cluster.remove)
  const root = join(scratch(), 'bench')
  mkdirSync(root)
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], { cwd: root })
  git('init', '--quiet', '--initial-branch=main')
  git('commit', '--quiet', '--allow-empty', '--message', 'Begin')
  const url = `${cluster.url()}&schema=bench`
  execFileSync(process.execPath, [program, 'init', '--yes', '--store', url, '--root', root], { stdio: 'ignore' })
  const store = await openPostgres(
    { url: cluster.url(), schema: 'bench' },
    { migrations: join(migrations, 'postgres') },
  )
  const core = await benchCoreOn(store, cluster.folder)
  await perform(
    core,
    importTasks,
    Array.from({ length: TASKS }, (_, at) => ({ title: `task ${at}`, personaId: 'implementer', command: 'true' })),
    person,
  )
  const client = new Client({ host: cluster.folder, user: 'owner', database: 'postgres' })
  await client.connect()
  const screen = openScreen([process.execPath, program], { columns: 200, rows: 50, cwd: root })
  let worker: ChildProcess | undefined
  try {
    await screen.until((text) => totalIn(text) === TASKS)
    screen.press('p', (text) => text.includes('paused')).catch(() => {})
    await sleep(3000)
    const times: number[] = []
    for (let n = 0; n < COMMITS; n++) {
      const before = totalIn(screen.text())
      await sleep(20 + Math.random() * 100)
      await perform(core, createTask, { title: `added ${n}`, personaId: 'implementer' }, person)
      times.push(await screen.until((text) => totalIn(text) > before, performance.now()))
    }
    store.close()
    const idleConsole = await idleOf(screen.pid, client)
    await screen.end()
    // The board stays paused, so the worker has nothing to do either.
    worker = spawn(process.execPath, [program, 'worker'], { cwd: root, stdio: 'ignore' })
    return { times, console: idleConsole, worker: await idleOf(worker.pid!, client) }
  } finally {
    await screen.end()
    if (worker?.kill()) await once(worker, 'exit')
    await client.end()
  }
}

const idleOf = async (pid: number, client: Client): Promise<Idle> => {
  const transactions = async (): Promise<number> => {
    const { rows } = await client.query<{ n: string }>(
      "SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = 'postgres'",
    )
    return Number(rows[0]!.n)
  }
  await sleep(SETTLED * 1000)
  const [taken, begun] = [processorTime(pid), await transactions()]
  await sleep(SECONDS * 1000)
  return {
    share: (processorTime(pid) - taken) / 1000 / SECONDS,
    // Statistics arrive a second late at most; the question itself counts too.
    queries: ((await transactions()) - begun - 1) / SECONDS,
    memory: memoryOf(pid),
  }
}

export const postgresConsole = async (): Promise<Row> => {
  const { times, console, worker } = await measured()
  return {
    what: 'on PostgreSQL, another process commits → it is on the screen of a console; that console and a worker while they are idle',
    measured: [middleAndWorst(times), `console ${inWords(console)}`, `worker ${inWords(worker)}`].join('; '),
    target: 'p99 ≤ 300 ms; each ≤ 1 %, ≤ 3/s, RSS ≤ 160 MB',
    kept:
      quantile(times, 0.99) <= 300 &&
      [console, worker].every(({ share, queries, memory }) => share <= 0.01 && queries <= 3 && memory <= 160),
  }
}

const inWords = ({ share, queries, memory }: Idle): string =>
  `${(share * 100).toFixed(1)} % of a core, ${queries.toFixed(1)} transactions/s, RSS ${Math.round(memory)} MB`
