import { basename } from 'node:path'
import { z } from 'zod'
import { selectHeldTasks } from '../db/agents.ts'
import { insertRequest, selectRequest } from '../db/requests.ts'
import type { AgentRow } from '../db/schema.ts'
import { isAllowed, ruleFor, ruleText } from '../domain/permission.ts'
import { isRefusal } from '../domain/refusal.ts'
import { personaSettings } from '../domain/settings.ts'
import { later } from '../domain/time.ts'
import { refuseOutside } from './kernel/confinement.ts'
import type { Context } from './kernel/core.ts'
import { findActing } from './kernel/find.ts'
import { agentId, atMostOneMegabyte, json, text } from './kernel/inputs.ts'
import { operation } from './kernel/operation.ts'
import { requestView, viewRequest, wantedOf } from './kernel/requests.ts'
import { workingFolder } from './kernel/working-folder.ts'

export const requestPermission = operation({
  name: 'request_permission',
  summary: 'Ask a person whether you may use a tool; waits for the answer',
  access: 'write',
  authority: 'agent',
  input: z.strictObject({
    agentId: agentId.optional(),
    toolName: text(200).min(1).describe('Tool that is to be used'),
    input: atMostOneMegabyte(z.record(z.string(), json), 'do it in smaller steps').default({}).describe('What the tool is to be called with'),
  }),
  output: requestView,
  run: async (context, { agentId, toolName, input }) => {
    const { db, now, settings } = context
    const agent = await findActing(context, agentId)
    const [held] = await selectHeldTasks(db, [agent.id])
    const subject = subjectOf(input)
    const wanted = wantedOf(toolName, subject)
    const allowed = await isAllowedHere(context, agent, wanted)
    const rule = ruleFor(wanted)
    const id = await insertRequest(db, {
      kind: 'permission',
      agent_id: agent.id,
      task_id: held?.task_id ?? null,
      attempt: held?.attempt ?? null,
      tool: toolName,
      subject,
      input: JSON.stringify(input),
      rule: rule ? ruleText(rule) : null,
      asked_at: now,
      expires_at: later(now, settings.permissions.timeout),
      ...(allowed ? { status: 'allowed' as const, answered_by: 'aiswarm', answered_at: now } : {}),
    })
    return viewRequest((await selectRequest(db, id))!)
  },
  subject: (request) => ({ agentId: request.agentId, taskId: request.taskId, details: { request: request.id, tool: request.tool, status: request.status } }),
})

/** By its persona's settings and rules. Files outside of its folder are always asked for. */
const isAllowedHere = async (context: Context, agent: AgentRow, wanted: ReturnType<typeof wantedOf>): Promise<boolean> => {
  const { approvals } = personaSettings(context.settings, agent.persona_id)
  if (approvals === 'allow-all') return true
  if (wanted.kind === 'edit' && !isInside(await workingFolder(context, agent.assigned_worktree), wanted.path)) return false
  // Its progress and its result (seed 000) are how it reports.
  if (wanted.kind === 'edit' && isOwnSessionFile(agent.id, wanted.path)) return true
  return (approvals === 'allow-edits' && wanted.kind === 'edit') || isAllowed(wanted, context.allowRules(agent.persona_id))
}

const isOwnSessionFile = (agentId: string, path: string): boolean => [`progress-${agentId}.md`, `result-${agentId}.md`].includes(basename(path))

const isInside = (folder: string, path: string): boolean => {
  try {
    refuseOutside(folder, [path])
    return true
  } catch (error) {
    if (isRefusal(error)) return false
    throw error
  }
}

/** The line that tells a person what it is about: the command, the file, or all of it. */
const subjectOf = (input: Readonly<Record<string, unknown>>): string => {
  const named = ['command', 'file_path', 'path', 'notebook_path', 'url', 'query'].map((key) => input[key]).find((value) => typeof value === 'string' && value !== '')
  return ((named as string | undefined) ?? JSON.stringify(input)).slice(0, 4000)
}
