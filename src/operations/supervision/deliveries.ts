import { createHash } from 'node:crypto'
import { z } from 'zod'
import { selectEvents, selectLastEventId } from '../../db/events.ts'
import {
  changeDelivery,
  deleteEndedDeliveries,
  deleteHook,
  insertDelivery,
  insertHook,
  moveHook,
  postponeDeliveries,
  selectDelivery,
  selectDueDelivery,
  selectHooks,
  selectNextDelivery,
} from '../../db/hooks.ts'
import { selectIntegrations } from '../../db/integrations.ts'
import type { EventRow, HookRow } from '../../db/schema/schema.ts'
import { selectSessionAt } from '../../db/sessions.ts'
import { selectTask } from '../../db/tasks.ts'
import { selectWorktree } from '../../db/worktrees.ts'
import {
  DELIVERY_PATIENCE,
  deliveryDelay,
  hookEvents,
  type Occurrence,
  occurrencesOf,
} from '../../domain/settings/hooks.ts'
import { elapsed, later } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { refuseLapsed } from '../perform/roles.ts'
import { lazyObject, parsed, text } from '../perform/schemas.ts'
import { viewEvent } from '../views/events.ts'

// Deliveries of events to configured hooks.

/** The number of events read in one transaction, for one hook. */
const AT_ONCE = 500

/** How long an ended delivery stays visible (ms). */
const KEPT = 7 * 86_400_000

export const planDeliveries = operation({
  name: 'plan_deliveries',
  summary: 'Create a delivery of every event that a configured hook has not received',
  // Writes no event, because that would be one more to read.
  access: 'beat',
  authority: 'system',
  input: () =>
    z.strictObject({
      hooks: z.array(z.object({ key: z.string(), event: z.enum(hookEvents) })).describe('All configured hooks'),
      forget: z.boolean().describe('Delete the other hooks and their pending deliveries'),
    }),
  output: () => z.object({ more: z.boolean() }),
  run: async (context, { hooks, forget }) => {
    await refuseLapsed(context)
    const { db, now } = context
    const known = await selectHooks(db)
    const last = await selectLastEventId(db)
    if (forget) for (const { key } of known) if (!hooks.some((hook) => hook.key === key)) await deleteHook(db, key)
    let more = false
    for (const hook of hooks) {
      const row = known.find(({ key }) => key === hook.key)
      // A new hook receives future events, not past ones.
      if (!row) await insertHook(db, { ...hook, after_event: last, seen_at: now })
      else if (row.after_event < last) more = (await planFor(context, row)) || more
    }
    await deleteEndedDeliveries(db, later(now, -KEPT))
    return { more }
  },
})

/** True if unread events are left. */
const planFor = async (context: Context, hook: HookRow): Promise<boolean> => {
  const events = await selectEvents(context.db, { afterId: hook.after_event, limit: AT_ONCE })
  for (const event of events) {
    for (const occurrence of occurrencesOf(viewEvent(event)))
      if (occurrence.event === hook.event) await plan(context, hook.key, event, occurrence)
  }
  await moveHook(context.db, hook.key, events.at(-1)!.id)
  return events.length === AT_ONCE
}

const plan = async (context: Context, hook: string, event: EventRow, occurrence: Occurrence): Promise<void> => {
  const { db, now, root } = context
  const about =
    'taskId' in occurrence
      ? { task_id: occurrence.taskId, worktree: null }
      : { task_id: null, worktree: occurrence.worktree }
  // Receivers may serve several repositories, so the id must differ between them.
  const id = createHash('sha256')
    .update(JSON.stringify([root, hook, event.id, about]))
    .digest('hex')
    .slice(0, 32)
  const payload = JSON.stringify(await hookPayload(context, id, event, occurrence))
  await insertDelivery(db, { id, hook, event_id: event.id, ...about, payload, planned_at: now, next_try_at: now })
}

/**
 * The payload for a hook: `{id, event, at, session, task | worktree}`. `id` is the same at every try, so that a
 * receiver can recognise a repetition; `session` is the one that ran at that moment, or null.
 */
const hookPayload = async (
  context: Context,
  id: string,
  { at }: EventRow,
  occurrence: Occurrence,
): Promise<Record<string, unknown>> => {
  const { db } = context
  const session = (await selectSessionAt(db, at))?.id ?? null
  const told =
    'taskId' in occurrence
      ? { task: await taskOf(context, occurrence) }
      : { worktree: await worktreeOf(context, occurrence.worktree) }
  return { id, event: occurrence.event, at, session, ...told }
}

/**
 * Attempt and status are the event's, because the task may have been retried meanwhile. The description is left out
 * because it may be long.
 */
const taskOf = async (
  { db }: Context,
  { event, taskId, attempt }: Extract<Occurrence, { taskId: number }>,
): Promise<Record<string, unknown>> => {
  const row = (await selectTask(db, taskId))!
  return {
    id: taskId,
    title: row.title,
    personaId: row.persona_id,
    status: event === 'task.completed' ? 'completed' : 'failed',
    attempt,
    retryCount: row.retry_count,
    priority: row.priority,
    targetWorktree: row.target_worktree,
    parentTaskId: row.parent_task_id,
    assignedAgentId: row.assigned_agent_id,
    createdAt: row.created_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    errorMessage: row.error_message,
    resultData: parsed(row.result_data),
    artifacts: parsed(row.artifacts) ?? [],
    metadata: parsed(row.metadata),
  }
}

const worktreeOf = async ({ db }: Context, name: string): Promise<Record<string, unknown>> => {
  const row = (await selectWorktree(db, name))!
  const integration = (await selectIntegrations(db, { worktrees: [name], statuses: ['integrated'] })).at(-1)
  return {
    name,
    branchName: row.branch_name,
    status: row.status,
    integrationTarget: row.integration_target,
    mergeOid: integration?.merge_oid ?? null,
    approvedBy: integration?.approved_by ?? null,
  }
}

const delivery = lazyObject(() => ({
  id: z.string(),
  hook: z.string(),
  taskId: z.int().nullable(),
  worktree: z.string().nullable(),
  /** The JSON as it is sent. */
  payload: z.string(),
  tries: z.int(),
}))
export type Delivery = z.output<ReturnType<typeof delivery>>

export const readDeliveries = operation({
  name: 'read_deliveries',
  summary: 'Read the next delivery of each of these hooks, and when more are due',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ hooks: z.array(z.string()) }),
  output: () =>
    z.object({
      /** Keys of all hooks in the database. */
      known: z.array(z.string()),
      /** At most one per hook. */
      due: z.array(delivery()),
      nextAt: z.string().nullable(),
    }),
  run: async ({ db, now }, { hooks }) => {
    const due: Delivery[] = []
    for (const hook of hooks) {
      const row = await selectDueDelivery(db, hook, now)
      if (row)
        due.push({
          id: row.id,
          hook,
          taskId: row.task_id,
          worktree: row.worktree,
          payload: row.payload,
          tries: row.tries,
        })
    }
    return { known: (await selectHooks(db)).map(({ key }) => key), due, nextAt: await selectNextDelivery(db, hooks) }
  },
})

export const recordDelivery = operation({
  name: 'record_delivery',
  summary: 'Record the result of a delivery to a hook; a failed one is retried for a day, with growing delays',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      id: z.string(),
      tries: z.int().min(0).describe('Number of earlier attempts'),
      error: text(2000).nullable(),
    }),
  output: () =>
    z.object({
      /** `unknown`: another process has recorded this try, or the hook was removed. */
      state: z.enum(['delivered', 'waiting', 'given_up', 'unknown']),
      tries: z.int(),
      nextAt: z.string().nullable(),
      taskId: z.int().nullable(),
      worktree: z.string().nullable(),
    }),
  run: async ({ db, now }, { id, tries, error }) => {
    const row = await selectDelivery(db, id)
    const told = { tries: tries + 1, nextAt: null, taskId: row?.task_id ?? null, worktree: row?.worktree ?? null }
    // The hook may have been removed from the configuration meanwhile, with its deliveries.
    if (!row) return { ...told, state: 'unknown' as const }
    if (error === null) {
      const changed = await changeDelivery(db, id, tries, {
        tries: tries + 1,
        delivered_at: now,
        next_try_at: null,
        last_error: null,
      })
      return { ...told, state: changed ? ('delivered' as const) : ('unknown' as const) }
    }
    const givenUp = elapsed(row.planned_at, now) >= DELIVERY_PATIENCE
    const nextAt = givenUp ? null : later(now, deliveryDelay(tries + 1))
    const changed = await changeDelivery(db, id, tries, {
      tries: tries + 1,
      next_try_at: nextAt,
      last_error: error,
      given_up_at: givenUp ? now : null,
    })
    if (!changed) return { ...told, state: 'unknown' as const }
    await postponeDeliveries(db, row.hook, later(now, deliveryDelay(1)))
    return { ...told, nextAt, state: givenUp ? ('given_up' as const) : ('waiting' as const) }
  },
  subject: ({ state, tries, taskId, worktree }, { error }) =>
    state === 'given_up' ? { taskId, worktree, details: { tries, error } } : null,
})
