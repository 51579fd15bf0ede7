import { askedSession, selectPausedTasks } from '../../../db/budgets.ts'
import { together } from '../../../db/engine/together.ts'
import { selectSleeps } from '../../../db/sleeps.ts'
import type { TaskRow } from '../../../db/tasks.ts'
import { selectHostsOf, selectWorktrees } from '../../../db/worktrees.ts'
import { sleepWords } from '../../../domain/budget/budget.ts'
import { LOCAL } from '../../../domain/host/host.ts'
import { kindIn, kindOf, metadataOf, type Startable } from '../../../domain/task/startable.ts'
import { OWN_WORKTREE } from '../../../domain/worktree/worktree.ts'
import type { Context } from '../../door/core.ts'
import { choosePlace, placesOf, whyNotThere } from '../../hosts/steps/placement.ts'

type SchedulerRow = Pick<
  TaskRow,
  | 'id'
  | 'persona_id'
  | 'target_worktree'
  | 'command'
  | 'command_allowed'
  | 'created_by'
  | 'metadata'
  | 'wanted_agent_id'
>

/** The facts about tasks that the scheduler's rules need. */
export const startableOf = async (
  context: Pick<Context, 'db' | 'now' | 'settings' | 'missingProgram'>,
  rows: readonly SchedulerRow[],
): Promise<readonly Startable[]> => {
  const { db, now, settings, missingProgram } = context
  const [placed, endedRows, paused, asleepRows, spent] = await together(
    whyUnplaced(context, rows),
    selectWorktrees(db, { folders: ['leaving', 'gone'] }),
    selectPausedTasks(db),
    selectSleeps(db, now),
    askedSession(db),
  )
  const ended = new Set(endedRows.map((worktree) => worktree.name))
  const asked = new Map(paused.map((task) => [task.task_id, task.asked]))
  const sleeps = new Map(asleepRows.map((sleep) => [sleep.kind, sleep.until]))
  const asleep = (task: Startable): string | null => {
    const kind = sleeps.size === 0 ? null : kindOf(task, settings)
    const until = kind === null ? undefined : sleeps.get(kind)
    return kind === null || until === undefined ? null : `it is ${sleepWords({ kind, until }, now)}`
  }
  const session = spent ? "the session's budget is used up; answer with 'aiswarm session budget'" : null
  const missing = (task: Startable): string | undefined =>
    placed === undefined
      ? missingProgram?.(kindOf(task, settings) ?? '')
      : placed({ ...task, kind: kindOf(task, settings) })
  const held = (task: Startable): Startable => ({
    ...task,
    held:
      missing(task) ??
      (asked.has(task.id)
        ? `its budget is used up; answer with 'aiswarm task budget ${asked.get(task.id)}'`
        : (session ?? asleep(task))),
  })
  const startable = rows.map((row) => ({
    id: row.id,
    personaId: row.persona_id,
    worktree: row.target_worktree,
    worktreeEnded: row.target_worktree !== null && ended.has(row.target_worktree),
    command: row.command,
    commandAllowed: row.command_allowed === 1,
    createdBy: row.created_by,
    kind: kindIn(row.metadata),
    agentId: row.wanted_agent_id,
    ownWorktree: wantsOwnWorktree(row, settings),
  }))
  return asked.size + sleeps.size === 0 && session === null && missingProgram === undefined && placed === undefined
    ? startable
    : startable.map(held)
}

/** A task with the kind of the agent that would work on it. */
type PlacedTask = Pick<Startable, 'kind' | 'worktree' | 'ownWorktree'>

/**
 * Tells why a task has no host to run on; undefined where the board has one host, which runs all. A task in a worktree runs
 * on the host where that lies, a task without one in the main checkout, on the first host.
 */
export const whyUnplaced = async (
  context: Pick<Context, 'db' | 'now' | 'settings'>,
  rows: readonly Pick<TaskRow, 'target_worktree'>[],
): Promise<((task: PlacedTask) => string | undefined) | undefined> => {
  const places = await placesOf(context)
  if (places === undefined) return undefined
  const hosts = await selectHostsOf(
    context.db,
    rows.flatMap((row) => row.target_worktree ?? []),
  )
  return (task) => {
    const { kind } = task
    if (task.ownWorktree === true)
      return choosePlace(places, { worktree: '', kind }) ? undefined : 'no host that could run it has room'
    const id = (task.worktree === null ? undefined : hosts.get(task.worktree)) ?? LOCAL
    const place = places.find((one) => one.id === id)
    const why = place === undefined ? 'its host has left the board' : whyNotThere(place, kind)
    return why === undefined ? undefined : `it works in ${task.worktree ?? 'the main checkout'}, and ${why}`
  }
}

/**
 * A named agent of seed 000 works in the folder that its board names. A command works in the main checkout, unless its
 * task asks for a worktree.
 */
const wantsOwnWorktree = (row: SchedulerRow, settings: Context['settings']): boolean =>
  row.target_worktree === null &&
  row.wanted_agent_id === null &&
  ((settings.worktrees.perTask && row.command === null) || metadataOf(row.metadata)['worktree'] === OWN_WORKTREE)
