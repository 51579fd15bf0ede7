import { z } from 'zod'
import { taskId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { findRace } from './find-race.ts'
import { raceView, viewRace } from './race-view.ts'

export const readRace = operation({
  name: 'read_race',
  summary: 'Show the latest race of a task: its racers side by side, by facts',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ taskId }),
  output: raceView,
  run: async (context, input) => viewRace(context, await findRace(context, input.taskId)),
})
