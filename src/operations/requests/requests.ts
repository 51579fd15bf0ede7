import { z } from 'zod'
import { closeRequest, insertRequest, selectRequest, selectRequests } from '../../db/requests.ts'
import type { AgentRow, RequestRow } from '../../db/schema/agents.ts'
import type { Db } from '../../db/engine/db.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { ruleFor, ruleText } from '../../domain/request/permission.ts'
import { requestKinds, requestStates } from '../../domain/request/request.ts'
import type { Context } from '../perform/core.ts'
import { resetProgress } from './reset-progress.ts'
import { lazyObject, parsed } from '../perform/schemas.ts'

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
