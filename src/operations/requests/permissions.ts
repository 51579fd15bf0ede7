import { basename, sep } from 'node:path'
import { z } from 'zod'
import { selectHeldTasks } from '../../db/agents.ts'
import { setDeadline } from '../../db/leases.ts'
import { selectTrustedConfiguration } from '../../db/repository.ts'
import { insertRequest, selectRequest } from '../../db/requests.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import { isAllowed, ruleFor, ruleText } from '../../domain/request/permission.ts'
import { personaSettings } from '../../domain/settings/persona-settings.ts'
import { later } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import { findActing } from '../perform/find.ts'
import { ofActing, operation } from '../perform/operation.ts'
import { agentId, atMostOneMegabyte, json, text } from '../perform/schemas.ts'
import { pathInside, workingFolder } from './confinement.ts'
import { requestView, viewRequest, wantedOf } from './requests.ts'

export const requestPermission = operation({
  name: 'request_permission',
  summary: 'Ask a person whether you may use a tool; waits for the answer',
  access: 'write',
  authority: 'agent',
  scope: ofActing,
  input: () =>
    z.strictObject({
      agentId: agentId.optional(),
      toolName: text(200).min(1).describe('Tool to use'),
      input: atMostOneMegabyte(z.record(z.string(), json), 'do it in smaller steps')
        .default({})
        .describe('Input for the tool'),
    }),
  output: requestView,
  run: async (context, { agentId, toolName, input }) => {
    const { db, now, settings } = context
    const agent = await findActing(context, agentId)
    const [held] = await selectHeldTasks(db, [agent.id])
    const subject = subjectOf(toolName, input)
    const wanted = wantedOf(toolName, subject)
    const allowed = await isAllowedHere(context, agent, wanted, input)
    const rule = ruleFor(wanted)
    const id = await insertRequest(db, {
      kind: 'permission',
      agent_id: agent.id,
      task_id: held?.task_id ?? null,
      attempt: held?.attempt ?? null,
      tool: toolName,
      subject: subject.slice(0, LONGEST_SUBJECT),
      input: JSON.stringify(input),
      rule: rule ? ruleText(rule) : null,
      asked_at: now,
      expires_at: later(now, settings.permissions.timeout),
      ...(allowed ? { status: 'allowed' as const, answered_by: 'aiswarm', answered_at: now } : {}),
    })
    await setDeadline(db, 'request', id, context.tick, settings.permissions.timeout)
    return viewRequest((await selectRequest(db, id))!)
  },
  subject: (request) => ({
    agentId: request.agentId,
    taskId: request.taskId,
    details: { request: request.id, tool: request.tool, status: request.status },
  }),
})

type Input = Readonly<Record<string, unknown>>

/**
 * Decides by the persona's settings and rules. Always asks for files outside of its folder, and for files that git or
 * aiswarm obeys.
 */
const isAllowedHere = async (
  context: Context,
  agent: AgentRow,
  wanted: ReturnType<typeof wantedOf>,
  input: Input,
): Promise<boolean> => {
  const { approvals } = personaSettings(context.settings, agent.persona_id)
  if (approvals === 'allow-all') return true
  const rules = async () => context.allowRules(agent.persona_id, await selectTrustedConfiguration(context.db))
  if (wanted.kind !== 'edit') return isAllowed(wanted, await rules())
  const folder = await workingFolder(context, agent.assigned_worktree)
  const paths = pathsOf(input).map((path) => pathInside(folder, path))
  if (paths.length === 0 || paths.includes(undefined)) return false
  // Agents report through their progress and result files (seed 000).
  if (pathsOf(input).every((path) => isOwnSessionFile(agent.id, path))) return true
  return !paths.some((path) => isObeyed(path!)) && (approvals === 'allow-edits' || isAllowed(wanted, await rules()))
}

const isOwnSessionFile = (agentId: string, path: string): boolean =>
  [`progress-${agentId}.md`, `result-${agentId}.md`].includes(basename(path))

/**
 * A hook, or a rule in the configuration, would take effect with the person's next action. Compares without case,
 * because some file systems ignore it.
 */
const isObeyed = (path: string): boolean =>
  path
    .toLowerCase()
    .split(sep)
    .some((name) => name === '.git' || name === '.aiswarm')

/** The length at which a subject is cut for storage and display (characters); the whole subject is judged. */
const LONGEST_SUBJECT = 4000

/** The line that identifies the request for a person: the command, the file, or the whole input. */
const subjectOf = (toolName: string, input: Input): string => {
  const whole = JSON.stringify(input)
  const paths = pathsOf(input)
  // An edit that names several files, or none, has no single subject.
  if (wantedOf(toolName, '').kind === 'edit') return paths.length === 1 ? paths[0]! : whole
  return textsAt(input, ['command', ...pathKeys, 'url', 'query'])[0] ?? whole
}

const pathKeys = ['file_path', 'path', 'notebook_path']

/** The files that an edit names. */
const pathsOf = (input: Input): readonly string[] => [...new Set(textsAt(input, pathKeys))]

const textsAt = (input: Input, keys: readonly string[]): readonly string[] =>
  keys.map((key) => input[key]).filter((value) => typeof value === 'string' && value !== '') as string[]
