import fc from 'fast-check'
import {
  filterStates,
  type NameTest,
  shownStates,
  standings,
  type Term,
  type Test,
} from '../../src/domain/task/filter.ts'
import { enteredAt } from '../../src/domain/task/task.ts'
import { elapsed, type Instant } from '../../src/domain/words/time.ts'
import type { TaskView } from '../../src/operations/views/tasks.ts'

// Filters of tasks: their meaning in the plainest code, and texts as people type them, most of them about names on
// a board of `somewhat`.

export type Looked = Pick<
  TaskView,
  | 'id'
  | 'title'
  | 'personaId'
  | 'status'
  | 'blockedBy'
  | 'priority'
  | 'targetWorktree'
  | 'assignedAgentId'
  | 'attempt'
  | 'sessionId'
  | 'createdAt'
  | 'changedAt'
  | 'claimedAt'
  | 'startedAt'
  | 'completedAt'
  | 'progressedAt'
  | 'notBefore'
  | 'unblockedAt'
  | 'overBudget'
  | 'sleep'
>

/** The meaning of the terms, one task after the other, in the plainest code: the reference for the database. */
export const plainly = (terms: readonly Term[], task: Looked, now: Instant, stalledAfter: number): boolean =>
  terms.every(({ not, test }) => not !== holds(test, task, now, stalledAfter))

const holds = (test: Test, task: Looked, now: Instant, stalledAfter: number): boolean => {
  const blocked = task.status === 'pending' && task.blockedBy.length > 0
  const due = task.notBefore === null || elapsed(task.notBefore, now) >= 0
  switch (test.kind) {
    case 'words':
      return [task.title, task.personaId, task.targetWorktree, task.assignedAgentId, task.status].some(
        (text) => text !== null && small(text).includes(small(test.words)),
      )
    case 'state':
      return test.states.some((state) =>
        isShownState(state) ? holds({ kind: 'is', what: state }, task, now, stalledAfter) : state === task.status,
      )
    case 'name': {
      const name = {
        persona: task.personaId,
        agent: task.assignedAgentId,
        worktree: task.targetWorktree,
        session: task.sessionId,
      }[test.key]
      return test.names.some((wanted) => isNamed(wanted, name))
    }
    case 'id':
      return test.ranges.some(({ from, to }) => from <= task.id && task.id <= to)
    case 'number':
      return compares(
        test.compare,
        { id: task.id, priority: task.priority, attempt: task.attempt }[test.key],
        test.value,
      )
    case 'span':
      return compares(test.compare, elapsed(test.key === 'age' ? task.createdAt : since(task, now), now), test.ms)
    case 'is':
      switch (test.what) {
        case 'blocked':
          return blocked
        case 'over-budget':
          return task.overBudget
        case 'stalled':
          return (
            (task.status === 'in_progress' || task.status === 'claimed') &&
            !task.overBudget &&
            elapsed(task.progressedAt ?? task.startedAt ?? task.claimedAt!, now) > stalledAfter
          )
        case 'waiting':
          return task.status === 'pending' && !blocked && !due && task.sleep === null
        case 'sleeping':
          return task.sleep !== null && !task.overBudget
        case 'available':
          return task.status === 'pending' && !blocked && due
        case 'held':
          return task.status === 'claimed' || task.status === 'in_progress'
        case 'over':
          return !['pending', 'claimed', 'in_progress'].includes(task.status)
      }
  }
}

const since = (task: Looked, now: Instant): Instant => {
  if (task.status !== 'pending') return task[enteredAt[task.status]] ?? task.changedAt
  const waitedUntil = task.notBefore !== null && task.notBefore <= now ? [task.notBefore] : []
  return [task.changedAt, ...waitedUntil, ...(task.unblockedAt === null ? [] : [task.unblockedAt])].sort().at(-1)!
}

const isShownState = (state: string): state is (typeof shownStates)[number] =>
  (shownStates as readonly string[]).includes(state)

const compares = (compare: string, a: number, b: number): boolean =>
  ({ '>': a > b, '>=': a >= b, '<': a < b, '<=': a <= b, ':': a === b })[compare]!

const isNamed = (wanted: NameTest, name: string | null): boolean => {
  if (wanted === null || name === null) return wanted === name
  if (!wanted.wild) return wanted.name === name
  return new RegExp(`^${wanted.name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^]*')}$`, 'u').test(name)
}

/** Like SQLite's LIKE: only ASCII letters are case-insensitive. */
const small = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

// Filters as people type them, most of them about names on a board of `somewhat`.

export const personas = ['implementer', 'tester', 'planner'] as const
export const worktrees = ['auth', 'w_x', 'a-b'] as const
export const agents = ['smith', 'jones-1', 'X_1'] as const
export const titles = [
  'Login form',
  '100% of it',
  'say "so"',
  'back\\slash',
  'Ünder',
  'a_b',
  'state:failed',
  '',
] as const

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

const names = (known: readonly string[]) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...known).map(quoted),
        fc.constantFrom(...known).map((name) => `${name.slice(0, 2).replace(/[\s"]/g, '')}*`),
        fc.constantFrom('none', '*', '[a-z]*', '?*', '*_*'),
      ),
      {
        minLength: 1,
        maxLength: 2,
      },
    )
    .map((list) => list.join(','))

const compare = fc.constantFrom('>', '>=', '<', '<=')

const term = fc.oneof(
  fc.constantFrom('login', 'L', '"of it"', '%', '_', '"say \\"so\\""', 'FAILED', 'ü', '"state:failed"', '\\'),
  fc
    .uniqueArray(fc.constantFrom(...filterStates), { minLength: 1, maxLength: 3 })
    .map((states) => `state:${states.join(',')}`),
  names(personas).map((list) => `persona:${list}`),
  names(agents).map((list) => `agent:${list}`),
  names(worktrees).map((list) => `worktree:${list}`),
  fc.constantFrom('session:none', 'session:*', 'session:s1', 'session:s*'),
  fc.constantFrom(...standings).map((what) => `is:${what}`),
  fc.constantFrom('blocked:yes', 'blocked:no'),
  fc.tuple(fc.nat(30), fc.nat(30)).map(([from, to]) => `id:${from}-${to}`),
  fc
    .tuple(fc.constantFrom('priority', 'attempt'), fc.oneof(compare, fc.constant(':')), fc.integer({ min: -2, max: 6 }))
    .map((parts) => parts.join('')),
  fc.tuple(fc.constant('id'), compare, fc.integer({ min: -2, max: 30 })).map((parts) => parts.join('')),
  fc
    .tuple(fc.constantFrom('age', 'time'), compare, fc.constantFrom('0s', '30s', '1m', '90s', '5m', '1h'))
    .map((parts) => parts.join('')),
)

export const filterText = fc
  .array(
    fc.tuple(fc.constantFrom('', '', '-'), term).map((parts) => parts.join('')),
    { maxLength: 3 },
  )
  .map((terms) => terms.join(' '))
