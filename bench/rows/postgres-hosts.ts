import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { person } from '../../src/domain/agent/actor.ts'
import { importTasks } from '../../src/operations/tasks/import.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { median, type Row } from '../row.ts'
import { openServerBoard } from '../server-board.ts'
import { farPort } from './postgres-far.ts'

/** Of a round trip to the server (ms): five each way. */
const ROUND_TRIP = 10

const HOSTS = 3
/** Few, so that the processors of this machine are not the limit. */
const PROCESSES = 2
const PAIRS = 20
const ROUNDS = 7

/** Claims and completions of three hosts that are five milliseconds away from the server, compared with those of one. */
export const postgresHosts = async (): Promise<Row> => {
  const { cluster, core } = await openServerBoard()
  const all = HOSTS * PROCESSES
  const each = PAIRS * (2 * ROUNDS + 1)
  for (let n = 0; n < all; n++)
    await perform(core, registerAgent, { id: `bench-${n}`, personaId: 'implementer' }, person)
  const made = await perform(
    core,
    importTasks,
    Array.from({ length: all * each }, (_, n) => ({ title: `task ${n}`, personaId: 'implementer' })),
    person,
  )
  cluster.sql('ANALYZE')
  const url = `postgresql://owner@127.0.0.1:${await farPort(cluster, ROUND_TRIP)}/postgres`
  const processes = Array.from({ length: all }, (_, n) =>
    fork(resolve(import.meta.dirname, '../workers/pairs.ts'), [
      ...[url, cluster.folder, 'operations', `bench-${n}`, String(made[n * each]!.id), String(PAIRS)],
    ]),
  )
  await Promise.all(processes.map((process) => once(process, 'message')))
  // The programs load in the first round.
  await rateOf(processes)
  const [one, three]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    one.push(await rateOf(processes.slice(0, PROCESSES)))
    three.push(await rateOf(processes))
  }
  for (const process of processes) process.kill()
  core.store.close()
  const ratio = median(three) / median(one) / HOSTS
  return {
    what: `on PostgreSQL ${ROUND_TRIP / 2} ms away each way, claim and complete pairs of ${HOSTS} hosts / ${HOSTS} times those of one (${PROCESSES} processes each)`,
    measured: `${ratio.toFixed(2)}× (${median(three).toFixed(0)} and ${median(one).toFixed(0)} pairs/s)`,
    target: '≥ 0.8×',
    kept: ratio >= 0.8,
  }
}

/** Pairs a second of these processes in one round. */
const rateOf = async (processes: readonly ChildProcess[]): Promise<number> => {
  const ends = processes.map((process) => once(process, 'message'))
  const began = performance.now()
  for (const process of processes) process.send('go')
  await Promise.all(ends)
  return (processes.length * PAIRS * 1000) / (performance.now() - began)
}
