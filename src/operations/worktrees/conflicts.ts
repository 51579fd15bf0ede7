import { z } from 'zod'
import { putConflict, resolveConflict, selectConflict, selectOpenConflicts } from '../../db/radar.ts'
import type { RadarConflictRow } from '../../db/schema/worktrees.ts'
import { selectTasks, type TaskRow } from '../../db/tasks.ts'
import { selectWorktree } from '../../db/worktrees.ts'
import { type Conflict, opponentsOf, reliefFor, warningFor } from '../../domain/integration/radar.ts'
import { isHeld } from '../../domain/task/task.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject, parsed, text, worktreeName } from '../perform/schemas.ts'
import { note } from '../tasks/attempts.ts'

const conflict = lazyObject(() => ({
  a: z.string(),
  b: z.string(),
  withTarget: z.boolean(),
  files: z.array(z.string()),
  includesUncommitted: z.boolean(),
  problem: z.null(),
}))

export const readConflicts = operation({
  name: 'read_conflicts',
  summary: 'List the recorded open conflicts between worktrees and with their targets',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () => z.array(conflict()),
  run: async ({ db }) => (await selectOpenConflicts(db)).map(viewConflict),
})

const viewConflict = (row: RadarConflictRow): Conflict & { files: string[]; problem: null } => ({
  a: row.worktree,
  b: row.other,
  withTarget: row.with_target === 1,
  files: (parsed(row.files) as string[] | null) ?? [],
  includesUncommitted: row.uncommitted === 1,
  problem: null,
})

/** The most files of one conflict that are stored. */
const FILES = 200

/** Records the beginning or end of a conflict between two worktrees, once in the log of each worktree's task. */
export const recordConflictNote = operation({
  name: 'record_conflict_note',
  summary:
    'Record in the logs of the tasks that two worktrees, or a worktree and its target, begin or cease to conflict',
  access: 'write',
  authority: 'system',
  input: () =>
    z.discriminatedUnion('what', [
      z.strictObject({
        what: z.literal('began'),
        a: worktreeName,
        b: text(400).min(1),
        withTarget: z.boolean(),
        /** Ids of the two trees, in the order of `a` and `b`. */
        trees: z.tuple([text(64).min(1), text(64).min(1)]),
        files: z.array(z.string()).transform((files) => files.slice(0, FILES)),
        includesUncommitted: z.boolean(),
      }),
      z.strictObject({ what: z.literal('over'), a: worktreeName, b: text(400).min(1), withTarget: z.boolean() }),
    ]),
  output: () => z.object({ told: z.boolean() }),
  run: async (context, input) => ({
    told: input.what === 'began' ? await begin(context, input) : await end(context, input),
  }),
  subject: ({ told }, { what, a, b, withTarget }) =>
    told ? { worktree: a, details: { what, ...(withTarget ? { target: b } : { with: b }) } } : null,
})

interface Pair {
  readonly a: string
  readonly b: string
  readonly withTarget: boolean
}

const begin = async (
  context: Context,
  conflict: Pair & { trees: readonly [string, string]; files: readonly string[]; includesUncommitted: boolean },
): Promise<boolean> => {
  const { db, now } = context
  const { a, b, withTarget, trees, files, includesUncommitted } = conflict
  if (!(await isActive(context, a)) || (!withTarget && !(await isActive(context, b)))) return false
  const known = await selectConflict(db, keyOf(conflict))
  if (known && known.resolved_at === null) return false
  // A file that changes back and forth causes the same conflict again and again.
  const fresh = known?.worktree_tree !== trees[0] || known.other_tree !== trees[1]
  const seen = [{ ...conflict, problem: null }]
  const told = fresh
    ? await tell(context, conflict, 'warn', (worktree) => warningFor(opponentsOf(seen, worktree)[0]!))
    : false
  await putConflict(db, {
    ...keyOf(conflict),
    worktree_tree: trees[0],
    other_tree: trees[1],
    files: JSON.stringify(files),
    uncommitted: includesUncommitted ? 1 : 0,
    began_at: now,
    told: told ? 1 : 0,
    resolved_at: null,
  })
  return told
}

const end = async (context: Context, pair: Pair): Promise<boolean> => {
  const known = await selectConflict(context.db, keyOf(pair))
  if (!(await resolveConflict(context.db, keyOf(pair), context.now)) || known?.told !== 1) return false
  const gone = !(await isActive(context, pair.a))
    ? pair.a
    : !pair.withTarget && !(await isActive(context, pair.b))
      ? pair.b
      : undefined
  return tell(context, pair, 'info', (worktree) => reliefFor(worktree === pair.a ? pair.b : pair.a, gone !== undefined))
}

/** Writes to the logs of both worktrees' tasks; true if there was one. */
const tell = async (
  context: Context,
  { a, b, withTarget }: Pair,
  level: 'warn' | 'info',
  sentenceFor: (worktree: string) => string,
): Promise<boolean> => {
  let told = false
  for (const worktree of withTarget ? [a] : [a, b]) {
    if (!(await isActive(context, worktree))) continue
    for (const task of await listeners(context, worktree)) {
      await note(context, task, level, sentenceFor(worktree))
      told = true
    }
  }
  return told
}

/** The tasks that agents hold in a worktree; if there is none, the most recent one. */
const listeners = async ({ db }: Context, worktree: string): Promise<readonly TaskRow[]> => {
  const worked = (await selectTasks(db, { worktree })).filter(({ attempt }) => attempt > 0)
  const held = worked.filter(({ status }) => isHeld(status))
  return held.length > 0 ? held : worked.sort((x, y) => (x.changed_at < y.changed_at ? -1 : 1)).slice(-1)
}

const isActive = async ({ db }: Context, name: string): Promise<boolean> =>
  (await selectWorktree(db, name))?.status === 'active'

const keyOf = ({ a, b, withTarget }: Pair) => ({ worktree: a, other: b, with_target: withTarget ? 1 : 0 })
