import { z } from 'zod'
import { endRace, selectRacers } from '../../db/races.ts'
import { taskId } from '../perform/schemas.ts'
import { must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { endRacers } from './end-racers.ts'
import { findRace, findRunningRace } from './find-race.ts'
import { raceView, viewRace } from './race-view.ts'

export const stopRace = operation({
  name: 'stop_race',
  summary: 'End a race without a winner: its racers end and are archived, and its task is pending again',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () => z.strictObject({ taskId }),
  output: () => raceView().extend({ discarded: z.array(z.string()), cancelled: z.array(z.int()) }),
  run: async (context, input) => {
    const { db, now } = context
    const race = await findRunningRace(context, input.taskId)
    const racers = await selectRacers(db, race.id)
    const ended = await endRacers(context, racers, `the race of task ${race.task_id} was stopped`)
    must(await endRace(db, race.id, { ended_at: now, picked: null }), `The race of task ${race.task_id}`)
    return { ...(await viewRace(context, await findRace(context, race.task_id))), ...ended }
  },
  subject: ({ taskId, discarded, cancelled }) => ({ taskId, details: { discarded, cancelled } }),
  wish: ({ discarded }) => ({
    kind: 'all',
    wishes: discarded.map((worktree) => ({ kind: 'remove_worktree', worktree })),
  }),
  reread: async (context, { taskId, discarded, cancelled }) => ({
    ...(await viewRace(context, await findRace(context, taskId))),
    discarded,
    cancelled,
  }),
})
