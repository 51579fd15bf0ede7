import { z } from 'zod'
import { insertRace, insertRacer, selectLatestRace, selectRaceOfRacer } from '../../db/races.ts'
import type { TaskRow } from '../../db/tasks.ts'
import { selectWorktree } from '../../db/worktrees.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { personaWrites } from '../../domain/settings/persona-settings.ts'
import { placeWishIn } from '../../domain/task/metadata.ts'
import { COMMAND_KIND } from '../../domain/task/startable.ts'
import { whyNot } from '../../domain/task/task.ts'
import { raceWorktreeName } from '../../domain/worktree/worktree.ts'
import { limitsInput, refuseSpent } from '../budgets/budgets.ts'
import type { Context } from '../perform/core.ts'
import { findTaskFacts, refuseUnknownKind } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { lazyStrictObject, taskId } from '../perform/schemas.ts'
import { branchOfTask, draftOfCopy, labelledTitle } from '../tasks/copy.ts'
import { addTask } from '../tasks/create.ts'
import { changeBudget } from '../tasks/edits.ts'
import { addWorktree } from '../worktrees/create.ts'
import { raceView, viewRace } from './race.ts'

const racer = lazyStrictObject(() => ({
  kind: z.string().min(1).max(50),
  model: z.string().min(1).max(200).optional(),
}))
type Racer = z.output<ReturnType<typeof racer>>

export const startRace = operation({
  name: 'start_race',
  summary: 'Race a task: the same task in several worktrees, by agents of several kinds or models',
  access: 'write',
  authority: 'person',
  input: () =>
    z.strictObject({
      taskId,
      racers: z.array(racer()).min(2, 'a race needs at least two racers').max(8, 'a race has at most eight racers'),
      budget: limitsInput().optional().describe('What all racers together may cost before a person is asked'),
    }),
  output: raceView,
  run: async (context, { taskId: id, racers, budget }) => {
    const { db, now, actor } = context
    const { task, facts } = await findTaskFacts(db, id)
    const why = whyNot('claim', facts)
    if (why !== undefined) throw new Refusal('invalid_state', why)
    await refuseUnraceable(context, task)
    for (const { kind } of racers) refuseKind(context, kind)
    if (budget !== undefined)
      await changeBudget(context, id, { costUsd: budget.costUsd ?? null, tokens: budget.tokens ?? null })
    await refuseSpent(context, id)
    const draft = await draftOfCopy(context, task)
    const source = await branchOfTask(context, task)
    const race = await insertRace(db, { task_id: id, started_by: actor.id, started_at: now })
    for (const [at, { kind, model = null }] of racers.entries()) {
      const racer = { kind, ...(model === null ? {} : { model }) }
      const worktree = await addRacerWorktree(context, task, racer, source)
      const number = await addTask(context, {
        ...draft,
        parentTaskId: task.id,
        title: labelledTitle(task.title, model === null ? kind : `${kind} ${model}`),
        targetWorktree: worktree,
        metadata: { ...draft.metadata, cli: kind, ...(model === null ? {} : { model }) },
      })
      await insertRacer(db, { race_id: race, position: at + 1, task_id: number, worktree, kind, model })
    }
    return viewRace(context, (await selectLatestRace(db, id))!)
  },
  subject: ({ taskId, racers }) => ({
    taskId,
    details: {
      racers: racers.map(({ taskId, kind, model, worktree }) => ({ taskId, kind, model, worktree: worktree.name })),
    },
  }),
  wish: ({ racers }) => ({
    kind: 'all',
    wishes: racers.map(({ worktree }) => ({ kind: 'build_worktree', worktree: worktree.name })),
  }),
  reread: async (context, { taskId }) => viewRace(context, (await selectLatestRace(context.db, taskId))!),
})

const refuseUnraceable = async ({ db, settings }: Context, task: TaskRow): Promise<void> => {
  const why = await whyUnraceable()
  if (why !== undefined) throw new Refusal('invalid_state', `Task ${task.id} cannot be raced: ${why}.`)

  async function whyUnraceable(): Promise<string | undefined> {
    const outer = await selectRaceOfRacer(db, task.id)
    if (outer?.ended_at === null) return `it is itself a racer, of task ${outer.task_id}`
    if (task.command !== null) return 'it runs a shell command, which is the same for every kind of agent'
    if (task.wanted_agent_id !== null) return `it is for agent ${task.wanted_agent_id} alone`
    if (!personaWrites(settings, task.persona_id))
      return `its persona ${task.persona_id} changes no files, so there would be nothing to compare`
    return undefined
  }
}

const refuseKind = (context: Context, kind: string): void => {
  refuseUnknownKind(context, kind)
  if (kind === COMMAND_KIND)
    throw new Refusal('invalid_input', `The kind ${COMMAND_KIND} runs the command of a task, so it cannot race.`)
  const missing = context.missingProgram?.(kind)
  if (missing !== undefined)
    throw new Refusal('missing_binary', `Kind ${kind} cannot race: ${missing}. 'aiswarm doctor' lists the kinds.`)
}

const addRacerWorktree = async (
  context: Context,
  { id, metadata }: TaskRow,
  { kind, model }: Racer,
  sourceBranch: string | undefined,
): Promise<string> => {
  const name = raceWorktreeName(id, kind, model ?? null)
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name}-${n}`
    if (await selectWorktree(context.db, free)) continue
    const source = sourceBranch === undefined ? {} : { sourceBranch }
    await addWorktree(context, { name: free, branchName: free, ...source }, { kind, ...placeWishIn(metadata) })
    return free
  }
}
