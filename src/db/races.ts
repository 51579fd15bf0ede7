import { type Db, statement } from './engine/db.ts'
import type { RaceRow, RacerRow } from './schema/tasks.ts'

export const insertRace = async (
  db: Db,
  race: Pick<RaceRow, 'task_id' | 'started_by' | 'started_at'>,
): Promise<number> => (await db.insertInto('races').values(race).returning('id').executeTakeFirstOrThrow()).id

export const insertRacer = async (db: Db, racer: RacerRow): Promise<void> => {
  await db.insertInto('racers').values(racer).execute()
}

/** Ends a race that runs, with the task that was picked or without one. */
export const endRace = async (db: Db, id: number, end: Pick<RaceRow, 'ended_at' | 'picked'>): Promise<boolean> =>
  (await db.updateTable('races').set(end).where('id', '=', id).where('ended_at', 'is', null).executeTakeFirst())
    .numUpdatedRows === 1n

/** The latest race of a task. */
export const selectLatestRace = async (db: Db, taskId: number): Promise<RaceRow | undefined> =>
  (await latestOf(db, { taskId })).rows[0]

const latestOf = statement((db, { taskId }: { taskId: number }) =>
  db.selectFrom('races').where('task_id', '=', taskId).selectAll().orderBy('id', 'desc').limit(1),
)

export const selectRacers = async (db: Db, raceId: number): Promise<readonly RacerRow[]> =>
  db.selectFrom('racers').where('race_id', '=', raceId).selectAll().orderBy('position').execute()

/** The race in which a task is a racer, and the kind of its agent there. */
export const selectRaceOfRacer = async (
  db: Db,
  taskId: number,
): Promise<(RaceRow & Pick<RacerRow, 'kind'>) | undefined> => (await raceOfRacer(db, { taskId })).rows[0]

const raceOfRacer = statement((db, { taskId }: { taskId: number }) =>
  db
    .selectFrom('racers')
    .innerJoin('races', 'races.id', 'racers.race_id')
    .where('racers.task_id', '=', taskId)
    .selectAll('races')
    .select('racers.kind'),
)

/** The racers of all races of a task: what they have used counts for it, however a race ended. */
export const selectCountedRacers = async (db: Db, taskId: number): Promise<readonly number[]> =>
  (await countedRacers(db, { taskId })).rows.map(({ task_id }) => task_id)

const countedRacers = statement((db, { taskId }: { taskId: number }) =>
  db
    .selectFrom('races')
    .innerJoin('racers', 'racers.race_id', 'races.id')
    .where('races.task_id', '=', taskId)
    .select('racers.task_id'),
)

/** The worktrees of all racers of races that run. */
export const selectRunningRacers = async (db: Db): Promise<readonly { readonly worktree: string }[]> =>
  db
    .selectFrom('racers')
    .innerJoin('races', 'races.id', 'racers.race_id')
    .where('races.ended_at', 'is', null)
    .select('racers.worktree')
    .execute()
