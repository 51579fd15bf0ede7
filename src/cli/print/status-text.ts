import { someOf } from '../../domain/words/counts.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { duration, elapsed, type Instant } from '../../domain/words/time.ts'
import type { Status } from '../verbs/sessions/status.ts'
import { agentList } from './agent-text.ts'
import { blocks, section } from './columns.ts'
import { worktreeList } from './worktree-text.ts'

export const statusText = (
  { store, session, counts, agents, worktrees, attention, held }: Status,
  now: Instant,
): string => {
  const live = agents.filter((agent) => agent.status !== 'terminated')
  const active = worktrees.filter((worktree) => worktree.status === 'active')
  const heading = [
    session === null
      ? 'No session yet.'
      : `${session.id}  ${session.status}${session.pausedAt === null ? '' : ', paused'}${session.goal === null ? '' : `  ${safeText(session.goal)}`}`,
    `Tasks: ${
      Object.entries(counts)
        .filter(([, n]) => n > 0)
        .map(([state, n]) => `${n} ${state.replace('_', ' ')}`)
        .join(', ') || 'none'
    }`,
    ...(store.engine === 'SQLite' ? [] : [`Board: ${store.path}`]),
  ].join('\n')
  return blocks([
    heading,
    section('Agents', agentList(live, now).split('\n')),
    section('Worktrees', worktreeList(active).split('\n')),
    section(
      'Inbox',
      attention.flatMap((item) => [
        safeText(`${item.kind}  ${item.text}  (${duration(elapsed(item.since, now))})`),
        ...(item.evidence === '' ? [] : [`  ${safeText(item.evidence)}`]),
        `  ${safeText(item.command)}`,
      ]),
    ),
    section('Cannot start', reasons(held)),
  ])
}

/** One line per reason, with the number of its tasks. */
const reasons = (held: Status['held']): readonly string[] =>
  [...Map.groupBy(held, ({ why }) => why)].map(([why, tasks]) => {
    const ids = tasks.map(({ taskId }) => taskId)
    return `${tasks.length === 1 ? 'task' : 'tasks'} ${someOf(ids, 5)}: ${safeText(why)}`
  })
