import { z } from 'zod'
import { selectAttempts, selectCommits } from '../../db/attempts.ts'
import { selectLatestIntegration } from '../../db/integrations.ts'
import { endRace, selectRacers } from '../../db/races.ts'
import type { RaceRow, RacerRow } from '../../db/schema/tasks.ts'
import { selectCriteria } from '../../db/tasks.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { step } from '../../domain/rules/state-machine.ts'
import { endedAmong } from '../../domain/settings/hooks.ts'
import { isHeld, standingOf, taskMachine } from '../../domain/task/task.ts'
import type { Context } from '../perform/core.ts'
import { findActiveWorktree, findTask, findTaskFacts, findWorktree, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { taskId } from '../perform/schemas.ts'
import { addHolder, endAgent } from '../runs/agents.ts'
import { cancelTask, claimFor, completeHeld } from '../tasks/attempts.ts'
import { markMet } from '../tasks/criteria.ts'
import { discardWorktree } from '../worktrees/discard.ts'
import { findRace, findRunningRace, raceView, viewRace } from './race.ts'

export const pickRacer = operation({
  name: 'pick_racer',
  summary: 'Pick a racer: its worktree waits for your approval, the others end and are archived',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () =>
    z.strictObject({ taskId, racer: z.string().min(1).max(200).describe('A worktree or an agent of the race') }),
  output: () =>
    raceView().extend({
      discarded: z.array(z.string()),
      cancelled: z.array(z.int()),
      ended: z.array(z.object({ taskId: z.int(), attempt: z.int(), status: z.enum(['completed', 'failed']) })),
    }),
  run: async (context, input) => {
    const { db, now } = context
    const race = await findRunningRace(context, input.taskId)
    await refuseOver(context, race)
    const racers = await selectRacers(db, race.id)
    const winner = await findRacer(context, race, racers, input.racer)
    await refuseUnready(context, race, winner)
    const ended = await endRacers(
      context,
      racers.filter(({ task_id }) => task_id !== winner.task_id),
      `${winner.worktree} was picked in the race of task ${race.task_id}`,
    )
    must(await endRace(db, race.id, { ended_at: now, picked: winner.task_id }), `The race of task ${race.task_id}`)
    await completeRaced(context, race, winner)
    const task = await findTask(db, race.task_id)
    return { ...(await viewRace(context, await findRace(context, task.id))), ...ended, ended: endedAmong([task]) }
  },
  subject: ({ taskId, racers, discarded, cancelled, ended }) => {
    const winner = racers.find(({ picked }) => picked)!
    return {
      taskId,
      worktree: winner.worktree.name,
      details: { picked: winner.taskId, discarded, cancelled, ended },
    }
  },
  wish: ({ discarded }) => ({
    kind: 'all',
    wishes: discarded.map((worktree) => ({ kind: 'remove_worktree', worktree })),
  }),
  reread: async (context, { taskId, discarded, cancelled, ended }) => ({
    ...(await viewRace(context, await findRace(context, taskId))),
    discarded,
    cancelled,
    ended,
  }),
})

/** Its worktree may have been discarded, and the task with it. */
const refuseOver = async ({ db }: Context, race: RaceRow): Promise<void> => {
  const { facts } = await findTaskFacts(db, race.task_id)
  if (facts.status !== 'pending')
    throw new Refusal(
      'invalid_state',
      `${standingOf(facts)}, so no racer can be picked. 'aiswarm task race ${race.task_id} --stop' ends the race.`,
    )
}

/** The racer with a worktree or an agent of this name. */
const findRacer = async (
  { db }: Context,
  race: RaceRow,
  racers: readonly RacerRow[],
  name: string,
): Promise<RacerRow> => {
  for (const racer of racers) {
    if (racer.worktree === name) return racer
    if ((await selectAttempts(db, racer.task_id)).some(({ agent_id }) => agent_id === name)) return racer
  }
  throw new Refusal(
    'not_found',
    `'${name.slice(0, 60)}' is no racer of task ${race.task_id}. Its racers are ${racers.map(({ worktree }) => worktree).join(', ')}.`,
  )
}

/** Refuses a racer that has not finished, has no commits, or was not verified. */
const refuseUnready = async ({ db }: Context, race: RaceRow, { task_id: id, worktree }: RacerRow): Promise<void> => {
  const { facts } = await findTaskFacts(db, id)
  if (facts.status === 'pending' || isHeld(facts.status))
    throw new Refusal('unfinished_tasks', `${standingOf(facts)}, so ${worktree} is not ready. Wait until it ends.`)
  if (facts.status !== 'completed')
    throw new Refusal(
      'invalid_state',
      `${standingOf(facts)}. Retry it ('aiswarm task retry ${id}'), or pick another racer.`,
    )
  // A person may have merged it already.
  if ((await findWorktree(db, worktree)).status === 'integrated') return
  await findActiveWorktree(db, worktree)
  if ((await selectAttempts(db, id)).some(({ commits_recorded: recorded }) => recorded === 0))
    throw new Refusal('invalid_state', `The commits of ${worktree} are still being read. Try again in a moment.`)
  if ((await selectCommits(db, id)).length === 0)
    throw new Refusal(
      'invalid_state',
      `${worktree} has no commits, so there is nothing to integrate. Pick another racer.`,
    )
  const integration = await selectLatestIntegration(db, worktree)
  const status = integration?.ended_at === null ? integration.status : undefined
  if (status === undefined)
    throw new Refusal(
      'invalid_state',
      `${worktree} was not verified. 'aiswarm task race ${race.task_id} --verify' merges and verifies the racers without approving anything; then pick one.`,
    )
  if (status === 'requested' || status === 'verifying')
    throw new Refusal(
      'invalid_state',
      `${worktree} is not verified yet: its verification is running. Pick it when that has ended.`,
    )
}

/** The person who picks completes the raced task, with what the winner has met. */
const completeRaced = async (context: Context, race: RaceRow, winner: RacerRow): Promise<void> => {
  const { db } = context
  const raced = await findTask(db, race.task_id)
  const holder = await addHolder(context, raced.persona_id)
  await claimFor(context, raced, holder)
  const { worktree, task_id: task, kind, model } = winner
  await completeHeld(context, await findTask(db, race.task_id), {
    data: JSON.stringify({ picked: { worktree, task, kind, model } }),
    artifacts: null,
  })
  await endAgent(context, holder)
  const met = (await selectCriteria(db, [winner.task_id])).filter((row) => row.met === 1)
  await markMet(
    db,
    race.task_id,
    met.map(({ text }) => text),
  )
}

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

/** The worktrees that were discarded, and the tasks that were cancelled with them. */
interface EndedRacers {
  readonly discarded: string[]
  readonly cancelled: number[]
}

/** Ends racers: their agents stop, their unfinished tasks are cancelled, their worktrees are archived as any other. */
const endRacers = async (context: Context, racers: readonly RacerRow[], reason: string): Promise<EndedRacers> => {
  const { db } = context
  const discarded: string[] = []
  const cancelled: number[] = []
  for (const { worktree, task_id: id } of racers) {
    if ((await findWorktree(db, worktree)).status === 'active') {
      cancelled.push(...(await discardWorktree.run(context, { worktreeName: worktree, reason })).cancelled)
      discarded.push(worktree)
    }
    // A person may have moved it to another worktree.
    const task = await findTask(db, id)
    // A failed one would still ask for an answer.
    if (step(taskMachine, 'cancel', task.status) === undefined) continue
    await cancelTask(context, task, reason)
    cancelled.push(id)
  }
  return { discarded, cancelled }
}
