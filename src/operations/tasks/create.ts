import { z } from 'zod'
import { selectHeldTasks } from '../../db/agents.ts'
import { selectLatestIntegration } from '../../db/integrations.ts'
import { selectRunningSession } from '../../db/sessions.ts'
import { insertDependencies } from '../../db/task-dependencies.ts'
import {
  type Assignment,
  insertAssignment,
  insertCriteria,
  insertTask,
  selectTasks,
  type TaskRow,
} from '../../db/tasks.ts'
import { isTrusted } from '../../domain/agent/actor.ts'
import { budgetOf } from '../../domain/budget/budget.ts'
import { mostOf, refuseBeyond } from '../../domain/rules/capacity.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { placeWishIn, withPlaceWish } from '../../domain/task/metadata.ts'
import { wantsOwnWorktree } from '../../domain/task/startable.ts'
import { OWN_WORKTREE } from '../../domain/worktree/worktree.ts'
import { limitsInput, saveTaskBudget } from '../budgets/budgets.ts'
import { findHost } from '../hosts/hosts.ts'
import type { Context } from '../perform/core.ts'
import { findActiveWorktree, findPersona, findTask } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import {
  atMostOneMegabyte,
  hostLabels,
  json,
  LABELS,
  lazyStrictObject,
  personaId,
  taskId,
  text,
  worktreeName,
} from '../perform/schemas.ts'
import { taskView, viewTask } from '../views/tasks.ts'
import { refuseMoreTasks } from './limits.ts'

// New tasks: their drafts, and the checks of these.

export const createTask = operation({
  name: 'create_task',
  summary: 'Create a task',
  access: 'write',
  authority: 'anyone',
  input: () => taskDraft().extend({ budget: budgetInput }),
  output: taskView,
  run: async (context, { budget, ...draft }) => {
    refuseBudget(context, budget)
    const id = await addTask(context, draft)
    await setBudget(context, id, budget)
    return viewTask(context.db, id)
  },
  subject: (task) => ({ taskId: task.id, worktree: task.targetWorktree }),
})

export type TaskDraft = z.input<typeof createTask.input>

export const createSubtask = operation({
  name: 'create_subtask',
  summary: 'Create a subtask for a part of your task',
  access: 'write',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      title: z.string().trim().min(1, 'a title is required').max(500),
      description: text(200_000),
      personaId,
      parentTaskId: taskId.optional().describe('Parent task (default: yours, if you hold just one)'),
      targetWorktree: worktreeName.optional().describe("Worktree to do it in (default: the parent's)"),
    }),
  output: taskView,
  run: async (context, { parentTaskId, targetWorktree, ...draft }) => {
    const { db, actor } = context
    const parent = await parentOf(context, parentTaskId)
    const worktree = targetWorktree ?? parent?.target_worktree ?? undefined
    if (
      actor.kind === 'agent' &&
      actor.role === 'worker' &&
      worktree !== (parent?.target_worktree ?? actor.worktree ?? undefined)
    ) {
      throw new Refusal(
        'worktree_mismatch',
        `${actor.id} works in ${actor.worktree ?? 'the repository root'}; only a planner may create tasks elsewhere.`,
      )
    }
    const id = await addTask(context, {
      ...draft,
      priority: parent?.priority ?? 0,
      dependencies: [],
      acceptanceCriteria: [],
      ...(parent ? { parentTaskId: parent.id } : {}),
      ...(worktree === undefined ? {} : { targetWorktree: worktree }),
    })
    return viewTask(db, id)
  },
  subject: (task) => ({ taskId: task.id, worktree: task.targetWorktree, details: { parent: task.parentTaskId } }),
})

/** A worker may divide only a task that it holds. */
const parentOf = async ({ db, actor }: Context, parentTaskId: number | undefined) => {
  const held = actor.kind === 'agent' ? (await selectHeldTasks(db, [actor.id])).map((task) => task.task_id) : []
  const id = parentTaskId ?? (held.length === 1 ? held[0] : undefined)
  const restricted = !isTrusted(actor) && actor.kind === 'agent' && actor.role === 'worker'
  if (restricted && (id === undefined || !held.includes(id))) {
    throw new Refusal(
      'not_allowed',
      id === undefined
        ? `${actor.id} holds no task to divide. Claim one first.`
        : `${actor.id} does not hold task ${id}; only its holder or a planner may divide it.`,
    )
  }
  return id === undefined ? undefined : findTask(db, id)
}

/** The input of a new task (seed 004's CreateTaskRequest and the fields that its interfaces add). */
export const taskDraft = lazyStrictObject(() => ({
  title: z.string().trim().min(1, 'a title is required').max(500),
  description: text(200_000).default(''),
  personaId,
  priority: z.int().default(0).describe('Higher is more important'),
  dependencies: z.array(taskId).max(1000).default([]),
  targetWorktree: worktreeName.optional(),
  parentTaskId: taskId.optional(),
  command: z.string().min(1).max(200_000).optional().describe('Shell command that does it'),
  contextRef: text(2000).optional(),
  acceptanceCriteria: z.array(text(10_000)).max(200).default([]),
  // Every agent pays for the words of these.
  host: z.string().optional().describe('Of its worktree'),
  labels: z
    .array(z.string())
    .refine((labels) => hostLabels().safeParse(labels).success, LABELS)
    .optional(),
  metadata: atMostOneMegabyte(json, 'keep it in a file and name that').optional(),
}))

/**
 * Creates one task and returns its number. An assignment names the agent, the folder and the number of attempts;
 * `number` is the id to use.
 */
export const addTask = async (
  context: Context,
  given: z.output<ReturnType<typeof taskDraft>>,
  assignment?: Assignment,
  number?: number,
): Promise<number> => {
  const { db, now, actor } = context
  const draft = await checkDraft(context, given)
  const dependencies = [...new Set(draft.dependencies)]
  const id = await insertTask(
    db,
    {
      ...(number === undefined ? {} : { id: number }),
      title: draft.title,
      description: draft.description,
      persona_id: draft.personaId,
      context_ref: draft.contextRef ?? null,
      priority: draft.priority,
      target_worktree: draft.targetWorktree ?? null,
      parent_task_id: draft.parentTaskId ?? null,
      command: draft.command ?? null,
      session_id: (await selectRunningSession(db))?.id ?? null,
      created_by: actor.id,
      created_at: now,
      metadata: draft.metadata === undefined ? null : JSON.stringify(draft.metadata),
    },
    // A command from an agent or a client waits for a person's approval before it runs.
    { command_allowed: !isTrusted(actor) && draft.command !== undefined ? 0 : 1, changed_at: now },
  )
  refuseBeyond(id - 1, mostOf.tasks, 'tasks on the board so far', 'Begin another board for further work.')
  await insertDependencies(db, id, dependencies)
  await insertCriteria(db, id, draft.acceptanceCriteria)
  if (assignment) await insertAssignment(db, id, assignment)
  return id
}

/**
 * Refuses unknown personas, worktrees, parents and dependencies. Returns the draft as it is stored: the wishes for a
 * separate worktree and for its host are a part of the metadata.
 */
export const checkDraft = async (
  context: Context,
  given: z.output<ReturnType<typeof taskDraft>>,
): Promise<z.output<ReturnType<typeof taskDraft>>> => {
  const draft = withPlace(given.targetWorktree === OWN_WORKTREE ? withOwnWorktree(given) : given)
  await findPersona(context.db, draft.personaId)
  await refuseWish(
    context,
    {
      target_worktree: draft.targetWorktree ?? null,
      command: draft.command ?? null,
      wanted_agent_id: null,
      metadata: draft.metadata === undefined ? null : JSON.stringify(draft.metadata),
    },
    { here: 'Give it a worktree of its own with --worktree auto.', there: () => NO_PLACE },
  )
  if (draft.targetWorktree !== undefined) await refuseLeaving(context, draft.targetWorktree)
  if (draft.parentTaskId !== undefined) await findTask(context.db, draft.parentTaskId)
  await refuseMoreTasks(context, draft.parentTaskId)
  await refuseUnknown(context, [...new Set(draft.dependencies)])
  return draft
}

const NO_PLACE = 'Leave out the host and the labels, or use --worktree auto.'

type Draft = z.output<ReturnType<typeof taskDraft>>

/** The wish for a separate worktree is stored with the task: the worktree is created when an agent starts. */
const withOwnWorktree = ({ targetWorktree, metadata, ...draft }: Draft): Draft => ({
  ...draft,
  metadata: { ...asObject(metadata, `The worktree '${targetWorktree}' is`), worktree: OWN_WORKTREE },
})

/** So is the wish for a host. */
const withPlace = ({ host, labels, ...draft }: Draft): Draft =>
  host === undefined && labels === undefined
    ? draft
    : {
        ...draft,
        metadata: withPlaceWish(asObject(draft.metadata, 'The host and the labels are'), { host, labels }) as Metadata,
      }

type Metadata = Exclude<Draft['metadata'], undefined>

const asObject = (metadata: Draft['metadata'], what: string): Readonly<Record<string, Metadata>> => {
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)))
    throw new Refusal('invalid_input', `${what} stored in the metadata, so the metadata must be a JSON object.`)
  return metadata ?? {}
}

/** A worktree that is being integrated is about to be removed, so it accepts no new task. */
const refuseLeaving = async ({ db }: Context, name: string): Promise<void> => {
  await findActiveWorktree(db, name)
  const status = (await selectLatestIntegration(db, name))?.status
  if (status === 'approved' || status === 'moving')
    throw new Refusal('invalid_state', `Worktree ${name} is being integrated. Name another one for the task.`)
}

const refuseUnknown = async ({ db }: Context, dependencies: readonly number[]): Promise<void> => {
  if (dependencies.length === 0) return
  const known = new Set((await selectTasks(db, { ids: dependencies })).map((task) => task.id))
  const unknown = dependencies.find((id) => !known.has(id))
  if (unknown !== undefined)
    throw new Refusal('not_found', `The task depends on task ${unknown}, which does not exist. Create that one first.`)
}

/** The advice where a wish cannot be met: for a task in the main checkout, and for one in a worktree. */
interface Instead {
  readonly here: string
  readonly there: (worktree: string) => string
}

/** Only a worktree that is yet to be built can choose its host; labels may be given to a host later. */
export const refuseWish = async (
  { db, settings }: Pick<Context, 'db' | 'settings'>,
  task: Pick<TaskRow, 'target_worktree' | 'command' | 'wanted_agent_id' | 'metadata'>,
  instead: Instead,
): Promise<void> => {
  const { target_worktree: worktree, command, wanted_agent_id: agentId, metadata } = task
  const wish = placeWishIn(metadata)
  if (wish === undefined) return
  if (!wantsOwnWorktree({ worktree, agentId, command, metadata }, settings))
    throw new Refusal(
      'invalid_input',
      worktree === null
        ? `The task works in the main checkout, which is on the first host. ${instead.here}`
        : `Worktree ${worktree} decides on which host the task runs. ${instead.there(worktree)}`,
    )
  if (wish.host !== undefined) await findHost(db, wish.host)
}

/** The budget of a new task. */
export const budgetInput = limitsInput()
  .optional()
  .describe('What it may cost before a person is asked; only a person may set it')
type GivenBudget = z.output<typeof budgetInput>

export const refuseBudget = ({ actor }: Context, budget: GivenBudget): void => {
  if (budget !== undefined && !isTrusted(actor))
    throw new Refusal('not_allowed', 'Only a person may set the budget of a task.')
}

export const setBudget = async (context: Context, taskId: number, budget: GivenBudget): Promise<void> => {
  if (budget === undefined) return
  await saveTaskBudget(context, taskId, {
    budget: budgetOf({ costUsd: budget.costUsd ?? null, tokens: budget.tokens ?? null }),
    askedAt: null,
  })
}
