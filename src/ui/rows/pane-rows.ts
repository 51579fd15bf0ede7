import { IN_MAIN_CHECKOUT } from '../../text/signs.ts'
import { leftWords } from '../../domain/agent/agent.ts'
import { bytes } from '../../domain/words/bytes.ts'
import { ours, safeText, spelledOut, type SafeText } from '../../domain/words/safe-text.ts'
import { contextMark } from '../../domain/agent/context-health.ts'
import { taskSince } from '../../domain/task/since.ts'
import { isHeld } from '../../domain/task/task.ts'
import { clockMinute, duration, elapsed, type Instant } from '../../domain/words/time.ts'
import type { AgentView, TaskView, WorktreeView } from '../../operations/views/views.ts'
import type { RequestView } from '../../operations/requests/requests.ts'
import type { Attention } from '../../operations/screens/read-board.ts'
import type { AgentRow } from '../../../components/AgentTable.tsx'
import type { BoardRow } from '../../../components/Board.tsx'
import type { WorktreeRow } from '../../../components/Worktrees.tsx'
import { type AgentLook, boardLooks, type BoardState, type IntegrationLook, integrationLooks } from '../../../components/base/look.ts'
import type { ProcessObservation, WorktreeObservation } from '../../contracts/outside.ts'
import { askedText, rowText } from '../../text/rows.ts'

// The contents of the panes' rows. Only visible rows are created.

export const boardRow = (task: TaskView, now: Instant, attention: readonly Attention[], selected: boolean): BoardRow => {
  const asked = attention.filter((item) => item.taskId === task.id)
  const state = boardState(task, now, asked)
  return {
    id: task.id,
    priority: task.priority,
    state,
    says: saysOf(state, task, now),
    time: ours(state === 'waiting' ? duration(elapsed(now, task.notBefore!)) : since(task, now, asked)),
    agent: task.assignedAgentId !== null ? safeText(task.assignedAgentId) : state === 'sleeping' ? safeText(rowText.quotaOf(task.sleep!.kind)) : ours('–'),
    title: titleOf(task),
    asks: asked.length > 0,
    selected,
  }
}

export const boardState = (task: TaskView, now: Instant, asked: readonly Attention[]): BoardState => {
  if (asked.some((item) => item.kind === 'permission' || item.kind === 'question')) return 'asks'
  if (asked.some((item) => item.kind === 'budget')) return 'spent'
  if (asked.some((item) => item.kind === 'stalled')) return 'stalled'
  if (task.status !== 'pending') return task.status
  if (task.blockedBy.length > 0) return 'blocked'
  if (asked.some((item) => item.kind === 'command')) return 'asking'
  if (task.sleep !== null && task.sleep.until > now) return 'sleeping'
  return task.notBefore !== null && task.notBefore > now ? 'waiting' : 'pending'
}

const saysOf = (state: BoardState, task: TaskView, now: Instant): SafeText => {
  if (state === 'sleeping') return ours(rowText.sleepsUntil(clockMinute(task.sleep!.until, now)))
  if (state === 'blocked') return ours(rowText.blockedBy(task.blockedBy, 3))
  if (state === 'waiting') return ours(rowText.retryIn)
  if (state === 'in_progress' && task.progressPercent !== null) return ours(rowText.working(task.progressPercent))
  return ours(boardLooks[state].word)
}

/** The beginning of the shown state: an agent that is stalled or asks has been so for less time than it has worked. */
export const boardSince = (task: TaskView, now: Instant, asked: readonly Attention[]): Instant => {
  const kinds = waitsBy[boardState(task, now, asked)] ?? []
  return asked.find(({ kind }) => kinds.includes(kind))?.since ?? taskSince(task, now)
}

const waitsBy: Partial<Record<BoardState, readonly Attention['kind'][]>> = { asks: ['permission', 'question'], spent: ['budget'], stalled: ['stalled'] }

/**
 * The time in its state: in seconds for a task in progress, otherwise in minutes, so that a quiet board is not drawn
 * again.
 */
const since = (task: TaskView, now: Instant, asked: readonly Attention[]): string => {
  const ms = elapsed(boardSince(task, now, asked), now)
  return isHeld(task.status) ? duration(ms) : coarse(ms)
}

/** Unchanged views stay the same objects, so their text is made safe once. */
const titles = new WeakMap<TaskView, SafeText>()

const titleOf = (task: TaskView): SafeText => {
  const known = titles.get(task)
  if (known !== undefined) return known
  const title = safeText(worksInMain(task) ? `${IN_MAIN_CHECKOUT} ${task.title}` : task.title)
  titles.set(task, title)
  return title
}

/** True for an agent that works in the person's own checkout. A shell command does so on purpose. */
const worksInMain = ({ status, command, targetWorktree, folder }: TaskView): boolean =>
  (status === 'claimed' || status === 'in_progress') && command === null && targetWorktree === null && folder === null

export const agentRow = (agent: AgentView, now: Instant, seen: ProcessObservation | undefined, requests: readonly RequestView[], selected: boolean): AgentRow => ({
  id: safeText(agent.id),
  state: isAsking(agent, requests) ? 'asking' : agentLook(agent),
  kind: safeText(agent.kind),
  pid: ours(agent.processId === null ? '–' : String(agent.processId)),
  cpu: ours(seen ? `${Math.round(seen.cpu)}%` : '–'),
  memory: ours(seen ? bytes(seen.memory) : '–'),
  beat: ours(beatOf(agent, now)),
  context: ours(agent.context === null ? '–' : contextMark(agent.context)),
  task: troubleOf(agent) ?? askedWords(agent, requests) ?? ours(taskWords(agent)),
  selected,
})

const troubleOf = ({ launchError, left }: AgentView): SafeText | undefined => {
  if (launchError !== null) return safeText(`⚠ ${launchError}`)
  return left.length === 0 ? undefined : safeText(`⚠ ${leftWords(left)}`)
}

export const agentLook = (agent: AgentView): AgentLook => {
  if (agent.status !== 'terminated') return agent.stopRequestedAt !== null ? 'stopping' : agent.pausedAt === null ? agent.status : 'paused'
  // A stopped process ends by a signal, which is not a failure.
  const failed = agent.launchError !== null || agent.left.length > 0 || (agent.stopRequestedAt === null && agent.exitCode !== null && agent.exitCode !== 0)
  return failed ? 'broken' : 'terminated'
}

const isAsking = (agent: AgentView, requests: readonly RequestView[]): boolean =>
  requests.some((request) => request.agentId === agent.id && request.status === 'open' && request.kind !== 'denial')

/** Its present question, or the answer to its last one and whether it has received it. */
const askedWords = (agent: AgentView, requests: readonly RequestView[]): SafeText | undefined => {
  const own = requests.filter((request) => request.agentId === agent.id)
  const request =
    own.find(({ status, kind }) => status === 'open' && kind !== 'denial') ?? own.findLast(({ answeredBy, status }) => answeredBy !== 'aiswarm' || status !== 'allowed')
  if (!request) return undefined
  const about = request.tool ?? ''
  const subject = request.subject.slice(0, LONGEST_SUBJECT)
  const words: Record<RequestView['status'], string> = {
    open: request.kind === 'denial' ? askedText.notAllowed(about) : request.kind === 'question' ? askedText.asks(subject) : askedText.asksFor(about, subject),
    allowed: askedText.allowed(about),
    denied: askedText.denied(about),
    answered: askedText.answered,
    expired: askedText.expired,
    withdrawn: askedText.withdrawn,
  }
  const told = request.status === 'open' || request.kind === 'denial' ? '' : request.toldAt === null ? ' …' : ' ✓'
  return ours(spelledOut(`${words[request.status]}${told}`).join(' '))
}

/** Characters of a question in a row. */
const LONGEST_SUBJECT = 500

/** An agent without a task shows minutes only, so that fifty of them are not drawn again every second. */
const beatOf = (agent: AgentView, now: Instant): string => {
  if (agent.status === 'terminated' || agent.process === 'waiting') return '–'
  const ms = elapsed(agent.lastHeartbeat, now)
  return agent.taskId === null ? coarse(ms) : duration(ms)
}

/** A duration that changes at most once a minute. */
const coarse = (ms: number): string => (ms < 60_000 ? '<1m' : duration(ms).replace(/(?<=m)\d\d$/, ''))

const taskWords = (agent: AgentView): string => {
  if (agent.status === 'terminated') return agent.stopRequestedAt !== null || agent.exitCode === null ? rowText.ended : rowText.exit(agent.exitCode)
  return agent.taskId === null ? '–' : String(agent.taskId)
}

/** `clear` if the radar finds no conflict now, whatever the result of its last merge. */
export const worktreeRow = (worktree: WorktreeView, seen: WorktreeObservation | undefined, warns: string, clear: boolean, selected: boolean): WorktreeRow => {
  const [look, says] = standing(worktree, clear)
  const verification = worktree.integration?.verification
  return {
    name: safeText(worktree.name),
    ahead: seen?.ahead ?? null,
    behind: seen?.behind ?? null,
    added: seen?.added ?? null,
    removed: seen?.removed ?? null,
    dirty: seen?.dirty ?? null,
    verified: ours(worktree.status === 'active' && verification?.exitCode === 0 ? rowText.verified : ''),
    look,
    // The problem of the last merge is not repeated if the radar reports the same.
    says: safeText(says !== '' && warns.startsWith(says) ? '' : says),
    warns: safeText(warns),
    selected,
  }
}

const standing = ({ status, folder, integration }: WorktreeView, clear: boolean): readonly [IntegrationLook | null, string] => {
  if (status === 'discarded') return [integrationLooks.rejected, rowText.discarded]
  if (folder === 'building') return [integrationLooks.requested, rowText.beingBuilt]
  if (!integration) return [null, '']
  const look = integrationLooks[integration.status]
  if (integration.status === 'conflicted' && integration.conflicts.length === 0 && integration.problem !== null) return [look, rowText.held(integration.problem)]
  if (integration.status === 'conflicted') return [look, clear ? rowText.conflictedWith(integration.target) : rowText.conflictsWith(integration.target)]
  return [look, integration.status === 'ready' && integration.problem !== null ? rowText.held(integration.problem) : look.word]
}
