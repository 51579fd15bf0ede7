import { openSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../../src/db/engine/store.ts'
import { client } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { serversAddress } from '../../fleet/namespaces.ts'
import type { Running } from '../../fleet/machine.ts'
import { type Replica, startReplica } from '../../support/replica.ts'
import type { Figures } from '../proof.ts'
import { acknowledgedLost, linesOf } from './check.ts'
import { HOSTS, onHosts, storeAt, type Trial } from './trial.ts'

// The server of three hosts crashes and fails over, with every acknowledged write and without some.

const writer = resolve(import.meta.dirname, 'writer.ts')

/** How long a host may take to be heard of again (ms). */
const BACK = 15_000

/** Longer than the time between two heartbeats of a host (ms). */
const BEATS = 12_000

export const runFailover = async (crashes: number): Promise<Figures> => {
  const kept = await onHosts({}, (trial) => withoutLoss(trial, crashes))
  const lossy = await onHosts({}, withLoss)
  return {
    counts: { ...kept.counts, ...lossy.counts },
    violations: [...kept.violations, ...lossy.violations],
  }
}

const withoutLoss = async (trial: Trial, crashes: number): Promise<void> => {
  const writers = await startWriters(trial)
  await writing(trial)
  const times: number[] = []
  for (let n = 0; n < crashes; n++) {
    trial.lab.cluster.stop('immediate')
    trial.lab.cluster.start()
    times.push(await trial.allHeard('the server crashed', BACK))
    await writing(trial)
  }
  trial.spread('crashes of the server under load', 'from its start until every host is heard of', times, BACK)
  const { cluster } = trial.lab
  const replica = replicaOf(trial, 'second')
  cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'second'")
  cluster.sql('SELECT pg_reload_conf()')
  await writing(trial)
  await onReplica(trial, replica, async () => {
    const took = await trial.allHeard('failed over to a synchronous replica', BACK)
    trial.counts['ms after a failover to a synchronous replica, until every host is heard of'] = Math.round(took)
    await writing(trial)
    for (const program of writers) program.signal('SIGKILL')
    await Promise.all(writers.map(({ ended }) => ended))
    trial.counts['acknowledged writes'] = written(trial)
    trial.violations.push(...(await acknowledgedLost(trial.lab, trial.store, HOSTS)))
  })
}

/** The server crashes, and a replica takes its place. */
const onReplica = async (trial: Trial, replica: Replica, work: () => Promise<void>): Promise<void> => {
  try {
    trial.lab.cluster.stop('immediate')
    replica.promote({ listen_addresses: serversAddress, port: String(trial.lab.port), max_connections: '200' })
    const store = await storeAt(replica.folder, trial.lab.port)
    try {
      trial.moveTo(store)
      await work()
    } finally {
      store.close()
    }
  } finally {
    replica.remove()
  }
}

/** The programs of the persons of each host, which write all the time. */
const startWriters = async (trial: Trial): Promise<readonly Running[]> => {
  const asked = { title: 'never', personaId: 'tester', command: 'true' }
  const blocker = (await perform(trial.core, createTask, asked, client('planner'))).id
  return HOSTS.map((name) => {
    const { home, root, launch } = trial.lab.machines[name]!
    const file = openSync(trial.log(name, 'writer'), 'a')
    const words = [writer, trial.lab.url, 'board', root, name, join(home, 'writes'), String(blocker)]
    return launch([process.execPath, ...words], { stdio: ['ignore', file, file] })
  })
}

const written = (trial: Trial): number =>
  HOSTS.flatMap((name) => linesOf(join(trial.lab.machines[name]!.home, 'writes'))).length

const writing = async (trial: Trial): Promise<void> => {
  const before = written(trial)
  await trial.need('the programs of persons write on', 30_000, () => written(trial) > before + 30)
}

const replicaOf = ({ lab }: Trial, name: string): Replica =>
  startReplica(lab.cluster, {
    ...{ name, port: lab.port, inside: lab.inside },
    settings: { port: String(lab.port), max_connections: '200' },
  })

/** A replica that follows no more takes the place of the server, without tasks and heartbeats that were acknowledged. */
const withLoss = async (trial: Trial): Promise<void> => {
  for (const name of HOSTS) await trial.worktree(`of-${name}`, name)
  const replica = replicaOf(trial, 'late')
  await trial.ends('before', await give(trial), 60_000)
  const behind = await storeAt(replica.folder, trial.lab.port)
  replica.cut()
  await trial.ends('what the replica does not know', await give(trial), 60_000)
  await sleep(BEATS)
  const known = { last: await lastEvent(behind), beats: await beatsOf(behind) }
  behind.close()
  await onReplica(trial, replica, async () => {
    const tasks = await give(trial)
    const noticed = (name: string): boolean =>
      /was restored to an earlier time/.test(readFileSync(trial.log(name, 'worker'), 'utf8'))
    const took = await trial.need('every host notices the loss', BACK, () => HOSTS.every(noticed))
    trial.counts['ms after a failover with loss, until every host has noticed it'] = Math.round(took)
    await sleep(BEATS)
    const beats = await beatsOf(trial.store)
    for (const [name, at] of beats)
      if (known.beats.get(name) !== at) trial.violations.push(`${name} beats on a board that has lost writes`)
    const events = await trial.store.read
      .selectFrom('events')
      .where('id', '>', known.last)
      .where('actor', '<>', 'human')
      .select('operation')
      .execute()
    trial.counts['writes of hosts before a person said that the board was restored'] = events.length
    for (const { operation } of events) trial.violations.push(`a host did ${operation} on a board that has lost writes`)
    const refused = await trial.lab.machines['b']!.run(['task', 'add', 'more', '--persona', 'tester']).then(
      () => 'a command wrote',
      (error: unknown) => String(error),
    )
    if (!refused.includes('fleet restored')) trial.violations.push(`after a loss, on b: ${refused}`)
    await trial.lab.machines['c']!.run(['fleet', 'restored', '--yes'])
    const back = await trial.allHeard('the person said it', 60_000)
    trial.counts['ms from what the person said, until every host is heard of'] = Math.round(back)
    await trial.ends('the tasks that waited meanwhile', tasks, 120_000)
  })
}

const give = (trial: Trial): Promise<number[]> =>
  Promise.all(HOSTS.map((name) => trial.task(`of-${name}`, 'date > now.txt')))

const lastEvent = async ({ read }: Store): Promise<number> =>
  (await read.selectFrom('events').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()).id

const beatsOf = async ({ read }: Store): Promise<ReadonlyMap<string, string | null>> =>
  new Map((await read.selectFrom('hosts').select(['name', 'beat_at']).execute()).map((row) => [row.name, row.beat_at]))
