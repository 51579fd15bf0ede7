import { existsSync, readFileSync, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { parse } from 'yaml'
import { Refusal } from '../../domain/rules/refusal.ts'
import { safeLine, safeText } from '../../domain/words/safe-text.ts'
import { spawnAgent } from '../../operations/agents/spawn.ts'
import { readAgentStanding } from '../../operations/agents/states.ts'
import { act, perform } from '../../operations/perform/perform.ts'
import { runAgents } from '../../operations/sessions/start.ts'
import { type Answer, type Call, exitCodes, given, open } from '../call/command.ts'
import { untilAnswered } from '../call/follow.ts'
import type { Services } from '../call/services.ts'
import { readText } from '../call/streams.ts'
import { agentLine } from '../print/agents.ts'
import { blocks, pairs, paragraph, section } from '../print/columns.ts'

// Agents that a person starts: by a persona, or named, with a prompt.

interface Wanted {
  readonly personaId: string
  readonly worktree: string | undefined
  readonly kind: string | undefined
  readonly taskId: number | undefined
  readonly once: boolean
  readonly beside: boolean
  readonly taskMode: boolean
  readonly dryRun: boolean
}

/** Records the request for an agent; its process starts when a supervisor runs. A dry run only prints the command. */
export const spawn = async (
  { personaId, worktree, kind, taskId, once, beside, taskMode, dryRun }: Wanted,
  call: Call,
): Promise<Answer> => {
  if (taskMode && (once || taskId !== undefined))
    throw new InvalidArgumentError('--task-mode runs all tasks for the persona. Omit --once and --task.')
  const connection = await open(call)
  if (dryRun) {
    const launch = await call.services.dryRun(connection, {
      personaId,
      kind: kind ?? null,
      worktree: worktree ?? null,
      taskId: taskId ?? null,
    })
    return { json: launch, text: launchText(launch) }
  }
  const agent = await act(connection, spawnAgent, {
    personaId,
    ...given('assignedWorktree', worktree),
    ...given('kind', kind),
    ...given('taskId', taskId),
    once,
    ...(beside ? { beside } : {}),
  })
  return { json: agent, text: agentLine(agent) }
}

const launchText = ({
  argv,
  cwd,
  stdin,
  files,
  environment,
  unasked,
  limits,
  sandbox,
}: Awaited<ReturnType<Services['dryRun']>>): string =>
  blocks([
    pairs([
      ['folder', cwd],
      ...(unasked === null ? [] : [['permissions', unasked] as const]),
      ...(limits === null ? [] : [['limits', limits] as const]),
      ['sandbox', 'off' in sandbox ? `off, because ${sandbox.off}` : 'on: it sees the files below'],
      ...('off' in sandbox ? [] : [['network', sandbox.network] as const]),
    ]),
    'off' in sandbox ? '' : sandbox.notes.map((note) => safeText(`⚠ ${note}`)).join('\n'),
    section(
      'Command',
      argv.map((word) => safeText(word)),
    ),
    section(
      'Environment',
      Object.entries(environment).map(([name, value]) => safeText(`${name}=${value}`)),
    ),
    'off' in sandbox
      ? ''
      : section(
          'Files in the sandbox (later lines take precedence)',
          sandbox.files.map(({ path, access }) => safeText(`${access.padEnd(9)} ${path}`)),
        ),
    stdin === null ? '' : section('Standard input', paragraph(stdin).split('\n')),
    ...files.map((file) => section(safeText(file.path), paragraph(file.content).split('\n'))),
  ])

/** One agent that a person starts. */
interface AgentJob {
  readonly agentId: string
  readonly prompt: string
  /** As given: a folder, relative to the caller's working directory. */
  readonly workspace: string | undefined
}

/** `agent:task[:workspace]`; the last part is a workspace only if it is `.` or begins with `./` or `/` (seed 000). */
export const inlineJob = (text: string): AgentJob => {
  const colon = text.indexOf(':')
  if (colon < 1 || colon === text.length - 1)
    throw new InvalidArgumentError(`'${text}' is not of the form agent:task[:workspace].`)
  const agentId = text.slice(0, colon)
  const rest = text.slice(colon + 1)
  const last = rest.lastIndexOf(':')
  const workspace = rest.slice(last + 1)
  return last > 0 && /^(\.$|\.\/|\/)/.test(workspace)
    ? { agentId, prompt: rest.slice(0, last), workspace }
    : { agentId, prompt: rest, workspace: undefined }
}

/** The list `tasks: [{agent, task, workspace?}]` of a YAML file. Refuses invalid input with the item and the key. */
export const jobsOfFile = async (file: string, call: Call): Promise<readonly AgentJob[]> => {
  const name = file === '-' ? 'standard input' : file
  const list = listIn(await readText(file, call.streams), name)
  return list.map((item, at) => {
    const { agent, task, workspace } = (typeof item === 'object' && item !== null ? item : {}) as Readonly<
      Record<string, unknown>
    >
    if (typeof agent !== 'string' || typeof task !== 'string')
      throw new Refusal('invalid_input', `${name}: item ${at + 1} needs an 'agent' and a 'task', both texts.`)
    if (workspace !== undefined && workspace !== null && typeof workspace !== 'string')
      throw new Refusal('invalid_input', `${name}: item ${at + 1}, key 'workspace': a folder was expected.`)
    return { agentId: agent, prompt: task, workspace: workspace ?? undefined }
  })
}

const listIn = (text: string, name: string): readonly unknown[] => {
  let value: unknown
  try {
    value = parse(text, { logLevel: 'error' })
  } catch (error) {
    throw new Refusal(
      'invalid_input',
      `${name} is not YAML: ${(error as Error).message.split('\n')[0]!.replace(/:$/, '')}.`,
      { cause: error },
    )
  }
  const tasks = typeof value === 'object' && value !== null && 'tasks' in value ? value.tasks : undefined
  if (!Array.isArray(tasks) || tasks.length === 0)
    throw new Refusal('invalid_input', `${name} has no list 'tasks' of {agent, task, workspace}.`)
  return tasks as readonly unknown[]
}

/** The text of a file if the prompt names one, otherwise the prompt itself, byte for byte. */
export const promptOf = (prompt: string, root: string): string => {
  const path = resolve(root, prompt)
  const isFile = !prompt.includes('\n') && prompt.length < 4096 && existsSync(path) && statSync(path).isFile()
  return isFile ? readFileSync(path, 'utf8') : prompt
}

/**
 * Starts agents and, with `wait`, prints their results: one line per agent, the totals, exit code 1 if any did not
 * complete.
 */
export const runJobs = async (
  call: Call,
  jobs: readonly AgentJob[],
  { kind, wait, totals }: { kind: string | undefined; wait: boolean; totals: boolean },
): Promise<Answer> => {
  const connection = await open(call)
  const { core, actor } = connection
  const runs = jobs.map(({ agentId, prompt, workspace }) => ({
    agentId,
    prompt,
    ...given('kind', kind),
    ...given('folder', folderOf(call.root, workspace)),
  }))
  const { sessionId, tasks } = await perform(core, runAgents, { runs }, actor)
  const line = (text: string): void => call.streams.err(`${safeLine(text)}\n`)
  await call.services.runTasks(connection, { taskIds: tasks.map((task) => task.id), wait, line })
  const rows = await Promise.all(
    tasks.map(async (task) => {
      const agentId = task.wantedAgentId!
      const asked = { sessionId, agentIds: [agentId], taskId: task.id }
      const { agents } = await untilAnswered(call, connection, () => perform(core, readAgentStanding, asked, actor))
      return { agentId, taskId: task.id, status: agents[0]!.standing }
    }),
  )
  const completed = rows.filter(({ status }) => status === 'completed').length
  const json = { sessionId, total: rows.length, completed, failed: wait ? rows.length - completed : 0, agents: rows }
  const lines = rows.map(({ agentId, status }) => `${agentId}:${status}`).join('\n')
  const sums = pairs([
    ['Total', json.total],
    ['Completed', completed],
    ['Failed', json.failed],
  ])
  return {
    json,
    text: totals && wait ? `${lines}\n${sums}` : lines,
    code: wait && completed < rows.length ? exitCodes.refused : exitCodes.done,
  }
}

const folderOf = (root: string, workspace: string | undefined): string | undefined => {
  if (workspace === undefined) return undefined
  const folder = isAbsolute(workspace) ? resolve(workspace) : resolve(root, workspace)
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new Refusal('not_found', `There is no folder ${workspace}. Name an existing folder as workspace.`)
  return folder
}
