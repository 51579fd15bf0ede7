import { someOf } from '../../domain/words/counts.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { duration, elapsed, type Instant } from '../../domain/words/time.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { type Board, readBoard } from '../../operations/screens/board.ts'
import { readHeld } from '../../operations/tasks/held-tasks.ts'
import { type Command, does, open, saidAll } from '../call/command.ts'
import { onEveryChange } from '../call/follow.ts'
import { whyNoScreen } from '../call/screen.ts'
import { flag } from '../call/words.ts'
import { agentList } from '../print/agents.ts'
import { blocks, folded, section } from '../print/columns.ts'
import { worktreeList } from '../print/worktrees.ts'
import { join, type ObservedWorktree } from '../verbs/observed-worktrees.ts'

export const statusCommands: readonly Command[] = [
  does({
    path: 'status',
    summary: 'Show the session, the number of tasks by state, the agents, the worktrees and what needs you',
    words: { watch: flag('--watch', 'Print it again at every change, until Ctrl-C (with --json one value per line)') },
    run: async ({ watch }, call) => {
      const connection = await open(call)
      const textOf = (status: Status): string =>
        folded(statusText(status, connection.core.clock()), call.streams.columns?.())
      if (!watch) {
        const status = await readStatus(connection)
        return { json: status, text: textOf(status) }
      }
      let last = ''
      await onEveryChange(call, connection, async () => {
        const status = await readStatus(connection)
        const json = JSON.stringify(status)
        if (json === last) return
        last = json
        call.streams.out(
          call.json
            ? `${json}\n`
            : `${whyNoScreen(call.streams.stdoutIsTerminal, call.environment) ? '' : clearScreen}${textOf(status)}\n`,
        )
      })
      return saidAll
    },
    example: 'status --watch',
  }),
]

const clearScreen = '\u001b[H\u001b[2J'

/** The board without its tasks, for one screen. `attention` contains the inbox items. */
interface Status extends Pick<Board, 'session' | 'counts' | 'agents' | 'attention'> {
  /** Where the board is stored. */
  readonly store: { readonly engine: 'SQLite' | 'PostgreSQL'; readonly path: string }
  readonly worktrees: readonly ObservedWorktree[]
  /** Tasks that cannot start now. */
  readonly held: readonly { readonly taskId: number; readonly why: string }[]
}

const readStatus = async ({ core, actor, outside }: Connection): Promise<Status> => {
  const { session, counts, agents, worktrees, attention } = await perform(
    core,
    readBoard,
    { before: 0, after: 1 },
    actor,
  )
  const held = await perform(core, readHeld, {}, actor)
  return {
    store: { engine: core.store.engine, path: core.store.path },
    session,
    counts,
    agents,
    worktrees: join(worktrees, await outside.observeWorktrees(), await outside.absentWorktrees()),
    attention,
    held,
  }
}

const statusText = ({ store, session, counts, agents, worktrees, attention, held }: Status, now: Instant): string => {
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
