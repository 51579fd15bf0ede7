import type { ExpressionBuilder, Nullable } from 'kysely'
import { type NameKey, type NameTest, shownStates, type Test, type Term } from '../domain/task/filter.ts'
import { taskStates } from '../domain/task/task.ts'
import { type Instant, later } from '../domain/words/time.ts'
import type { TaskAssignmentsTable } from './schema/runs.ts'
import type { Schema } from './schema/schema.ts'
import type { Db } from './engine/db.ts'
import { globbed, likeFolded } from './engine/words.ts'
import { type At, type Builder, type Condition, inStates, isNot, since, standing } from './task-standing.ts'

/** The conditions of a filter on a task at an instant. */
export interface TaskWhere extends At {
  readonly terms: readonly Term[]
}

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
