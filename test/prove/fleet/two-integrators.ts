import { execFileSync, type StdioOptions } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { benchCoreOn } from '../../../bench/bench-core.ts'
import type { Store } from '../../../src/db/engine/store.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import type { Core } from '../../../src/operations/perform/core.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { type Lab, openLab } from '../../fleet/lab.ts'
import type { Figures } from '../proof.ts'
import { randomFrom } from '../random.ts'
import { integratedOf } from './check.ts'
import { readLandings } from './landings.ts'
import { approveWork, type Person, surely } from './people.ts'
import { storeAt, until } from './trial.ts'

// Two processes and a worker merge into one target at once: their leases end early all the time, so that
// each may believe at any moment that it alone merges.

const integrator = resolve(import.meta.dirname, 'integrator.ts')

/** Worktrees at a time: their merges wait for each other, and are made again on top of each other. */
const WAVE = 10

/** The longest pause between two early ends of the leases, at least (ms). */
const SHORT = 1000

/** How long a wave may take (ms). */
const LIMIT = 600_000

export const runTwoIntegrators = async (wanted: number, seed: number): Promise<Figures> => {
  const lab = await openLab({ hosts: ['a', 'b'], files: { 'README.md': 'a shop\n' }, fsync: true })
  const store = await storeAt(lab.cluster.folder, lab.port)
  try {
    return await inLab(lab, store, { wanted, seed })
  } finally {
    store.close()
    await lab.close()
  }
}

const inLab = async (
  lab: Lab,
  store: Store,
  { wanted, seed }: { readonly wanted: number; readonly seed: number },
): Promise<Figures> => {
  const core = { ...(await benchCoreOn(store, lab.folder)), host: LOCAL }
  const log = (name: string): StdioOptions => {
    const file = openSync(join(lab.folder, `${name}.log`), 'a')
    return ['ignore', file, file]
  }
  const [a, b] = [lab.machines['a']!, lab.machines['b']!]
  for (const machine of [a, b])
    machine.start(['worker', '--max-parallel', '4'], { stdio: log(`${machine.name}.worker`) })
  const begin = git(lab.remote.folder, 'rev-parse', 'main')
  const integrators = ['one', 'two'].map((name) =>
    a.launch([process.execPath, integrator, lab.url, a.root], { stdio: log(name) }),
  )
  const self: Person = { tasks: new Map(), approved: new Map(), over: false, leaves: false, problem: undefined }
  const integrated = (): Promise<readonly unknown[]> =>
    surely(() => store.read.selectFrom('integrations').where('status', '=', 'integrated').select('id').execute())
  const random = randomFrom(seed)
  let taken = 0
  let late = false
  let pause = SHORT
  const give = (made: number): Promise<void> => giveWave(core, store, made, Math.min(WAVE, wanted - made))
  let next = give(0)
  // The work of the next wave is done while the merges of this one wait for each other.
  next.catch(() => {})
  for (let made = 0; made < wanted && !late;) {
    await next
    made += Math.min(WAVE, wanted - made)
    next = made < wanted ? give(made) : Promise.resolve()
    next.catch(() => {})
    self.leaves = false
    const upTo = made
    const isGiven = (worktree: string): boolean => Number(worktree.slice(1)) < upTo
    const approving = approveWork(core, self, isGiven).catch((error: unknown) => void (self.problem ??= error))
    const end = performance.now() + LIMIT
    let landed = 0
    for (let there = 0; there < made && self.problem === undefined && !late; there = (await integrated()).length) {
      lab.cluster.sql("UPDATE board.deadlines SET ends_ms = 0 WHERE subject = 'role' AND id LIKE 'landing:%'")
      taken++
      // A merge takes longer under load: the longest pause grows while none lands, and becomes shorter after each.
      pause = there > landed ? Math.max(SHORT, pause * 0.6) : pause * 1.3
      landed = there
      await sleep(100 + random(pause))
      late = performance.now() > end
    }
    self.leaves = true
    await approving
  }
  for (const process of integrators) process.signal('SIGKILL')
  const { landed, carried, violations } = readLandings(lab.remote.folder, {
    begin,
    target: 'main',
    approvals: [...self.approved.values()],
  })
  const files = git(lab.remote.folder, 'ls-tree', '--name-only', 'main').split('\n')
  const there = files.filter((name) => name.startsWith('file-')).length
  const lost = ['one', 'two'].flatMap((name) => linesOf(readFileSync(join(lab.folder, `${name}.log`), 'utf8')))
  return {
    counts: {
      'processes that merge, with the worker': 3,
      'early ends of their leases': taken,
      'tries that ended with a refusal': lost.length,
      'landed merges': landed.length,
      'of these on top of others': carried,
    },
    violations: [
      ...violations,
      ...(self.problem === undefined
        ? []
        : [`the approvals failed: ${self.problem instanceof Error ? self.problem.message : 'no reason'}`]),
      ...(landed.length === wanted && there === wanted
        ? []
        : [`${landed.length} merges with ${there} files have landed, not ${wanted}`]),
      ...(await integratedOf(store, landed)),
      ...((await integrated()).length === wanted ? [] : ['the board does not call all of them integrated']),
    ],
  }
}

/** Worktrees on both hosts, each with the commit of a task. A worktree without one would be merged as it is. */
const giveWave = async (core: Core, store: Store, from: number, count: number): Promise<void> => {
  const tasks: number[] = []
  for (let n = from; n < from + count; n++) {
    const [name, host] = [`w${n}`, n % 2 === 0 ? 'a' : 'b']
    await surely(() => perform(core, createWorktreeOn, { name, branchName: name, host }, person))
    const command = `echo ${n} > file-${n}.txt`
    const draft = { title: name, personaId: 'implementer', targetWorktree: name, command }
    tasks.push((await surely(() => perform(core, createTask, draft, person))).id)
  }
  const done = await until(LIMIT, async () => {
    const rows = await store.read
      .selectFrom('task_status')
      .where('task_id', 'in', tasks)
      .where('status', '=', 'completed')
      .select('task_id')
      .execute()
    return rows.length === count
  })
  if (done === undefined) throw new Error(`the tasks of ${count} worktrees were not completed within ${LIMIT / 1000} s`)
}

const linesOf = (text: string): readonly string[] => text.split('\n').slice(0, -1)

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim()
