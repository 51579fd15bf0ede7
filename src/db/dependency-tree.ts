import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { TaskState } from '../domain/task/task.ts'
import { type Db, statement } from './engine/db.ts'

// The dependencies as a tree: a task is below the last (by number) of its dependencies, so it appears once. Its rows are
// walked inside the engine, by one recursive query for each direction: over a network every statement is a round trip.

/** A row of the tree, and how much deeper it is than the place where the walk began. */
export interface TreeStep {
  readonly id: number
  readonly level: number
}

interface Walk {
  readonly id: number
  /** The task above it; null for a root. */
  readonly stem: number | null
  /** How far the walk climbs or descends in search of its next row. */
  readonly levels: number
  readonly most: number
}

/** Rows after or before a task, the nearest first. */
export const selectTreeSteps = async (db: Db, side: 'after' | 'before', walk: Walk): Promise<readonly TreeStep[]> =>
  (await steps[side](db, { ...walk, asks: side === 'after' ? CHILD : BESIDE })).rows

/** The first or the last row of the tree; undefined if there are no tasks. */
export const selectTreeEnd = async (db: Db, end: 'first' | 'last', levels: number): Promise<number | undefined> => {
  const beyond = end === 'first' ? 0 : Number.MAX_SAFE_INTEGER
  const walk = { id: beyond, stem: null, levels, most: 1, asks: BESIDE }
  return (await steps[end === 'first' ? 'after' : 'before'](db, walk)).rows[0]?.id
}

/** The tasks above a task, the nearest first, up to so many. */
export const selectAncestors = async (db: Db, id: number, most: number): Promise<readonly number[]> =>
  (await ancestors(db, { id, most })).rows.map((row) => row.id)

/** A statement in words that both engines have. */
const written = <Input extends object, Row>(build: (input: Input) => RawBuilder<Row>) =>
  statement((db, input: Input) => ({ compile: (): CompiledQuery<Row> => build(input).compile(db) }))

const ancestors = written<{ readonly id: number; readonly most: number }, { readonly id: number }>(
  ({ id, most }) => sql`
    WITH RECURSIVE up (id, far) AS (
      SELECT CAST(${id} AS BIGINT), 0
      UNION ALL
      SELECT (SELECT max(depends_on) FROM task_dependencies WHERE task_id = up.id), far + 1
        FROM up WHERE id IS NOT NULL AND far < CAST(${most} AS INTEGER)
    ) SELECT id FROM up WHERE far > 0 AND id IS NOT NULL ORDER BY far`,
)

/** The questions of a walk about a task: its nearest child, its neighbour under the same stem, or, after a climb, its stem. */
const [CHILD, BESIDE, STEM] = [0, 1, 2] as const

/** How the walk goes on after an answer; a column that is left out stays. `row` says that it has come to its next row. */
interface Move {
  readonly when: string
  readonly row?: '1'
  readonly id?: string
  readonly stem?: string
  readonly level?: string
  readonly asks: number
  readonly far: string
}

const moves: Readonly<Record<'after' | 'before', readonly Move[]>> = {
  // Down to the first child, else to the next neighbour, else to that of a stem.
  after: [
    {
      when: `asks = ${CHILD} AND answer > 0`,
      row: '1',
      id: 'answer',
      stem: 'id',
      level: 'level + 1',
      asks: CHILD,
      far: '0',
    },
    { when: `asks = ${CHILD}`, asks: BESIDE, far: '0' },
    { when: `asks = ${BESIDE} AND answer > 0`, row: '1', id: 'answer', asks: CHILD, far: '0' },
    { when: `asks = ${BESIDE}`, id: 'stem', level: 'level - 1', asks: STEM, far: 'far + 1' },
    { when: `asks = ${STEM}`, stem: 'answer', asks: BESIDE, far: 'far' },
  ],
  // To the last row below the neighbour before, else up to the stem.
  before: [
    { when: `asks = ${BESIDE} AND answer > 0`, id: 'answer', asks: CHILD, far: '0' },
    { when: `asks = ${BESIDE}`, row: '1', id: 'stem', level: 'level - 1', asks: STEM, far: '0' },
    { when: `asks = ${STEM}`, stem: 'answer', asks: BESIDE, far: '0' },
    {
      when: `asks = ${CHILD} AND answer > 0 AND far < levels`,
      id: 'answer',
      stem: 'id',
      level: 'level + 1',
      asks: CHILD,
      far: 'far + 1',
    },
    { when: `asks = ${CHILD}`, row: '1', asks: BESIDE, far: '0' },
  ],
}

const children = (order: 'ASC' | 'DESC', beyond: string): string =>
  `SELECT own.task_id FROM task_dependencies AS own WHERE own.depends_on = ${beyond}
     AND NOT EXISTS (SELECT 1 FROM task_dependencies AS later WHERE later.task_id = own.task_id AND later.depends_on > own.depends_on)
   ORDER BY own.task_id ${order} LIMIT 1`

const roots = (order: 'ASC' | 'DESC', beyond: string): string =>
  `SELECT tasks.id FROM tasks WHERE ${beyond} AND NOT EXISTS (SELECT 1 FROM task_dependencies WHERE task_id = tasks.id)
   ORDER BY tasks.id ${order} LIMIT 1`

/** Each question is a row of the recursion, which the next one answers, and the one after that goes on from there. */
const stepsTo = (side: 'after' | 'before') => {
  const [order, sign] = side === 'after' ? (['ASC', '>'] as const) : (['DESC', '<'] as const)
  const answer = `CASE asks
    WHEN ${CHILD} THEN (${children(order, 'walk.id')})
    WHEN ${BESIDE} THEN CASE WHEN stem IS NULL THEN (${roots(order, `tasks.id ${sign} walk.id`)})
      ELSE (${children(order, `walk.stem AND own.task_id ${sign} walk.id`)}) END
    ELSE (SELECT max(depends_on) FROM task_dependencies WHERE task_id = walk.id) END`
  const next = (column: keyof Move, otherwise: string): string =>
    `CASE WHEN answered = 0 THEN ${otherwise} ${moves[side].map((move) => `WHEN ${move.when} THEN ${move[column] ?? otherwise}`).join(' ')} END`
  const over = `answered = 1 AND asks = ${BESIDE} AND answer IS NULL AND (stem IS NULL${side === 'after' ? ' OR far >= levels' : ''})`
  const recursion = sql.raw(`
    SELECT n + ${next('row', '0')}, ${next('row', '0')}, ${next('id', 'id')}, ${next('stem', 'stem')}, ${next('level', 'level')},
      ${next('asks', 'asks')}, ${next('far', 'far')}, 1 - answered, CASE WHEN answered = 0 THEN ${answer} END, levels, most
    FROM walk WHERE n < most AND NOT (${over})`)
  return written<Walk & { readonly asks: number }, TreeStep>(
    ({ id, stem, asks, levels, most }) => sql`
      WITH RECURSIVE walk (n, is_row, id, stem, level, asks, far, answered, answer, levels, most) AS (
        SELECT 0, 0, CAST(${id} AS BIGINT), CAST(${stem} AS BIGINT), 0, CAST(${asks} AS INTEGER), 0, 0, CAST(NULL AS BIGINT),
          CAST(${levels} AS INTEGER), CAST(${most} AS INTEGER)
        UNION ALL ${recursion}
      ) SELECT id, level FROM walk WHERE is_row = 1 ORDER BY n`,
  )
}

const steps = { after: stepsTo('after'), before: stepsTo('before') } as const

/** The task above each of these tasks in the tree, 0 for a root. 2,000 of them take 1 ms. */
export const selectStems = (
  db: Db,
  from: number,
  span: number,
): Promise<readonly { readonly id: number; readonly stem: number }[]> =>
  db
    .selectFrom('tasks')
    .where('id', '>=', from)
    .where('id', '<', from + span)
    .select((eb) => [
      'tasks.id',
      eb.fn
        .coalesce(
          eb
            .selectFrom('task_dependencies')
            .whereRef('task_id', '=', 'tasks.id')
            .select(({ fn }) => fn.max('depends_on').as('stem')),
          sql.lit(0),
        )
        .as('stem'),
    ])
    .orderBy('id')
    .execute()

interface DependencyRow {
  readonly task_id: number
  readonly depends_on: number
  readonly status: TaskState
  readonly needed: TaskState
}

/** Dependencies after this one in the order of their numbers, with the states of both tasks: one page. */
export const selectDependencyPage = (
  db: Db,
  after: { readonly taskId: number; readonly dependsOn: number },
  limit: number,
): Promise<readonly DependencyRow[]> =>
  db
    .selectFrom('task_dependencies')
    .innerJoin('task_status as own', 'own.task_id', 'task_dependencies.task_id')
    .innerJoin('task_status as other', 'other.task_id', 'task_dependencies.depends_on')
    // Compared as a row value, because SQLite uses its index for that, whereas it would read all earlier rows for an
    // OR.
    .where((eb) =>
      eb(
        eb.refTuple('task_dependencies.task_id', 'task_dependencies.depends_on'),
        '>',
        eb.tuple(after.taskId, after.dependsOn),
      ),
    )
    .orderBy('task_dependencies.task_id')
    .orderBy('task_dependencies.depends_on')
    .select(['task_dependencies.task_id', 'task_dependencies.depends_on', 'own.status', 'other.status as needed'])
    .limit(limit)
    .execute()
