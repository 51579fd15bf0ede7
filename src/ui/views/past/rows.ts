import type { AgentRow } from '../../../../components/AgentTable.tsx'
import type { BoardRow } from '../../../../components/Board.tsx'
import type { HeaderProps } from '../../../../components/Header.tsx'
import type { WorktreeRow } from '../../../../components/Worktrees.tsx'
import { boardLooks, type BoardState, integrationLooks, sessionLooks } from '../../../../components/base/look.ts'
import { eventSentence } from '../../../domain/session/event-sentence.ts'
import type { Past, PastAgent, PastTask, PastWorktree } from '../../../domain/session/past.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { clockTime, duration, elapsed, type Instant } from '../../../domain/words/time.ts'
import type { EventView } from '../../../operations/views/events.ts'
import { commonText } from '../../../text/common.ts'
import { pastText } from '../../../text/history.ts'
import { rowText } from '../../../text/states.ts'
import type { ConsoleState } from '../../core/state.ts'
import { momentOf, type PastContents, pastIn, placeIn } from './past.ts'

// A past moment as rows of the panes. Facts that no event contains are shown as –.

const unknown = ours('–')

export const pastBoardRow = (id: number, past: Past, { names }: PastContents, now: Instant): BoardRow => {
  const task = past.tasks.get(id)!
  const named = names[id]
  const blockers = (named?.dependencies ?? []).filter((other) => past.tasks.get(other)?.status !== 'completed')
  const asked = [...past.requests.values()].find((request) => request.task === id)
  const spent =
    (task.status === 'claimed' || task.status === 'in_progress') &&
    task.agent !== null &&
    past.agents.get(task.agent)?.state === 'paused'
  const until = task.status === 'pending' && task.until !== null && task.until > now ? task.until : null
  const pending: BoardState = blockers.length > 0 ? 'blocked' : until === null ? 'pending' : 'waiting'
  const state: BoardState = asked ? 'asks' : spent ? 'spent' : task.status === 'pending' ? pending : task.status
  return {
    id,
    priority: named?.priority ?? 0,
    state,
    says: saysOf(task, state, blockers),
    time: ours(
      state === 'blocked'
        ? ''
        : duration(state === 'waiting' ? elapsed(now, until!) : elapsed(asked?.since ?? task.since, now)),
    ),
    agent: task.agent === null ? unknown : safeText(task.agent),
    title: named ? safeText(named.title) : ours('…'),
    asks: asked !== undefined,
    selected: false,
  }
}

const saysOf = ({ percent }: PastTask, state: BoardState, blockers: readonly number[]): SafeText => {
  if (state === 'blocked') return ours(rowText.blockedBy(blockers, 3))
  if (state === 'waiting') return ours(rowText.retryIn)
  return ours(state === 'in_progress' && percent !== null ? rowText.working(percent) : boardLooks[state].word)
}

/** `kind` is the present one: an agent's kind never changes, and not every event contains it. */
export const pastAgentRow = (
  id: string,
  agent: PastAgent,
  kind: string | null,
  now: Instant,
  asks = false,
): AgentRow => ({
  id: safeText(id),
  state: asks ? 'asking' : agent.state,
  kind: safeText(agent.kind ?? kind ?? unknown),
  pid: agent.pid === null ? unknown : ours(String(agent.pid)),
  cpu: unknown,
  memory: unknown,
  beat: unknown,
  time: ours(duration(elapsed(agent.since, now))),
  context: unknown,
  task: ours(agent.task !== null ? String(agent.task) : agent.exitCode !== null ? rowText.exit(agent.exitCode) : '–'),
  selected: false,
})

/** Agents that had not ended come first if there is no room for all. */
export const agentsOf = (past: Past, height: number): readonly (readonly [string, PastAgent])[] => {
  const all = [...past.agents]
  if (all.length <= height) return all
  const live = all.filter(([, { state }]) => state !== 'terminated' && state !== 'broken')
  const chosen = new Set([...live, ...all.filter((one) => !live.includes(one)).reverse()].slice(0, height))
  return all.filter((one) => chosen.has(one))
}

export const pastWorktreeRow = (
  name: string,
  { state, target, verified, since }: PastWorktree,
  now: Instant,
): WorktreeRow => {
  const look =
    state === 'active'
      ? null
      : state === 'building'
        ? integrationLooks.requested
        : state === 'discarded' || state === 'unknown'
          ? integrationLooks.rejected
          : integrationLooks[state]
  const says =
    state === 'active'
      ? ''
      : state === 'building'
        ? rowText.beingBuilt
        : state === 'conflicted'
          ? rowText.conflictsWith(target ?? commonText.itsTarget)
          : (look?.word ?? '')
  return {
    name: safeText(name),
    ahead: null,
    behind: null,
    added: null,
    removed: null,
    dirty: null,
    verified: ours(verified ? rowText.verified : ''),
    look,
    says: safeText(state === 'discarded' || state === 'unknown' ? state : says),
    warns: ours(''),
    time: ours(duration(elapsed(since, now))),
    selected: false,
  }
}

/** An event in one line: its time, and what happened. */
export const eventWords = (event: EventView | undefined, { names }: PastContents): SafeText => {
  if (!event) return ours(pastText.beforeFirst)
  const nameTask = (id: number): string => pastText.task(id, names[id]?.title)
  return ours(`${clockTime(event.at)}  ${eventSentence(event, nameTask)}`)
}

/**
 * The header for the shown past moment; null in the present. Facts that no event contains are omitted: costs, inbox
 * items and, if the beginning of the log was not read, the number of tasks.
 */
export const pastHeader = (
  state: ConsoleState,
): (Omit<HeaderProps, 'repository' | 'branch' | 'agents' | 'width'> & { readonly running: number }) | null => {
  const overlay = pastIn(state)
  if (!overlay) return null
  const { tasks, agents, session } = momentOf(state.past.events, placeIn(state, overlay))
  const known = session !== null && Object.hasOwn(sessionLooks, session.status)
  return {
    session: known
      ? { id: safeText(session.id), status: session.status as keyof typeof sessionLooks, summary: null }
      : state.past.whole
        ? null
        : 'unknown',
    paused: session?.status === 'running' && session.paused,
    supervisedElsewhere: null,
    running: [...agents.values()].filter((agent) => agent.pid !== null || agent.state === 'active').length,
    tasks: state.past.whole
      ? { done: [...tasks.values()].filter(({ status }) => status === 'completed').length, all: tasks.size }
      : null,
    waiting: 0,
    cost: ours(''),
    pace: null,
  }
}
