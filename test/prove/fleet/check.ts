import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lab } from '../../fleet/lab.ts'
import type { Store } from '../../../src/db/engine/store.ts'
import { readLandings } from './landings.ts'
import type { Person } from './people.ts'

// Facts that the rows, the refs and the agents' own diaries must agree on after any faults.

interface Checked {
  readonly counts: Readonly<Record<string, number>>
  readonly violations: readonly string[]
}

export const linesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', maxBuffer: 2 ** 28 }).trim()

export const checkHistory = async (
  lab: Lab,
  store: Store,
  self: Person,
  hosts: readonly string[],
  begin: string,
): Promise<Checked> => {
  const approvals = [...self.approved.values()]
  // Read before the target, since merges may land during the check.
  const integrated = await selectIntegrated(store)
  const {
    landed,
    carried,
    violations: unapproved,
  } = readLandings(lab.remote.folder, { begin, target: 'main', approvals })
  const violations = [
    ...(await acknowledgedLost(lab, store, hosts)),
    ...(await attemptsOf(store)),
    ...(await worksOf(lab, store, self, hosts)),
    ...(await givenUpOf(store, self)),
    ...unapproved,
    ...missingOf(integrated, [begin, ...landed]),
    ...hosts.flatMap((name) => {
      const { home } = lab.machines[name]!
      return [
        ...linesOf(join(home, 'foreign')).map((line) => `a process of a person on ${name} got a signal: ${line}`),
        ...linesOf(join(home, 'twice')).map((line) => `two attempts ran in one worktree on ${name}: ${line}`),
      ]
    }),
  ]
  const acknowledged = hosts.flatMap((name) => linesOf(join(lab.machines[name]!.home, 'writes'))).length
  const attempts = await store.read.selectFrom('task_attempts').select(['outcome']).execute()
  const failed = await store.read
    .selectFrom('task_status')
    .where('task_id', 'in', [0, ...self.tasks.keys()])
    .where('status', '=', 'failed')
    .select('error_message')
    .execute()
  return {
    counts: {
      'acknowledged writes': acknowledged + self.tasks.size + self.approved.size,
      'failed tasks': failed.length,
      attempts: attempts.length,
      'completed attempts': attempts.filter(({ outcome }) => outcome === 'completed').length,
      'lost attempts': attempts.filter(({ outcome }) => outcome === 'lost').length,
      'approved merges': self.approved.size,
      'landed merges': landed.length,
      'of these on top of others': carried,
    },
    violations,
  }
}

/** Every acknowledged write is there, and none was done twice. */
export const acknowledgedLost = async (lab: Lab, store: Store, hosts: readonly string[]): Promise<string[]> => {
  const rows = await store.read
    .selectFrom('tasks')
    .innerJoin('task_status', 'task_status.task_id', 'tasks.id')
    .select(['tasks.id', 'tasks.title', 'tasks.description', 'task_status.status'])
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  const titles = Map.groupBy(rows, ({ title }) => title)
  const twice = [...titles].filter(([, same]) => same.length > 1).map(([title]) => `task ${title} was created twice`)
  const lost = hosts
    .flatMap((name) => linesOf(join(lab.machines[name]!.home, 'writes')))
    .flatMap((line) => {
      const [what, id, title = ''] = line.split(' ')
      const row = byId.get(Number(id))
      const holds =
        row?.title === title &&
        (what === 'created' ||
          (what === 'edited' && row.description === `of ${title}`) ||
          (what === 'cancelled' && row.status === 'cancelled'))
      return holds ? [] : [`an acknowledged write is lost: ${line}`]
    })
  return [...twice, ...lost]
}

/** Attempts of a task follow each other, and one of them at most was completed. */
const attemptsOf = async (store: Store): Promise<string[]> => {
  const rows = await store.read
    .selectFrom('task_attempts')
    .select(['task_id', 'attempt', 'agent_id', 'claimed_at', 'ended_at', 'outcome'])
    .orderBy('task_id')
    .orderBy('attempt')
    .execute()
  return [...Map.groupBy(rows, (row) => row.task_id)].flatMap(([id, attempts]) => [
    ...(attempts.filter(({ outcome }) => outcome === 'completed').length > 1 ? [`task ${id} was completed twice`] : []),
    ...attempts.flatMap(({ attempt, claimed_at: claimed }, n) => {
      const before = attempts[n - 1]
      if (before === undefined) return []
      if (before.attempt >= attempt) return [`attempts of task ${id} are not in order`]
      const overlaps = before.ended_at === null || before.ended_at > claimed
      return overlaps ? [`attempts ${before.attempt} and ${attempt} of task ${id} were live at once`] : []
    }),
  ])
}

/** The work of every completed task is in a commit that a ref of some host or of the remote reaches. */
const worksOf = async (lab: Lab, store: Store, self: Person, hosts: readonly string[]): Promise<string[]> => {
  const ids = [...self.tasks.keys()]
  if (ids.length === 0) return []
  const done = await store.read
    .selectFrom('task_attempts')
    .where('task_id', 'in', ids)
    .where('outcome', '=', 'completed')
    .select(['task_id', 'agent_id'])
    .execute()
  const folders = [lab.remote.folder, ...hosts.map((name) => lab.machines[name]!.root)]
  const found = new Set<string>()
  for (const folder of folders) {
    const lines = git(folder, 'log', '--all', '--format=', '-p', '--unified=0', '--', 't-*').split('\n')
    let file = ''
    for (const line of lines)
      if (line.startsWith('+++ b/')) file = line.slice(6)
      else if (line.startsWith('+')) found.add(`${file} ${line.slice(1)}`)
  }
  const diary = new Set(hosts.flatMap((name) => linesOf(join(lab.machines[name]!.home, 'diary'))))
  return done.flatMap(({ task_id: id, agent_id: agent }) => [
    ...(found.has(`t-${id} ${agent}`) ? [] : [`the work of task ${id} by ${agent} is in no commit`]),
    ...(diary.has(`end ${id} ${agent}`) ? [] : [`task ${id} is completed, but ${agent} has not ended it`]),
  ])
}

/** A board or a host that is away may not end a task of a person, or its worktree. */
const givenUpOf = async (store: Store, self: Person): Promise<string[]> => {
  const ids = [...self.tasks.keys()]
  if (ids.length === 0) return []
  const tasks = await store.read
    .selectFrom('tasks')
    .innerJoin('task_status', 'task_status.task_id', 'tasks.id')
    .where('tasks.id', 'in', ids)
    .select(['tasks.id', 'status', 'error_message'])
    .execute()
  const worktrees = await store.read
    .selectFrom('worktrees')
    .where('name', 'like', 'w%')
    .where('discard_reason', 'is not', null)
    .where('successor', 'is', null)
    .select(['name', 'discard_reason'])
    .execute()
  return [
    ...tasks
      .filter(
        ({ status, error_message: why }) =>
          status === 'cancelled' ||
          (status === 'failed' && /PostgreSQL|database|does not answer|could not be started/.test(why ?? '')),
      )
      .map(({ id, status, error_message: why }) => `task ${id} is ${status}: ${why ?? ''}`),
    ...worktrees.map(({ name, discard_reason: why }) => `worktree ${name} is discarded: ${why}`),
  ]
}

interface Integrated {
  readonly worktree: string
  readonly merge_oid: string | null
}

const selectIntegrated = (store: Store): Promise<readonly Integrated[]> =>
  store.read.selectFrom('integrations').where('status', '=', 'integrated').select(['worktree', 'merge_oid']).execute()

/** The board calls integrated only what the target has. */
const missingOf = (integrated: readonly Integrated[], there: readonly string[]): string[] =>
  integrated
    .filter(({ merge_oid: oid }) => oid === null || !there.includes(oid))
    .map(({ worktree }) => `worktree ${worktree} is called integrated, and the target has no merge of it`)

export const integratedOf = async (store: Store, there: readonly string[]): Promise<string[]> =>
  missingOf(await selectIntegrated(store), there)
