import { parse } from 'yaml'
import type { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import { whyNotItsTurn } from '../../domain/task/contention.ts'
import { type AroundTask, taskReason, taskSince } from '../../domain/task/status.ts'
import type { TaskState } from '../../domain/task/task.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { jsonSchemaOf } from '../../operations/perform/json-schema.ts'
import { nearest } from '../../operations/perform/nearest.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readBoard } from '../../operations/screens/board.ts'
import { getTask, type TaskDetail } from '../../operations/tasks/detail.ts'
import { importTasks } from '../../operations/tasks/import.ts'
import { readText, type Streams } from '../call/streams.ts'

// Tasks that a file lists, and the reason for the state of one.

type TaskDrafts = z.input<typeof importTasks.input>

/**
 * The tasks in a file: an array in JSON or YAML, one JSON object, or JSON lines (one object per line). Refuses invalid
 * input with the item or the line, and the key.
 */
export const readTaskFile = async (file: string, streams: Streams): Promise<TaskDrafts> => {
  const name = file === '-' ? 'standard input' : file
  const { value, places } = parseText((await readText(file, streams)).replace(/^\ufeff/, ''), name)
  const drafts = withoutNulls(value)
  if (!Array.isArray(drafts))
    throw new Refusal('invalid_input', `${name} has no list of tasks; an array of {title, personaId, …} was expected.`)
  const checked = importTasks.input.safeParse(drafts)
  if (!checked.success)
    throw new Refusal('invalid_input', `${name}: ${sentenceOf(firstOf(checked.error.issues), drafts.length, places)}`)
  return drafts as TaskDrafts
}

interface Parsed {
  readonly value: unknown
  /** The place of each item, in words; counted if absent. */
  readonly places?: readonly string[]
}

/** YAML contains JSON, but its parser takes seconds for thousands of tasks that the JSON parser reads at once. */
const parseText = (text: string, name: string): Parsed => {
  const whole = parseJson(text)
  if ('value' in whole)
    return isRecord(whole.value) ? { value: [whole.value], places: ['the object'] } : { value: whole.value }
  const lines = text
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : [{ line: line.trim(), number: at + 1 }]))
  return areJsonLines(lines.map(({ line }) => line)) ? parseLines(lines, name) : { value: parseYaml(text, name) }
}

/**
 * Not every line must be valid JSON, so that an invalid one is reported with its line; YAML and an invalid multi-line
 * object look different.
 */
const areJsonLines = (lines: readonly string[]): boolean => {
  const [first] = lines
  if (first?.startsWith('{') !== true) return false
  return 'value' in parseJson(first) || lines.every((line) => line.startsWith('{'))
}

const parseLines = (lines: readonly { readonly line: string; readonly number: number }[], name: string): Parsed => {
  const value = lines.map(({ line, number }) => {
    const parsed = parseJson(line)
    if (!('value' in parsed)) throw new Refusal('invalid_input', `${name}: line ${number} is not JSON (${parsed.why}).`)
    if (!isRecord(parsed.value))
      throw new Refusal(
        'invalid_input',
        `${name}: line ${number} is not an object; {title, personaId, …} was expected.`,
      )
    return parsed.value
  })
  return { value, places: lines.map(({ number }) => `line ${number}`) }
}

const parseJson = (text: string): { readonly value: unknown } | { readonly why: string } => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { why: (error as Error).message }
  }
}

const parseYaml = (text: string, name: string): unknown => {
  try {
    return parse(text, { logLevel: 'error' })
  } catch (error) {
    const [line] = (error as Error).message.split('\n')
    throw new Refusal('invalid_input', `${name} is neither JSON nor YAML: ${line!.replace(/:$/, '')}.`, {
      cause: error,
    })
  }
}

/** `command:` without a value, or null as an export writes it, counts as absent. */
const withoutNulls = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((item: unknown) =>
        isRecord(item) ? Object.fromEntries(Object.entries(item).filter(([, one]) => one !== null)) : item,
      )
    : value

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The first problem; a key that is missing may be there under another name, which says more. */
const firstOf = (issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue => {
  const [first] = issues as readonly [z.core.$ZodIssue]
  return issues.find(({ code, path }) => code === 'unrecognized_keys' && path[0] === first.path[0]) ?? first
}

const sentenceOf = (issue: z.core.$ZodIssue, items: number, places: readonly string[] | undefined): string => {
  const [item, ...keys] = issue.path
  if (item === undefined) return items === 0 ? 'the list is empty.' : `${issue.message}.`
  const where = places?.[Number(item)] ?? `item ${Number(item) + 1}`
  if (issue.code === 'unrecognized_keys')
    return `${where} has the unknown key ${issue.keys.map(unknownKey).join(', ')}.`
  return keys.length === 0
    ? `${where}: ${issue.message}.`
    : `${where}, key '${keys.join('.')}': ${issue.message.replace(/^Invalid input: /, '')}.`
}

const known: readonly string[] = Object.keys(importTasks.input.element.shape)

const unknownKey = (key: string): string => {
  const meant = known.find((one) => isPartOf(key, one)) ?? nearest(key, known)
  return meant === undefined ? `'${key}' (known are ${known.join(', ')})` : `'${key}' (did you mean '${meant}'?)`
}

/** Letters at the beginning of two keys that make one mean the other: `dependsOn` and `dependencies`. */
const ALIKE = 6

const isPartOf = (key: string, whole: string): boolean => {
  const [part, all] = [key.toLowerCase(), whole.toLowerCase()]
  return (part.length >= 4 && all.includes(part)) || (part.length >= ALIKE && all.startsWith(part.slice(0, ALIKE)))
}

/** The JSON Schema of a file for `task import`, as text; published as `schemas/task_list.json`. */
export const taskListSchema = (): string =>
  `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'A list of tasks for aiswarm task import', ...jsonSchemaOf(importTasks.input, 'input') }, null, 2)}\n`

/** The most dependencies whose state is looked up. */
const LOOKED_AT = 20

/**
 * A task with the reason for its state, `why` also with the duration: from its rows, and from an observation of its
 * agent's process.
 */
export const taskWithReason = async (
  { core, actor, outside }: Connection,
  taskId: number,
): Promise<{ task: TaskDetail & { reason: string }; why: string }> => {
  const task = await perform(core, getTask, { taskId }, actor)
  const { session, agents, worktrees, requests, held, limits } = await perform(
    core,
    readBoard,
    { around: taskId, before: 0, after: 1 },
    actor,
  )
  const agent = agents.find(({ id }) => id === task.assignedAgentId)
  const worktree = worktrees.find(({ name }) => name === task.targetWorktree)
  const why = held.find((one) => one.taskId === taskId)?.why
  const asked = requests.find(
    (request) => request.taskId === taskId && request.status === 'open' && request.kind !== 'denial',
  )
  const states = new Map<number, TaskState>()
  for (const id of task.blockedBy.slice(0, LOOKED_AT))
    states.set(id, (await perform(core, getTask, { taskId: id }, actor)).status)
  const around: AroundTask = {
    now: core.clock(),
    stalledAfter: limits.stalledAfter,
    stateOf: (id) => states.get(id),
    held: why,
    overBudget: task.overBudget,
    paused: session?.status === 'running' && session.pausedAt !== null,
    inUse: whyNotItsTurn(task, agents, limits),
    running: agents.filter(({ process }) => process === 'wanted' || process === 'started').length,
    most: limits.maxParallel,
    pausedAt: agent?.pausedAt ?? null,
    ...(worktree ? { folder: worktree.folder } : {}),
    ...(asked
      ? {
          asked: {
            kind: asked.kind as 'permission' | 'question',
            tool: asked.tool,
            subject: asked.subject,
            askedAt: asked.askedAt,
          },
        }
      : {}),
  }
  const told = (known: AroundTask) => ({
    task: { ...task, reason: taskReason(task, known) },
    why: taskReason(task, {
      ...known,
      since: (task.status === 'pending' ? task.budget.askedAt : null) ?? taskSince(task, around.now),
    }),
  })
  if (!agent || agent.process !== 'started') return told(around)
  const seen = (await outside.observeProcesses()).find(({ agentId }) => agentId === agent.id)
  // CPU use requires two observations.
  return told({ ...around, process: seen ? { cpu: null, lastOutput: seen.lastOutput ?? null } : null })
}
