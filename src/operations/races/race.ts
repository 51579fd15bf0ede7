import { z } from 'zod'
import { selectAttempts, selectCommits } from '../../db/attempts.ts'
import { selectLatestRace, selectRaceOfRacer, selectRacers } from '../../db/races.ts'
import { selectOpenConflicts } from '../../db/radar.ts'
import type { RaceRow, RacerRow } from '../../db/schema/tasks.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { taskStates } from '../../domain/task/task.ts'
import { elapsed } from '../../domain/words/time.ts'
import { budgetOfTask, budgetView, usageOfTask, viewBudget } from '../budgets/budgets.ts'
import type { Context } from '../perform/core.ts'
import { findTask, findWorktree } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject, taskId } from '../perform/schemas.ts'
import { viewTasks } from '../views/tasks.ts'
import { usageView } from '../views/usage.ts'
import { viewWorktrees, worktreeView } from '../views/worktrees.ts'

export const raceView = lazyObject(() => ({
  taskId: z.int(),
  title: z.string(),
  status: z.enum(['running', 'picked', 'stopped']),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  /** The limits for all racers together, and their usage. */
  budget: budgetView(),
  usage: usageView(),
  racers: z.array(racerView()),
}))

export const readRace = operation({
  name: 'read_race',
  summary: 'Show the latest race of a task: its racers side by side, by facts',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ taskId }),
  output: raceView,
  run: async (context, input) => viewRace(context, await findRace(context, input.taskId)),
})

/** A racer with the facts that the database has. */
const racerView = lazyObject(() => ({
  taskId: z.int(),
  kind: z.string(),
  model: z.string().nullable(),
  /** The agent that works on it, or worked on it last. */
  agentId: z.string().nullable(),
  status: z.enum(taskStates),
  error: z.string().nullable(),
  attempts: z.int(),
  /** Milliseconds of all its attempts. */
  worked: z.int(),
  criteria: z.object({ met: z.int(), total: z.int() }),
  usage: usageView(),
  /** Recorded commits of its attempts. */
  commits: z.int(),
  worktree: worktreeView(),
  /** Other worktrees and targets with which it conflicts, without the other racers. */
  conflicts: z.array(z.string()),
  picked: z.boolean(),
}))
export type RacerView = z.output<ReturnType<typeof racerView>>

export type RaceView = z.output<ReturnType<typeof raceView>>

export const viewRace = async (context: Context, race: RaceRow): Promise<RaceView> => {
  const { db } = context
  const task = await findTask(db, race.task_id)
  const racers = await selectRacers(db, race.id)
  const rivals = new Set(racers.map(({ worktree }) => worktree))
  const views: RacerView[] = []
  for (const racer of racers) views.push(await viewRacer(context, race, racer, rivals))
  return {
    taskId: task.id,
    title: task.title,
    status: race.ended_at === null ? 'running' : race.picked === null ? 'stopped' : 'picked',
    startedAt: race.started_at,
    endedAt: race.ended_at,
    budget: viewBudget(await budgetOfTask(context, task.id)),
    usage: await usageOfTask(context, task.id),
    racers: views,
  }
}

const viewRacer = async (
  context: Context,
  race: RaceRow,
  racer: RacerRow,
  rivals: ReadonlySet<string>,
): Promise<RacerView> => {
  const { db, now } = context
  const [task] = await viewTasks(db, [await findTask(db, racer.task_id)])
  const attempts = await selectAttempts(db, racer.task_id)
  const [worktree] = await viewWorktrees(db, [await findWorktree(db, racer.worktree)])
  const conflicts = (await selectOpenConflicts(db, racer.worktree)).map((row) =>
    row.worktree === racer.worktree ? row.other : row.worktree,
  )
  return {
    taskId: racer.task_id,
    kind: racer.kind,
    model: racer.model,
    agentId: attempts.at(-1)?.agent_id ?? null,
    status: task!.status,
    error: task!.errorMessage,
    attempts: attempts.length,
    worked: attempts.reduce((sum, { claimed_at, ended_at }) => sum + elapsed(claimed_at, ended_at ?? now), 0),
    criteria: {
      met: task!.acceptanceCriteria.filter(({ met }) => met).length,
      total: task!.acceptanceCriteria.length,
    },
    usage: await usageOfTask(context, racer.task_id),
    commits: (await selectCommits(db, racer.task_id)).length,
    worktree: worktree!,
    conflicts: conflicts.filter((name) => !rivals.has(name)),
    picked: race.picked === racer.task_id,
  }
}

/** The latest race of a task, or the race in which it is a racer. */
export const findRace = async ({ db }: Pick<Context, 'db'>, taskId: number): Promise<RaceRow> => {
  await findTask(db, taskId)
  const race = (await selectLatestRace(db, taskId)) ?? (await selectRaceOfRacer(db, taskId))
  if (!race)
    throw new Refusal(
      'not_found',
      `Task ${taskId} was never raced. 'aiswarm task race ${taskId} --kinds claude,codex' starts a race.`,
    )
  return race
}

/** As `findRace`; refuses a race that has ended. */
export const findRunningRace = async (context: Pick<Context, 'db'>, taskId: number): Promise<RaceRow> => {
  const race = await findRace(context, taskId)
  if (race.ended_at !== null)
    throw new Refusal(
      'invalid_state',
      race.picked === null
        ? `The race of task ${race.task_id} was stopped without a winner, so there is nothing to decide.`
        : `The race of task ${race.task_id} is already decided: task ${race.picked} was picked.`,
    )
  return race
}
