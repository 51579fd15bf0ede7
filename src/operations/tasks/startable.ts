import { selectAgents, selectHeldTasks } from '../../db/agents.ts'
import { askedSession, selectPausedTasks } from '../../db/costs.ts'
import { type Db, together } from '../../db/engine/db.ts'
import { selectTasks, type TaskRow } from '../../db/tasks.ts'
import { selectWhereabouts, selectWorktrees } from '../../db/worktrees.ts'
import { sleepWords } from '../../domain/budget/budget.ts'
import { LOCAL } from '../../domain/host/host.ts'
import type { LiveAgent } from '../../domain/task/contention.ts'
import { kindIn, placeWishIn } from '../../domain/task/metadata.ts'
import { kindOf, type Startable, wantsOwnWorktree } from '../../domain/task/startable.ts'
import { notContinuedIn, restsUnbuilt, whyNotBuilt, whyNotContinued } from '../../domain/worktree/placement-failures.ts'
import { allPlaces, placesOf, whyNoPlace, whyNotThere } from '../hosts/placement.ts'
import { readSleeps } from '../hosts/quotas.ts'
import type { Context } from '../perform/core.ts'
import { whyFreer } from './confinement.ts'

// The facts for the scheduler's rules: tasks that can start, and live agents.

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
  context: Pick<Context, 'db' | 'now' | 'settings' | 'missingProgram' | 'unconfined'>,
  rows: readonly SchedulerRow[],
): Promise<readonly Startable[]> => {
  const { db, now, settings, missingProgram } = context
  const [placed, endedRows, paused, sleeps, spent] = await together(
    whyUnplaced(context, rows),
    selectWorktrees(db, { folders: ['leaving', 'gone'] }),
    selectPausedTasks(db),
    readSleeps(context),
    askedSession(db),
  )
  const ended = new Set(endedRows.map((worktree) => worktree.name))
  const asked = new Map(paused.map((task) => [task.task_id, task.asked]))
  // With several hosts it depends on the host whether a kind sleeps, so that is a part of the placement.
  const asleep = (task: Startable): string | null => {
    const sleep = placed === undefined ? sleeps?.of(kindOf(task, settings), LOCAL) : undefined
    return sleep === undefined ? null : `it is ${sleepWords(sleep, now)}`
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
      freer.get(task.id) ??
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
    ownWorktree: wantsOwnWorktree(
      { worktree: row.target_worktree, agentId: row.wanted_agent_id, command: row.command, metadata: row.metadata },
      settings,
    ),
    wish: placeWishIn(row.metadata),
  }))
  const freer = await freerOf(context, startable)
  return asked.size === 0 &&
    freer.size === 0 &&
    sleeps === undefined &&
    session === null &&
    missingProgram === undefined &&
    placed === undefined
    ? startable
    : startable.map(held)
}

/** The tasks of agents in sandboxes whose own agents would be in none, with the reason why a person must start them. */
const freerOf = async (
  context: Pick<Context, 'db' | 'settings' | 'unconfined'>,
  tasks: readonly Startable[],
): Promise<ReadonlyMap<number, string>> => {
  const found = new Map<number, string>()
  if (context.unconfined === undefined) return found
  for (const task of tasks) {
    const kind = kindOf(task, context.settings)
    const why = kind === null ? undefined : await whyFreer(context, task.createdBy, { personaId: task.personaId, kind })
    if (why !== undefined)
      found.set(task.id, `${why}; start it with 'aiswarm agent spawn --persona ${task.personaId} --task ${task.id}'`)
  }
  return found
}

/** A task with the kind of the agent that would work on it. */
type PlacedTask = Pick<Startable, 'kind' | 'worktree' | 'ownWorktree' | 'wish'>

/**
 * Tells why a task has no host to run on; undefined where the board has one host, which runs all. A task in a worktree runs
 * on the host where that lies, a task without one in the main checkout, on the first host.
 */
export const whyUnplaced = async (
  context: Pick<Context, 'db' | 'now' | 'settings'>,
  rows: readonly Pick<TaskRow, 'target_worktree' | 'metadata'>[],
): Promise<((task: PlacedTask) => string | undefined) | undefined> => {
  const isWished = (): boolean => rows.some(({ metadata }) => placeWishIn(metadata) !== undefined)
  const places = (await placesOf(context)) ?? (isWished() ? await allPlaces(context) : undefined)
  if (places === undefined) return undefined
  const whereabouts = await selectWhereabouts(
    context.db,
    rows.flatMap((row) => row.target_worktree ?? []),
  )
  return (task) => {
    const { kind } = task
    if (task.ownWorktree === true) return whyNoPlace(places, { worktree: '', kind, ...task.wish }, context.now)
    const there = task.worktree === null ? undefined : whereabouts.get(task.worktree)
    // A commit that an agent makes while its host pushes the branch would not travel.
    const to = there?.move_to ?? null
    if (to !== null)
      return `it works in ${task.worktree}, which moves to host ${places.find(({ id }) => id === to)?.name ?? to}`
    if (there !== undefined && restsUnbuilt(there))
      return `it works in ${task.worktree}, which is not built: ${whyNotBuilt(notContinuedIn(there.not_continued))}`
    const id = there?.host_id ?? LOCAL
    const place = places.find((one) => one.id === id)
    const why = place === undefined ? 'its host has left the board' : whyNotThere(place, kind)
    const sleep = place?.asleep(kind)
    if (why === undefined && sleep !== undefined) return `it is ${sleepWords(sleep, context.now)}`
    if (why === undefined) return undefined
    const failed = there && place?.isLost === true ? whyNotContinued(notContinuedIn(there.not_continued)) : undefined
    return `it works in ${task.worktree ?? 'the main checkout'}, and ${why}${failed === undefined ? '' : `; ${failed}`}`
  }
}

const standings = {
  none: 'external',
  waiting: 'waiting',
  wanted: 'working',
  started: 'working',
  ended: 'external',
} as const

/** The live agents for the scheduler's rules, with the worktree in which a self-registered one holds a task. */
export const liveAgentsOf = async (db: Db): Promise<readonly LiveAgent[]> => {
  const agents = await selectAgents(db, { live: true })
  const held = await selectHeldTasks(
    db,
    agents.flatMap(({ id, process }) => (process === 'none' ? id : [])),
  )
  const worktrees = new Map(
    held.length === 0
      ? []
      : (await selectTasks(db, { ids: held.map(({ task_id }) => task_id) })).map((task) => [
          task.id,
          task.target_worktree,
        ]),
  )
  const busyIn = new Map(held.map(({ agent_id, task_id }) => [agent_id, worktrees.get(task_id) ?? null]))
  return agents.map((agent) => ({
    id: agent.id,
    personaId: agent.persona_id,
    kind: agent.kind,
    worktree: agent.assigned_worktree,
    standing: standings[agent.process],
    ...(busyIn.has(agent.id) ? { busyIn: busyIn.get(agent.id)! } : {}),
  }))
}
