import { selectIntegrations } from '../../db/integrations.ts'
import { selectSessionAt } from '../../db/sessions.ts'
import type { EventRow } from '../../db/schema/schema.ts'
import { selectTask } from '../../db/tasks.ts'
import { selectWorktree } from '../../db/worktrees.ts'
import type { Occurrence } from '../../domain/settings/hooks.ts'
import type { Context } from '../perform/core.ts'
import { parsed } from '../perform/schemas.ts'

/**
 * The payload for a hook: `{id, event, at, session, task | worktree}`. `id` is the same at every try, so that a
 * receiver can recognise a repetition; `session` is the one that ran at that moment, or null.
 */
export const hookPayload = async (
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
