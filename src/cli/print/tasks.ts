import { budgetWords, sleepWords, usedWords } from '../../domain/budget/budget.ts'
import { changedLines, changeWords, type FieldChange } from '../../domain/task/edits.ts'
import { wishOf } from '../../domain/task/metadata.ts'
import { taskSince } from '../../domain/task/status.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { clockTime, duration, elapsed, type Instant, zonedTime } from '../../domain/words/time.ts'
import type { TaskDetail } from '../../operations/tasks/detail.ts'
import type { TaskHistoryEntry } from '../../operations/tasks/edits.ts'
import type { TaskNode } from '../../operations/tasks/list.ts'
import type { TaskLogView, TaskView } from '../../operations/views/tasks.ts'
import { blocks, columns, pairs, paragraph, section } from './columns.ts'

// Tasks as text: lists, trees, details, plans, and the history of one.

export const taskLine = (task: TaskView, now: Instant): string =>
  `Task ${task.id} ${standing(task, now)}: ${safeText(task.title)}`

export const taskList = (tasks: readonly TaskView[], now: Instant): string =>
  tasks.length === 0
    ? 'No tasks.'
    : columns(
        ['ID', 'PRI', 'STATE', 'TIME', 'PERSONA', 'AGENT', 'WORKTREE', 'TITLE'],
        tasks.map((task) => [
          task.id,
          task.priority,
          standing(task, now),
          duration(elapsed(taskSince(task, now), now)),
          task.personaId,
          task.assignedAgentId,
          task.targetWorktree,
          task.title,
        ]),
        ['ID', 'PRI', 'TIME'],
      )

export const taskTree = (nodes: readonly TaskNode[], now: Instant): string =>
  nodes.length === 0 ? 'No tasks.' : branches(nodes, 0, now).join('\n')

export const taskDetail = (task: TaskDetail, why: string, now: Instant): string =>
  blocks([
    pairs([
      ['task', task.id],
      ['title', task.title],
      ['state', standing(task, now)],
      ['why', why],
      ['persona', task.personaId],
      ['priority', task.priority],
      ['agent', task.assignedAgentId],
      ['worktree', task.targetWorktree],
      ['to run', wishOf(task)],
      ['parent', task.parentTaskId],
      ['depends on', task.dependencies.join(', ')],
      ['needed by', task.dependents.join(', ')],
      ['subtasks', task.children.join(', ')],
      ['retries', task.retryCount === 0 ? null : task.retryCount],
      ['error', task.errorMessage],
      ['result', task.resultData === null ? null : shortOids(JSON.stringify(task.resultData))],
      ['artifacts', task.artifacts.join(', ')],
      ['used', usedWords(task.usage) || null],
      [
        'budget',
        task.budget.costUsd === null && task.budget.tokens === null
          ? null
          : `${budgetWords(task.budget, task.usage)}${task.budget.askedAt === null ? '' : ', used up; needs your answer'}`,
      ],
      ['created', `${zonedTime(task.createdAt)}${task.createdBy === null ? '' : ` by ${task.createdBy}`}`],
    ]),
    paragraph(task.description),
    section('Command', task.command === null ? [] : paragraph(task.command).split('\n')),
    section(
      'Acceptance criteria',
      task.acceptanceCriteria.map(({ text, met }) => `${met ? '[x]' : '[ ]'} ${safeText(text)}`),
    ),
    section(
      'Attempts',
      task.attempts.flatMap((attempt) => [
        safeText(
          `${attempt.attempt} by ${attempt.agentId}: ${attempt.outcome ?? 'in progress'}${usedIn(attempt)}${attempt.error === null ? '' : `, ${attempt.error}`}`,
        ),
        ...attempt.commits.map(
          ({ oid, subject, branch }) => `  ${oid.slice(0, 9)} ${safeText(subject)} (${safeText(branch)})`,
        ),
      ]),
    ),
  ])

/** Commits in an agent's result, as short as git shows them. */
const shortOids = (text: string): string => text.replace(/\b[0-9a-f]{40}\b/g, (oid) => oid.slice(0, 9))

const usedIn = ({ tokensIn, tokensOut, costUsd }: TaskDetail['attempts'][number]): string => {
  const price = costUsd !== null ? `, $${costUsd.toFixed(4)}` : tokensIn || tokensOut ? ', no price reported' : ''
  return `${tokensIn === null ? '' : `, ${tokensIn} tokens in, ${tokensOut} out`}${price}`
}

export const logLine = (row: TaskLogView): string =>
  [
    clockTime(row.loggedAt),
    row.level.padEnd(5),
    `task ${row.taskId}`,
    safeText(row.agentId),
    row.percent === null ? null : `${row.percent} %`,
    safeText(row.message),
  ]
    .filter((part) => part !== null)
    .join('  ')

/** The state for a person: blockers, progress, duration. */
const standing = (task: TaskView, now: Instant): string => {
  if (task.overBudget) return 'over budget'
  switch (task.status) {
    case 'pending':
      return waiting(task, now)
    case 'claimed':
      return 'claimed'
    case 'in_progress':
      return `working ${task.progressPercent === null ? '' : `${task.progressPercent} % `}${duration(elapsed(task.claimedAt ?? now, now))}`
    default:
      return task.status
  }
}

const waiting = (task: TaskView, now: Instant): string => {
  if (task.blockedBy.length > 0) return `blocked by ${task.blockedBy.join(', ')}`
  if (task.sleep !== null) return sleepWords(task.sleep, now)
  if (task.notBefore !== null && task.notBefore > now) return `retries in ${duration(elapsed(now, task.notBefore))}`
  return task.command !== null && !task.commandAllowed ? 'needs approval' : 'pending'
}

const branches = (nodes: readonly TaskNode[], depth: number, now: Instant): string[] =>
  nodes.flatMap((node) => [
    `${'  '.repeat(depth)}${node.id}  ${safeText(node.title)}  (${standing(node, now)})`,
    ...branches(node.children, depth + 1, now),
  ])

/** A task of a list that is not imported yet. */
interface PlannedTask {
  readonly title: string
  readonly personaId: string
  readonly dependencies?: readonly number[] | undefined
  readonly targetWorktree?: string | undefined
  readonly command?: string | undefined
}

/**
 * The tasks as a tree, by their positions in the list: each below the last task that it depends on, with the other ones
 * named. The dependencies have no cycle.
 */
export const planTree = (tasks: readonly PlannedTask[]): string => {
  const below = new Map<number, number[]>()
  for (const [at, { dependencies = [] }] of tasks.entries()) {
    const parent = Math.max(0, ...dependencies)
    below.set(parent, [...(below.get(parent) ?? []), at + 1])
  }
  const branches = (parent: number, depth: number): string[] =>
    (below.get(parent) ?? []).flatMap((place) => [
      `${'  '.repeat(depth)}${place}  ${lineOf(tasks[place - 1]!, parent)}`,
      ...branches(place, depth + 1),
    ])
  return branches(0, 0).join('\n')
}

const lineOf = (
  { title, personaId, dependencies = [], targetWorktree, command }: PlannedTask,
  parent: number,
): string => {
  const others = [...new Set(dependencies)].filter((place) => place !== parent)
  const about = [
    command === undefined ? personaId : 'shell command',
    ...(targetWorktree === undefined
      ? []
      : [targetWorktree === 'auto' ? 'own worktree' : `worktree ${targetWorktree}`]),
    ...(others.length === 0 ? [] : [`also after ${others.join(', ')}`]),
  ]
  return `${safeText(title)}  (${safeText(about.join('; '))})`
}

export const editedText = (id: number, changes: readonly FieldChange[]): string =>
  changes.length === 0
    ? `Task ${id} has these values already; nothing changed.`
    : [`Task ${id} changed.`, ...changes.flatMap(changeLines)].join('\n')

export const historyText = (entries: readonly TaskHistoryEntry[]): string =>
  entries
    .flatMap(({ at, actor, did, changes }) => [`${at}  ${safeText(actor)}  ${did}`, ...changes.flatMap(changeLines)])
    .join('\n')

const changeLines = (change: FieldChange): readonly string[] => [
  `  ${safeText(changeWords(change))}`,
  ...changedLines(change).map((line) => `    ${safeText(line)}`),
]
