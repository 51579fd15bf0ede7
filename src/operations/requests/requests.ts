import { z } from 'zod'
import type { Db } from '../../db/engine/db.ts'
import { closeRequest, insertRequest, selectRequest, selectRequests } from '../../db/requests.ts'
import type { AgentRow, RequestRow } from '../../db/schema/agents.ts'
import { changeStatus } from '../../db/tasks.ts'
import { ruleFor, ruleText } from '../../domain/request/permission.ts'
import { requestKinds, requestStates } from '../../domain/request/request.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { isHeld } from '../../domain/task/task.ts'
import type { Context } from '../perform/core.ts'
import { findAgent, findTask, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId, lazyObject, parsed } from '../perform/schemas.ts'

/** A request for the surfaces. `rule` is the text that allowing it permanently would add to the configuration. */
export const requestView = lazyObject(() => ({
  id: z.int(),
  kind: z.enum(requestKinds),
  status: z.enum(requestStates),
  agentId: z.string(),
  taskId: z.int().nullable(),
  tool: z.string().nullable(),
  subject: z.string(),
  input: z.unknown(),
  options: z.array(z.string()),
  rule: z.string().nullable(),
  askedAt: z.string(),
  expiresAt: z.string().nullable(),
  answer: z.string().nullable(),
  answeredBy: z.string().nullable(),
  answeredAt: z.string().nullable(),
  toldAt: z.string().nullable(),
}))
export type RequestView = z.output<ReturnType<typeof requestView>>

export const viewRequest = (row: RequestRow): RequestView => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  agentId: row.agent_id,
  taskId: row.task_id,
  tool: row.tool,
  subject: row.subject,
  input: parsed(row.input),
  options: (parsed(row.options) as string[] | null) ?? [],
  rule: row.rule,
  askedAt: row.asked_at,
  expiresAt: row.expires_at,
  answer: row.answer,
  answeredBy: row.answered_by,
  answeredAt: row.answered_at,
  toldAt: row.told_at,
})

export const findRequest = async (db: Db, id: number): Promise<RequestRow> => {
  const request = await selectRequest(db, id)
  if (!request) throw new Refusal('not_found', `There is no request ${id}. 'aiswarm request list' lists the requests.`)
  return request
}

/** Denies requests whose time has run out; returns their numbers. */
export const expireRequests = async ({ db, now, tick, ahead }: Context): Promise<number[]> => {
  if (ahead) return []
  const expired: number[] = []
  for (const { id, task_id } of await selectRequests(db, { expiredAt: tick })) {
    if (!(await closeRequest(db, id, { status: 'expired', answer: null, answered_by: 'aiswarm', answered_at: now })))
      continue
    await resetProgress({ db, now }, task_id)
    expired.push(id)
  }
  return expired
}

/**
 * Records actions that a CLI itself denied its agent, so that a person may allow them in future. An existing request is
 * not repeated.
 */
export const recordDenials = async (
  { db, now }: Context,
  agent: AgentRow,
  taskId: number,
  denied: readonly { tool: string; about: string }[],
): Promise<void> => {
  const asked = (await selectRequests(db, { open: true, taskId })).filter(({ kind }) => kind === 'denial')
  const seen = new Set(asked.map((row) => row.rule ?? `${row.tool} ${row.subject}`))
  for (const { tool, about } of denied) {
    const rule = ruleFor(wantedOf(tool, about))
    const key = rule ? ruleText(rule) : `${tool} ${about}`
    if (seen.has(key)) continue
    seen.add(key)
    await insertRequest(db, {
      kind: 'denial',
      agent_id: agent.id,
      task_id: taskId,
      tool,
      subject: about,
      rule: rule ? ruleText(rule) : null,
      asked_at: now,
    })
  }
}

const shells = /^(bash|shell|exec|command_execution|run_shell_command|execute|terminal)/i
const edits =
  /^(edit|write|multiedit|notebookedit|write_file|replace|create|str_replace|apply_patch|file_change|patch)/i

/** The action of a CLI's tool, recognised by its name. */
export const wantedOf = (tool: string, about: string) => {
  if (shells.test(tool)) return { kind: 'shell', command: about } as const
  if (edits.test(tool)) return { kind: 'edit', path: about } as const
  return { kind: 'tool', name: tool } as const
}

export const listRequests = operation({
  name: 'list_requests',
  summary: 'List the requests of agents to a person',
  access: 'read',
  authority: 'person',
  input: () =>
    z.strictObject({
      all: z.boolean().default(false).describe('Also closed requests'),
      agentId: agentId.optional(),
    }),
  output: () => z.array(requestView()),
  run: async ({ db }, { all, agentId }) => {
    if (agentId !== undefined) await findAgent(db, agentId)
    return (await selectRequests(db, { open: !all, ...(agentId === undefined ? {} : { agentId }) })).map(viewRequest)
  },
})

export const getRequest = operation({
  name: 'get_request',
  summary: 'Show one of your requests',
  access: 'read',
  authority: 'agent',
  input: () => z.strictObject({ requestId: z.int().min(1) }),
  output: requestView,
  run: async ({ db, actor }, { requestId }) => {
    const request = await findRequest(db, requestId)
    if (actor.kind === 'agent' && request.agent_id !== actor.id)
      throw new Refusal('not_allowed', `Request ${requestId} does not belong to ${actor.id}.`)
    return viewRequest(request)
  },
})

/** The words for an agent whose request was not allowed. */
export const denialOf = ({ status, answer }: Pick<RequestView, 'status' | 'answer'>): string => {
  if (status === 'denied' && answer !== null && answer !== 'deny') return `A person denied this: ${answer}`
  return denials[status as keyof typeof denials] ?? 'The request is closed.'
}

const denials = {
  open: 'No person could be asked. Do without it, or fail the task and say what was needed.',
  denied: 'A person denied this. Do without it, or fail the task and say what was needed.',
  expired: 'No answer in time, so it counts as denied. Do without it, or fail the task and say what was needed.',
  withdrawn: 'Your attempt has ended. End your turn.',
} as const

/** Resets the progress clock of a task that waited for an answer, so that the wait does not count as a stall. */
export const resetProgress = async ({ db, now }: Pick<Context, 'db' | 'now'>, taskId: number | null): Promise<void> => {
  if (taskId === null) return
  const { status, attempt } = await findTask(db, taskId)
  if (isHeld(status))
    must(await changeStatus(db, taskId, { status, attempt }, { progressed_at: now, changed_at: now }), `Task ${taskId}`)
}
