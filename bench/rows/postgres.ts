import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { Client } from 'pg'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { type Server, serverAt, type Session } from '../../src/db/postgres/server.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { claimTask, completeTask } from '../../src/operations/tasks/claims.ts'
import { importTasks } from '../../src/operations/tasks/import.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { type Cluster, startCluster } from '../../test/support/postgres.ts'
import { benchCoreOn, migrations } from '../bench-core.ts'
import { installPeers, type Peer, startPeer } from '../peers.ts'
import { median, type Row } from '../row.ts'

// The board on a PostgreSQL of this run's own, which waits for the disk as one in use does.

const CLAIMS = 60
const ROUNDS = 5

/** A statement of an operation, or several in one message. */
type Sent = { readonly sql: string; readonly parameters: readonly unknown[] }

/** A server that also keeps what is sent to it while `sent` is set. */
const recording = (server: Server, log: { sent: Sent[] | undefined }): Server => ({
  ...server,
  connect: async () => {
    const session = await server.connect()
    const kept: Session = {
      ...session,
      query: (sql, parameters) => {
        log.sent?.push({ sql, parameters })
        return session.query(sql, parameters)
      },
      script: (sql) => {
        log.sent?.push({ sql, parameters: [] })
        return session.script(sql)
      },
    }
    return kept
  },
})

/** A board of its own with one agent and so many tasks. */
const openBoard = async (tasks: number) => {
  const cluster = startCluster()
  process.once('exit', cluster.remove)
  const address = { url: cluster.url(), schema: 'bench' }
  const log: { sent: Sent[] | undefined } = { sent: undefined }
  const store = await openPostgres(address, {
    migrations: join(migrations, 'postgres'),
    server: recording(serverAt(address), log),
  })
  const core = await benchCoreOn(store, cluster.folder)
  await perform(core, registerAgent, { id: 'bench', personaId: 'implementer' }, person)
  const made = await perform(
    core,
    importTasks,
    Array.from({ length: tasks }, (_, i) => ({ title: `task ${i}`, personaId: 'implementer' })),
    person,
  )
  const hand = new Client({ host: cluster.folder, user: 'owner', database: 'postgres' })
  await hand.connect()
  await hand.query('SET search_path TO bench')
  return { core, log, hand, cluster, ids: made.map(({ id }) => id) }
}

/** `claim_task` compared with the statements that it sends, sent again by hand over `pg` for other tasks. */
export const postgresClaim = async (): Promise<Row> => {
  const { core, log, hand, ids } = await openBoard(CLAIMS * ROUNDS * 2 + 1)
  const claim = (taskId: number) => perform(core, claimTask, { taskId, agentId: 'bench' }, person)
  const [first] = ids
  log.sent = []
  await claim(first!)
  const sent = log.sent.filter(({ sql }) => !/pg_notify|pg_current_snapshot/.test(sql))
  log.sent = undefined
  const byHand = async (taskId: number): Promise<void> => {
    // Statements stay prepared here as they do in the program.
    for (const [at, { sql, parameters }] of sent.entries())
      await (parameters.length === 0
        ? hand.query(sql)
        : hand.query({
            name: `statement ${at}`,
            text: sql,
            values: parameters.map((value) =>
              value === first ? taskId : value === String(first) ? String(taskId) : value,
            ),
          }))
  }
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const at = 1 + 2 * round * CLAIMS
    const began = performance.now()
    for (const id of ids.slice(at, at + CLAIMS)) await claim(id)
    const middle = performance.now()
    for (const id of ids.slice(at + CLAIMS, at + 2 * CLAIMS)) await byHand(id)
    ratios.push((middle - began) / (performance.now() - middle))
  }
  await hand.end()
  core.store.close()
  const ratio = median(ratios)
  return {
    what: `on PostgreSQL, claim operation / its ${sent.length} messages by hand`,
    measured: `${ratio.toFixed(2)}×`,
    target: '≤ 1.6×',
    kept: ratio <= 1.6,
  }
}

/** Claims and completions of one process compared with a plain loop that skips locked rows. */
export const postgresPairs = async (): Promise<Row> => {
  const { core, hand, ids } = await openBoard(CLAIMS * ROUNDS)
  await hand.query('CREATE TABLE plain (id bigint PRIMARY KEY, state text NOT NULL)')
  await hand.query(`INSERT INTO plain SELECT n, 'pending' FROM generate_series(1, ${CLAIMS * ROUNDS}) AS n`)
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    for (const taskId of ids.slice(round * CLAIMS, (round + 1) * CLAIMS)) {
      await perform(core, claimTask, { taskId, agentId: 'bench' }, person)
      await perform(core, completeTask, { taskId, agentId: 'bench' }, person)
    }
    const middle = performance.now()
    for (let i = 0; i < CLAIMS; i++) {
      const { rows } = await hand.query<{ id: string }>(
        "UPDATE plain SET state = 'claimed' WHERE id = (SELECT id FROM plain WHERE state = 'pending' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING id",
      )
      await hand.query("UPDATE plain SET state = 'completed' WHERE id = $1", [rows[0]!.id])
    }
    ours.push((CLAIMS * 1000) / (middle - began))
    theirs.push((CLAIMS * 1000) / (performance.now() - middle))
  }
  await hand.end()
  core.store.close()
  const ratio = median(ours) / median(theirs)
  return {
    what: 'on PostgreSQL, claim and complete pairs / those of a plain SKIP LOCKED loop, one connection each',
    measured: `${ratio.toFixed(2)}× (${median(ours).toFixed(0)} and ${median(theirs).toFixed(0)} pairs/s)`,
    target: '≥ 0.12×',
    kept: ratio >= 0.12,
  }
}

const PROCESSES = 8
const PAIRS = 25

/** Pairs a second of all processes in one round of so many each. */
const roundOf = async (processes: readonly ChildProcess[], pairs = PAIRS): Promise<number> => {
  const ends = processes.map((process) => once(process, 'message'))
  const began = performance.now()
  for (const process of processes) process.send('go')
  await Promise.all(ends)
  return (PROCESSES * pairs * 1000) / (performance.now() - began)
}

/** The rounds of a peer are longer, since one of them begins each with questions of its own. */
const PEER_PAIRS = 100

/** Jobs a second of a peer's processes. */
const peerOf = async (peer: Peer, url: string): Promise<number> => {
  const processes = await startPeer(peer, url, PROCESSES, PEER_PAIRS)
  const rates: number[] = []
  for (let round = 0; round < 3; round++) {
    processes[0]!.send({ fill: PROCESSES * PEER_PAIRS })
    await once(processes[0]!, 'message')
    rates.push(await roundOf(processes, PEER_PAIRS))
  }
  for (const process of processes) process.kill()
  return median(rates)
}

/** Both peers, as a part of a line. */
const peersOn = async (cluster: Cluster): Promise<string> => {
  if (!installPeers()) return 'pg-boss and graphile-worker could not be installed'
  cluster.sql('CREATE DATABASE peers')
  const said: string[] = []
  for (const peer of ['pg-boss', 'graphile-worker'] as const)
    said.push(`${peer} ${(await peerOf(peer, cluster.url('peers'))).toFixed(0)} jobs/s`)
  return said.join(', ')
}

/** The same by processes of a host that work side by side. The first round is not counted: the programs load in it. */
export const postgresSideBySide = async (): Promise<Row> => {
  const { core, cluster, hand, ids } = await openBoard(PROCESSES * PAIRS * (ROUNDS + 1))
  for (let n = 0; n < PROCESSES; n++)
    await perform(core, registerAgent, { id: `bench-${n}`, personaId: 'implementer' }, person)
  await hand.query('CREATE TABLE plain (id bigint PRIMARY KEY, state text NOT NULL)')
  await hand.query(`INSERT INTO plain SELECT n, 'pending' FROM generate_series(1, ${ids.length}) AS n`)
  const start = async (how: 'operations' | 'loop'): Promise<readonly ChildProcess[]> => {
    const processes = Array.from({ length: PROCESSES }, (_, n) =>
      fork(resolve(import.meta.dirname, '../workers/pairs.ts'), [
        cluster.url(),
        cluster.folder,
        how,
        `bench-${n}`,
        String(ids[n * PAIRS * (ROUNDS + 1)]),
        String(PAIRS),
      ]),
    )
    await Promise.all(processes.map((process) => once(process, 'message')))
    await roundOf(processes)
    return processes
  }
  const [operations, loop] = [await start('operations'), await start('loop')]
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await roundOf(operations))
    theirs.push(await roundOf(loop))
  }
  for (const process of [...operations, ...loop]) process.kill()
  await hand.end()
  core.store.close()
  const beside = await peersOn(cluster)
  const ratio = median(ours) / median(theirs)
  return {
    what: `on PostgreSQL, claim and complete pairs of ${PROCESSES} processes / those of as many plain SKIP LOCKED loops`,
    measured: `${ratio.toFixed(2)}× (${median(ours).toFixed(0)} and ${median(theirs).toFixed(0)} pairs/s; ${beside})`,
    target: '≥ 0.12× and ≥ 150 pairs/s',
    kept: ratio >= 0.12 && median(ours) >= 150,
  }
}
