import { selectLatestRace, selectRaceOfRacer } from '../../db/races.ts'
import type { RaceRow } from '../../db/schema/tasks.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from '../perform/core.ts'
import { findTask } from '../perform/find.ts'

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
