import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { person } from '../../src/domain/agent/actor.ts'
import { joinHost, makeJoinCode } from '../../src/operations/hosts/membership.ts'
import { importTasks } from '../../src/operations/tasks/import.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { ms, quantile, type Row } from '../row.ts'
import { openServerBoard } from '../server-board.ts'
import type { CrowdOrder } from '../workers/crowd.ts'

/** Of the whole fleet, a second. */
const CLAIMS = 8
const NOTES = 17

const HOSTS = 20
const AGENTS = 500
/** Each of them is the workers of some hosts, since so many programs would need this machine's processors to begin. */
const PROCESSES = 4

const MINUTES = Number(process.env['CROWD_MINUTES'] ?? 10)

interface Said {
  readonly claimed: readonly number[]
  readonly refused: readonly string[]
}

/** 500 agents on 20 hosts at the load that their work makes: claims, completions, notes, and the beats of the hosts. */
export const postgresCrowd = async (): Promise<Row> => {
  const { cluster, core } = await openServerBoard()
  const hosts: { id: string; agents: string[]; tasks: number[] }[] = []
  const perHost = Math.ceil((CLAIMS * MINUTES * 60) / HOSTS) + 50
  for (let n = 0; n < HOSTS; n++) {
    const { secret } = await perform({ ...core, newToken: () => `code ${n}` }, makeJoinCode, {}, person)
    const id = `host${String(n).padStart(4, '0')}`
    await perform(core, joinHost, { secret, hostId: id, name: `host-${n}`, machine: `machine-${n}`, root: '/' }, person)
    const agents = Array.from({ length: AGENTS / HOSTS }, (_, k) => `agent-${n}-${k}`)
    for (const agent of agents)
      await perform({ ...core, host: id }, registerAgent, { id: agent, personaId: 'implementer' }, person)
    const drafts = Array.from({ length: perHost }, (_, k) => ({ title: `task ${n}-${k}`, personaId: 'implementer' }))
    hosts.push({ id, agents, tasks: (await perform(core, importTasks, drafts, person)).map((task) => task.id) })
  }
  cluster.sql('ANALYZE')
  const { store: _store, clock: _clock, allowRules, newToken, launchToken, ...shared } = core
  void [_store, _clock, allowRules, newToken, launchToken]
  const processes = Array.from({ length: PROCESSES }, () => fork(resolve(import.meta.dirname, '../workers/crowd.ts')))
  await Promise.all(processes.map((one) => once(one, 'message')))
  processes.forEach((one, n) => {
    const own = hosts.filter((_, k) => k % PROCESSES === n)
    const order: CrowdOrder = {
      url: cluster.url(),
      core: shared,
      hosts: own,
      claims: CLAIMS / HOSTS,
      notes: NOTES / HOSTS,
    }
    one.send(order)
  })
  const hand = new Client({ host: cluster.folder, user: 'owner', database: 'postgres' })
  await hand.connect()
  // The connections are made and the plans are known.
  await sleep(10_000)
  const [began, before] = [performance.now(), secondsOf(cluster.folder)]
  let connections = 0
  for (const end = began + MINUTES * 60_000; performance.now() < end; await sleep(1000)) {
    const { rows } = await hand.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = $1',
      ['client backend'],
    )
    connections = Math.max(connections, rows[0]!.n)
  }
  const used = (secondsOf(cluster.folder) - before) / ((performance.now() - began) / 1000)
  const { rows: dead } = await hand.query<{ name: string; part: number }>(
    `SELECT relname AS name, (n_dead_tup::float / greatest(n_live_tup, 1)) AS part FROM pg_stat_user_tables
     WHERE n_live_tup > 1000 ORDER BY part DESC LIMIT 1`,
  )
  const said = await Promise.all(processes.map(ended))
  await hand.end()
  core.store.close()
  const times = said.flatMap(({ claimed }) => claimed)
  const refused = said.flatMap((one) => one.refused)
  if (refused.length > 0) throw new Error(`${refused.length} calls were refused, such as: ${refused[0]}`)
  const [p99, worst] = [quantile(times, 0.99), Math.max(...times)]
  const most = dead[0] ?? { name: 'none', part: 0 }
  return {
    what: `on PostgreSQL, ${AGENTS} agents on ${HOSTS} hosts for ${MINUTES} minutes: ${times.length} claims; of a core; connections; dead rows`,
    measured: `p99 ${ms(p99)}, worst ${ms(worst)}; ${(used * 100).toFixed(0)} %; ${connections}; ${(most.part * 100).toFixed(0)} % of ${most.name}`,
    target: 'p99 ≤ 100 ms, worst ≤ 1 s; ≤ 35 %; ≤ 100; ≤ 20 %',
    kept: p99 <= 100 && worst <= 1000 && used <= 0.35 && connections <= 100 && most.part <= 0.2,
  }
}

const ended = async (one: ChildProcess): Promise<Said> => {
  const answer = once(one, 'message')
  one.send('end')
  return ((await answer) as [Said])[0]
}

/** Seconds of processor time of all processes of the server that has its data in this folder, also those that have ended. */
const secondsOf = (folder: string): number => {
  const main = Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
  const fields = (pid: number | string): readonly string[] => {
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    } catch {
      return []
    }
  }
  const own = fields(main)
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(fields)
    .filter((stat) => stat[1] === String(main))
  const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(own[at]), 0)
  const living = children.reduce((sum, stat) => sum + Number(stat[11]) + Number(stat[12]), 0)
  return (ticks + living) / 100
}
