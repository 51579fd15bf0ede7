import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { copyBoard } from '../../src/db/copy.ts'
import { openStore } from '../../src/db/sqlite/open.ts'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { readBoard } from '../../src/operations/screens/board.ts'
import { readDependencyTree } from '../../src/operations/screens/dependency-tree.ts'
import { type Cluster, startCluster } from '../../test/support/postgres.ts'
import { bareProgram, screensFile } from '../bare-program.ts'
import { benchCoreOn, migrations, scratch } from '../bench-core.ts'
import { fullSize } from '../board.ts'
import { program, repositoryOf } from '../repository.ts'
import { middleAndWorst, quantile, type Row } from '../row.ts'
import { openScreen, type Screen } from '../screen.ts'

/** Of a round trip to the server (ms). */
const ROUND_TRIP = 20

const READS = 40
const PRESSES = 250
const AT_A_TIME = 25

/** Milliseconds after which all work of the last key is done. */
const SETTLED = 300

/** Milliseconds between two keys: the repeat rate of a held key. */
const GAP = 30

/** Milliseconds in which a console has begun. */
const BEGUN = 6000

/** A port of this machine from which the cluster is so far away (ms). */
export const farPort = async (cluster: Cluster, roundTrip = ROUND_TRIP): Promise<number> => {
  const child = fork(resolve(import.meta.dirname, '../workers/far.ts'), [
    join(cluster.folder, '.s.PGSQL.5432'),
    String(roundTrip),
  ])
  process.once('exit', () => child.kill())
  const [port] = (await once(child, 'message')) as [number]
  child.disconnect()
  child.unref()
  return port
}

const size = { ...fullSize, logs: 10_000 }

/** The same board on the cluster, in the schema `far`. */
const fill = async (cluster: Cluster): Promise<void> => {
  const file = await openStore(join(await repositoryOf(size), '.aiswarm', 'coordination.db'), { migrations })
  const server = await openPostgres({ url: cluster.url(), schema: 'far' }, { migrations: join(migrations, 'postgres') })
  await copyBoard(file, server)
  for (const store of [file, server]) store.close()
  cluster.sql('ANALYZE')
}

const readsFrom = async (url: string) => {
  const store = await openPostgres({ url, schema: 'far' }, { migrations: join(migrations, 'postgres') })
  const core = await benchCoreOn(store, scratch())
  const timed = async (work: () => Promise<unknown>): Promise<readonly number[]> => {
    const times: number[] = []
    for (let n = 0; n < READS + 5; n++) {
      const began = performance.now()
      await work()
      times.push(performance.now() - began)
    }
    // Connections and plans are made by the first.
    return times.slice(5)
  }
  const middle = fullSize.tasks / 2
  const board = await timed(() => perform(core, readBoard, { around: middle }, person))
  const tree = await timed(() => perform(core, readDependencyTree, { at: middle }, person))
  store.close()
  return { board, tree }
}

/** A repository whose board is on the server. */
const farRepository = (url: string): string => {
  const root = join(scratch(), 'bench')
  mkdirSync(root)
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], { cwd: root })
  git('init', '--quiet', '--initial-branch=main')
  git('commit', '--quiet', '--allow-empty', '--message', 'Begin')
  const store = `${url}?schema=far`
  execFileSync(process.execPath, [program, 'init', '--yes', '--store', store, '--root', root], { stdio: 'ignore' })
  return root
}

const cursorOf = (screen: Screen): string =>
  screen
    .text()
    .split('\n')
    .filter((line) => line.includes('▸'))
    .join('\n')

interface Keyed {
  readonly screen: Screen
  readonly mark: () => string
  readonly times: number[]
}

/**
 * Keys in consoles of the same board in these folders and in bare Ink with two of their screens, some in one, then in
 * the next: what the machine does beside them delays all of them.
 */
const keysIn = async (roots: readonly string[]): Promise<readonly (readonly number[])[]> => {
  const all: Keyed[] = []
  const add = (screen: Screen, mark: () => string): void => void all.push({ screen, mark, times: [] })
  try {
    for (const cwd of roots) {
      const screen = openScreen([process.execPath, program], { columns: 200, rows: 50, cwd })
      add(screen, () => cursorOf(screen))
      await screen.until((text) => text.includes('Task number'))
    }
    await sleep(BEGUN)
    const { screen, mark } = all[0]!
    const [first, before] = [screen.text(), mark()]
    await screen.press('j', () => mark() !== before)
    const bare = openScreen([process.execPath, await bareProgram('bare-screen'), screensFile([first, screen.text()])], {
      ...{ columns: 200, rows: 50 },
      cwd: roots[0]!,
    })
    add(bare, () => bare.text())
    await bare.until((text) => text.trim() !== '')
    await sleep(SETTLED)
    for (let from = 0; from < PRESSES; from += AT_A_TIME) for (const one of all) await pressKeys(one, from)
    return all.map(({ times }) => times)
  } finally {
    for (const { screen } of all) await screen.end()
  }
}

const pressKeys = async ({ screen, mark, times }: Keyed, from: number): Promise<void> => {
  for (let n = from; n < from + AT_A_TIME; n++) {
    const before = mark()
    times.push(await screen.press(n % 60 < 30 ? 'j' : 'k', () => mark() !== before))
    await sleep(GAP)
  }
  await sleep(SETTLED)
}

/** A board of 10,000 tasks on a server that is a round trip of 20 ms away: its reads, and the keys of a console. */
export const postgresFar = async (): Promise<Row> => {
  const cluster = startCluster()
  process.once('exit', cluster.remove)
  await fill(cluster)
  const url = `postgresql://owner@127.0.0.1:${await farPort(cluster)}/postgres`
  const { board, tree } = await readsFrom(url)
  const [far, near, bare] = await keysIn([farRepository(url), await repositoryOf(size)])
  const p99 = quantile(far!, 0.99)
  return {
    what: `on PostgreSQL ${ROUND_TRIP} ms away, 10,000 tasks: refresh of the board; the dependency tree; key → frame, 200×50`,
    measured: `${middleAndWorst(board)}; ${middleAndWorst(tree)}; ${middleAndWorst(far!)}, of a database file ${middleAndWorst(near!)}, of bare Ink with the same screens ${middleAndWorst(bare!)}`,
    target: 'p50 ≤ 300 ms; ≤ 400 ms; p99 ≤ 16 ms or as bare Ink',
    kept: quantile(board, 0.5) <= 300 && quantile(tree, 0.5) <= 400 && p99 <= Math.max(16, quantile(bare!, 0.99)),
  }
}
