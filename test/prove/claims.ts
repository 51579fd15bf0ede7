import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { benchCoreOn, migrations } from '../../bench/bench-core.ts'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { importTasks } from '../../src/operations/tasks/import.ts'
import { startCluster } from '../support/postgres.ts'
import type { Figures, Proof } from './proof.ts'

const HOSTS = 3
const PROCESSES = 8
const TASKS = 20_000

/** The words that start a host with its own processes, network and name; none where the system allows no namespaces. */
const namespace =
  [['-pfnu'], ['-Urpfnu']]
    .map((flags) => ['unshare', ...flags, '--mount-proc', '--kill-child'])
    .find(([program, ...words]) => spawnSync(program!, [...words, 'true']).status === 0) ?? []

/** Three hosts, each with eight processes, race for every task of a board on PostgreSQL. */
export const claims: Proof = {
  name: 'claims',
  shows: 'Of three hosts with eight processes each that race for every task, one claims it, and no task is lost.',
  run: async (share) => {
    const folder = mkdtempSync(join(tmpdir(), 'aiswarm-claims-'))
    const cluster = startCluster({ settings: { max_connections: '300' } })
    try {
      return await race({ folder, url: cluster.url(), tasks: share.of(TASKS) })
    } finally {
      cluster.remove()
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

interface Race {
  readonly folder: string
  readonly url: string
  readonly tasks: number
}

const agentOf = (host: number, row: number): string => `host-${host}-${row}`

const race = async ({ folder, url, tasks }: Race): Promise<Figures> => {
  const store = await openPostgres({ url, schema: 'claims' }, { migrations: join(migrations, 'postgres') })
  try {
    const core = await benchCoreOn(store, folder)
    const agents = range(HOSTS).flatMap((host) => range(PROCESSES).map((row) => agentOf(host, row)))
    for (const id of agents) await perform(core, registerAgent, { id, personaId: 'implementer' }, person)
    for (let made = 0; made < tasks; made += 500)
      await perform(
        core,
        importTasks,
        range(Math.min(500, tasks - made)).map((n) => ({ title: `task ${made + n}`, personaId: 'implementer' })),
        person,
      )
    await Promise.all(range(HOSTS).map((host) => runHost(host, { folder, url, tasks })))
    const attempts = await store.read
      .selectFrom('task_attempts')
      .select(['task_id', 'agent_id', 'outcome'])
      .orderBy('task_id')
      .execute()
    return judge({ tasks, attempts, diaries: agents.map((id) => ({ id, lines: diaryOf(folder, id) })) })
  } finally {
    store.close()
  }
}

const runHost = async (host: number, { folder, url, tasks }: Race): Promise<void> => {
  const worker = resolve(import.meta.dirname, 'claims-worker.ts')
  const lines = range(PROCESSES).map((row) =>
    [process.execPath, worker, url, folder, agentOf(host, row), row, PROCESSES, tasks]
      .map((word) => `'${word}'`)
      .join(' '),
  )
  const [program, ...words] = [...namespace, 'sh', '-c', `${lines.join(' & ')} & wait`]
  await once(spawn(program, words, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')
}

const diaryOf = (folder: string, id: string): readonly string[] => {
  const path = join(folder, `${id}.diary`)
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
}

interface Found {
  readonly tasks: number
  readonly attempts: readonly { readonly task_id: number; readonly agent_id: string; readonly outcome: string | null }[]
  readonly diaries: readonly { readonly id: string; readonly lines: readonly string[] }[]
}

/** Compares the rows with the diaries of the processes. */
const judge = ({ tasks, attempts, diaries }: Found): Figures => {
  const violations: string[] = []
  const ofTask = Map.groupBy(attempts, (row) => row.task_id)
  const told = Map.groupBy(
    diaries.flatMap(({ id, lines }) =>
      lines.flatMap((line) => (line.startsWith('claimed ') ? [{ id, task: Number(line.slice(8)) }] : [])),
    ),
    ({ task }) => task,
  )
  for (const { id, lines } of diaries)
    violations.push(...lines.filter((line) => line.startsWith('error')).map((line) => `${id}: ${line}`))
  for (let task = 1; task <= tasks; task++) {
    const rows = ofTask.get(task) ?? []
    const owners = told.get(task) ?? []
    if (rows.length !== 1 || rows[0]!.outcome !== 'completed')
      violations.push(`task ${task} has ${rows.length} attempts: ${rows.map(({ outcome }) => outcome).join(', ')}`)
    if (owners.length !== 1 || owners[0]!.id !== rows[0]?.agent_id)
      violations.push(`task ${task} was acknowledged to ${owners.map(({ id }) => id).join(', ') || 'no process'}`)
  }
  const won = range(HOSTS).map((host) => attempts.filter((row) => row.agent_id.startsWith(`host-${host}-`)).length)
  if (won.some((count) => count === 0)) violations.push(`a host won no task, so this was no race: ${won.join(', ')}`)
  return {
    counts: {
      [namespace.length > 0 ? 'hosts as namespaces' : 'hosts as process groups']: HOSTS,
      processes: HOSTS * PROCESSES,
      tasks,
      ...Object.fromEntries(won.map((count, host) => [`won by host ${host + 1}`, count])),
    },
    violations,
  }
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)
