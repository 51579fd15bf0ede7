import type { AgentRow } from '../../../components/AgentTable.tsx'
import type { AgentLook } from '../../../components/base/look.ts'
import type { ProcessObservation } from '../../contracts/observations.ts'
import { leftWords, type ProcessSeen } from '../../domain/agent/agent.ts'
import { contextMark } from '../../domain/agent/context-health.ts'
import { agentReason, agentSince } from '../../domain/agent/status.ts'
import { taskSince } from '../../domain/task/status.ts'
import { bytes } from '../../domain/words/counts.ts'
import { ours, safeText, type SafeText, spelledOut } from '../../domain/words/safe-text.ts'
import { clockTime, coarse, duration, elapsed, type Instant } from '../../domain/words/time.ts'
import type { RequestView } from '../../operations/requests/requests.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import { askedText, rowText } from '../../text/states.ts'
import { taskOf } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import { awayWords } from './hosts.ts'
import { byTheMinute } from './progress.ts'

// The row of an agent, and the reason for its state. Only visible rows are created.

export const agentRow = (
  agent: AgentView,
  now: Instant,
  seen: ProcessObservation | undefined,
  requests: readonly RequestView[],
  selected: boolean,
  silentAfter = Infinity,
): AgentRow => {
  const away = agent.status === 'terminated' ? '' : awayWords(agent.host, { now, silentAfter }, silentBriefly)
  return {
    id: safeText(agent.id),
    state: isAsking(agent, requests) ? 'asking' : agentLook(agent),
    kind: safeText(agent.kind),
    host: safeText(agent.host?.name ?? ''),
    pid: ours(agent.processId === null ? '–' : String(agent.processId)),
    cpu: ours(seen ? `${Math.round(seen.cpu)}%` : '–'),
    memory: ours(seen ? bytes(seen.memory) : '–'),
    beat: ours(beatOf(agent, now)),
    context: ours(agent.context === null ? '–' : contextMark(agent.context)),
    task: troubleOf(agent) ?? withAway(away, askedWords(agent, requests) ?? ours(taskWords(agent))),
    isAway: away !== '',
    selected,
  }
}

const withAway = (away: string, task: SafeText): SafeText =>
  away === '' ? task : ours(task === '–' ? away : `${away}, ${task}`)

/** Its column is narrow. */
const silentBriefly = (since: Instant): string => rowText.silent(clockTime(since).slice(0, 5))

const troubleOf = ({ launchError, left }: AgentView): SafeText | undefined => {
  if (launchError !== null) return safeText(`⚠ ${launchError}`)
  return left.length === 0 ? undefined : safeText(`⚠ ${leftWords(left)}`)
}

export const agentLook = (agent: AgentView): AgentLook => {
  if (agent.status !== 'terminated')
    return agent.stopRequestedAt !== null ? 'stopping' : agent.pausedAt === null ? agent.status : 'paused'
  // A stopped process ends by a signal, which is not a failure.
  const failed =
    agent.launchError !== null ||
    agent.left.length > 0 ||
    (agent.stopRequestedAt === null && agent.exitCode !== null && agent.exitCode !== 0)
  return failed ? 'broken' : 'terminated'
}

const isAsking = (agent: AgentView, requests: readonly RequestView[]): boolean =>
  requests.some((request) => request.agentId === agent.id && request.status === 'open' && request.kind !== 'denial')

/** Its present question, or the answer to its last one and whether it has received it. */
const askedWords = (agent: AgentView, requests: readonly RequestView[]): SafeText | undefined => {
  const own = requests.filter((request) => request.agentId === agent.id)
  const request =
    own.find(({ status, kind }) => status === 'open' && kind !== 'denial') ??
    own.findLast(({ answeredBy, status }) => answeredBy !== 'aiswarm' || status !== 'allowed')
  if (!request) return undefined
  const about = request.tool ?? ''
  const subject = request.subject.slice(0, LONGEST_SUBJECT)
  const words: Record<RequestView['status'], string> = {
    open:
      request.kind === 'denial'
        ? askedText.notAllowed(about)
        : request.kind === 'question'
          ? askedText.asks(subject)
          : askedText.asksFor(about, subject),
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
  return agent.taskId === null ? coarse(ms, duration) : duration(ms)
}

const taskWords = (agent: AgentView): string => {
  if (agent.status === 'terminated')
    return agent.stopRequestedAt !== null || agent.exitCode === null ? rowText.ended : rowText.exit(agent.exitCode)
  return agent.taskId === null ? '–' : String(agent.taskId)
}

/** In seconds for a working agent, otherwise in minutes. */
export const agentTime = (state: ConsoleState, agent: AgentView): SafeText =>
  ours((agent.taskId === null ? byTheMinute : duration)(elapsed(sinceOfAgent(state, agent), state.now)))

export const reasonOfAgent = (state: ConsoleState, agent: AgentView): string => {
  const process = seenOf(state, agent)
  return agentReason(agent, {
    now: state.now,
    since: sinceOfAgent(state, agent),
    busySince: busySince(state, agent),
    ...(process === undefined ? {} : { process }),
    ...askedBy(state, ({ agentId }) => agentId === agent.id),
  })
}

export const sinceOfAgent = (state: ConsoleState, agent: AgentView): Instant =>
  agentSince(agent, busySince(state, agent), agent.freeSince)

const busySince = (state: ConsoleState, { taskId }: AgentView): Instant | null => {
  const task = taskOf(state, taskId)
  return task ? taskSince(task, state.now) : null
}

/** Undefined before the first observation; null if its process was not found. */
export const seenOf = ({ processes }: ConsoleState, agent: AgentView): ProcessSeen | null | undefined => {
  if (agent.process === 'none') return undefined
  const seen = processes[agent.id]
  if (seen) return processSeen(seen)
  return agent.process === 'ended' ? null : undefined
}

const processSeen = ({ cpu, lastOutput = null }: ProcessObservation): ProcessSeen => ({ cpu, lastOutput })

export const askedBy = (
  { board }: ConsoleState,
  of: (request: ConsoleState['board']['requests'][number]) => boolean,
) => {
  const request = board.requests.find((one) => one.status === 'open' && one.kind !== 'denial' && of(one))
  return request
    ? {
        asked: {
          kind: request.kind as 'permission' | 'question',
          tool: request.tool,
          subject: request.subject,
          askedAt: request.askedAt,
        },
      }
    : {}
}
