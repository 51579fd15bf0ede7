import { type Expression, type ExpressionBuilder, type Nullable, sql, type SqlBool } from 'kysely'
import type { KindRules } from '../domain/settings/persona-settings.ts'
import { type NameKey, type NameTest, shownStates, type Term, type Test } from '../domain/task/filter.ts'
import { enteredAt, type TaskState, taskStates } from '../domain/task/task.ts'
import { type Instant, later } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'
import { globbed, latest, likeFolded } from './engine/expressions.ts'
import { asleep } from './quotas.ts'
import type { Schema } from './schema/schema.ts'
import type { TaskAssignmentsTable } from './schema/tasks.ts'

// The conditions on a task: those of a filter, and whether it could be claimed.

/** The conditions of a filter on a task at an instant. */
export interface TaskWhere extends At {
  readonly terms: readonly Term[]
}

/** The instant and the settings on which the standing of a task depends. */
interface At {
  readonly now: Instant
  /** Work without progress since then is stalled. */
  readonly quietSince: Instant
  /** The rules for the kind of a task's agent, and thus for the quota that it waits for. */
  readonly kinds: KindRules
}

type Builder = ExpressionBuilder<Schema, 'tasks' | 'task_status'>
type Condition = Expression<SqlBool>

/**
 * The terms as one condition. Indexes serve `id`, `state`, `persona`, `worktree`, `is:stalled`, `is:held` and those
 * that imply a state; words, `age`, `time`, `priority`, `attempt`, `session`, the agent of an ended task, a leading `*`
 * and all negations are checked row by row. Frequent refreshes therefore use `selectMatches`, a range of numbers at a
 * time.
 */
export const meets =
  ({ terms, ...at }: TaskWhere) =>
  (eb: Builder): Condition =>
    eb.and(terms.map(({ not, test }) => (not ? isNot(conditionOf(eb, test, at)) : conditionOf(eb, test, at))))

/**
 * The numbers of matching tasks from `from` on, among at most `span` numbers, whatever the terms are; `next` is where
 * to continue, null at the end. 2,000 numbers take 0.04 to 1.5 ms on a board of 10,000 as of 100,000 (`npm run bench --
 * reads`, which uses all kinds of terms; `time`, whose condition has a part for every state, takes the most).
 */
export const selectMatches = async (
  db: Db,
  where: TaskWhere,
  from: number,
  span: number,
): Promise<{ readonly ids: readonly number[]; readonly next: number | null }> => {
  const last = (await db.selectFrom('tasks').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst())?.id ?? 0
  const end = from + span
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('task_status', 'task_status.task_id', 'tasks.id')
    .where('tasks.id', '>=', from)
    .where('tasks.id', '<', end)
    // Stated for both tables, so that SQLite uses an index of either for the range.
    .where('task_status.task_id', '>=', from)
    .where('task_status.task_id', '<', end)
    .where(meets(where))
    .select('tasks.id')
    .orderBy('tasks.id')
    .execute()
  return { ids: rows.map((row) => row.id), next: end > last ? null : end }
}

/** Pending, due, with every dependency completed and its budget not used up. */
export const available = (at: Instant) => (eb: Builder) =>
  eb.and([eb('task_status.status', '=', 'pending'), due(at)(eb)])

/** The pending tasks that could be claimed at this instant. */
export const due = (at: Instant) => (eb: Builder) =>
  eb.and([
    eb.or([eb('task_status.not_before', 'is', null), eb('task_status.not_before', '<=', at)]),
    eb.not(needs(eb)),
    // There are few such questions: the list is made once, not once per task.
    eb('tasks.id', 'not in', askedBudgets(eb)),
    eb('tasks.id', 'not in', raced(eb)),
  ])

/** For this agent or for any. */
export const openTo =
  (agentId: string) =>
  (
    eb: ExpressionBuilder<Schema & { task_assignments: Nullable<TaskAssignmentsTable> }, 'tasks' | 'task_assignments'>,
  ) =>
    eb.or([eb('task_assignments.agent_id', 'is', null), eb('task_assignments.agent_id', '=', agentId)])

/** Created in this session, changed in it, or still open. */
export const belongsTo =
  ({ id, since }: { readonly id: string; readonly since: Instant }) =>
  (eb: Builder) =>
    eb.or([
      eb('tasks.session_id', '=', id),
      eb('task_status.changed_at', '>=', since),
      eb('task_status.status', 'in', ['pending', 'claimed', 'in_progress']),
    ])

const conditionOf = (eb: Builder, test: Test, at: At): Condition => {
  const { now } = at
  switch (test.kind) {
    case 'words':
      return hasWords(eb, test.words)
    case 'state':
      return eb.or([
        inStates(
          eb,
          taskStates.filter((state) => test.states.includes(state)),
        ),
        ...shownStates.filter((state) => test.states.includes(state)).map((state) => standing[state](eb, at)),
      ])
    case 'name':
      return eb.or(test.names.map((name) => named(eb, test.key, name)))
    case 'id':
      return eb.or(test.ranges.map(({ from, to }) => eb.and([eb('tasks.id', '>=', from), eb('tasks.id', '<=', to)])))
    case 'number':
      return eb(numbers[test.key], test.compare === ':' ? '=' : test.compare, test.value)
    case 'span': {
      const edge = later(now, -test.ms)
      // A greater age means an earlier beginning.
      const compare = ({ '>': '<', '>=': '<=', '<': '>', '<=': '>=' } as const)[test.compare]
      return test.key === 'age'
        ? eb('tasks.created_at', compare, edge)
        : eb.or(
            taskStates.map((state) =>
              eb.and([eb('task_status.status', '=', state), eb(since(eb, state, now), compare, edge)]),
            ),
          )
    }
    case 'is':
      return standing[test.what](eb, at)
  }
}

const numbers = { id: 'tasks.id', priority: 'tasks.priority', attempt: 'task_status.attempt' } as const

const columns = {
  persona: 'tasks.persona_id',
  worktree: 'tasks.target_worktree',
  session: 'tasks.session_id',
  agent: 'task_status.assigned_agent_id',
} as const

const named = (eb: Builder, key: NameKey, name: NameTest): Condition => {
  const column = columns[key]
  if (name === null) return eb(column, 'is', null)
  if (!name.wild) return eb(column, '=', name.name)
  return globbed(eb.ref(column), name.name)
}

/** The words in one of the fields that the board shows of a task, ignoring the case of ASCII letters. */
const hasWords = (eb: Builder, words: string): Condition => {
  const like = (column: 'tasks.title' | 'task_status.status' | (typeof columns)['persona' | 'worktree' | 'agent']) =>
    likeFolded(eb.ref(column), words)
  return eb.or([
    like('tasks.title'),
    like('tasks.persona_id'),
    like('tasks.target_worktree'),
    like('task_status.assigned_agent_id'),
    like('task_status.status'),
  ])
}

const columnOf = {
  changedAt: 'task_status.changed_at',
  claimedAt: 'task_status.claimed_at',
  completedAt: 'task_status.completed_at',
} as const

/** As `taskSince` in the domain: when a task entered its state. */
const since = (eb: Builder, state: TaskState, now: Instant) =>
  state === 'pending'
    ? latest(
        latest(
          sql.ref('task_status.changed_at'),
          sql`CASE WHEN task_status.not_before <= ${now} THEN task_status.not_before ELSE '' END`,
        ),
        unblockedAt,
      )
    : eb.fn.coalesce(columnOf[enteredAt[state]], 'task_status.changed_at')

/**
 * When the last dependency of a task was completed; the empty text while it is blocked, and if it has no dependency.
 */
const unblockedAt = sql<Instant>`coalesce((SELECT CASE WHEN count(*) = count(CASE WHEN needed.status = 'completed' THEN 1 END) THEN max(needed.completed_at) ELSE '' END
  FROM task_dependencies JOIN task_status AS needed ON needed.task_id = task_dependencies.depends_on WHERE task_dependencies.task_id = tasks.id), '')`

const standing: {
  readonly [What in Extract<Test, { kind: 'is' }>['what']]: (eb: Builder, at: At) => Condition
} = {
  stalled: (eb, { quietSince }) =>
    // A claimed task that does not start makes no progress either.
    // A task that waits for a person's answer about its budget is excluded.
    eb.and([
      inStates(eb, ['claimed', 'in_progress']),
      eb(
        eb.fn.coalesce('task_status.progressed_at', 'task_status.started_at', 'task_status.claimed_at'),
        '<',
        quietSince,
      ),
      eb('tasks.id', 'not in', askedBudgets(eb)),
    ]),
  // As the board draws them: a sleeping task waits for the quota, not for a retry.
  waiting: (eb, { now, kinds }) =>
    eb.and([
      eb('task_status.status', '=', 'pending'),
      eb('task_status.not_before', '>', now),
      eb.not(needs(eb)),
      isNot(asleep(eb, now, kinds)),
    ]),
  sleeping: (eb, { now, kinds }) =>
    eb.and([
      eb('task_status.status', '=', 'pending'),
      asleep(eb, now, kinds),
      eb.not(needs(eb)),
      eb('tasks.id', 'not in', askedBudgets(eb)),
    ]),
  blocked: (eb) => blocked(eb),
  'over-budget': (eb) =>
    eb.and([inStates(eb, ['pending', 'claimed', 'in_progress']), eb('tasks.id', 'in', askedBudgets(eb))]),
  available: (eb, { now }) => available(now)(eb),
  held: (eb) => inStates(eb, ['claimed', 'in_progress']),
  over: (eb) => inStates(eb, ['completed', 'failed', 'cancelled']),
}

const inStates = (eb: Builder, states: readonly TaskState[]): Condition => eb('task_status.status', 'in', [...states])

const blocked = (eb: Builder): Condition =>
  eb.and([eb('task_status.status', '=', 'pending'), eb.or([needs(eb), eb('tasks.id', 'in', raced(eb))])])

/** Tasks whose race runs: a person decides it. There are few, as of the questions about budgets. */
const raced = (eb: Builder) => eb.selectFrom('races').where('races.ended_at', 'is', null).select('races.task_id')

/** Tasks for which a person is asked whether they may cost more, with the racers of those, which share their budget. */
const askedBudgets = (eb: Builder) =>
  eb
    .selectFrom('task_budgets')
    .where('task_budgets.asked_at', 'is not', null)
    .select('task_budgets.task_id')
    .unionAll(
      eb
        .selectFrom('task_budgets')
        .innerJoin('races', 'races.task_id', 'task_budgets.task_id')
        .innerJoin('racers', 'racers.race_id', 'races.id')
        .where('task_budgets.asked_at', 'is not', null)
        .where('races.ended_at', 'is', null)
        .select('racers.task_id'),
    )

/** A dependency that is not completed. */
const needs = (eb: Builder) =>
  eb.exists(
    eb
      .selectFrom('task_dependencies')
      .innerJoin('task_status as needed', 'needed.task_id', 'task_dependencies.depends_on')
      .whereRef('task_dependencies.task_id', '=', 'tasks.id')
      .where('needed.status', '<>', 'completed')
      .select('needed.task_id'),
  )

/** Also true where the condition is null. */
const isNot = (condition: Condition): Condition => sql<SqlBool>`(${condition}) IS NOT TRUE`
