import { zonedTime } from '../../domain/words/time.ts'
import { type Limits, limitWords, usedWords } from '../../domain/budget/budget.ts'
import { sessionStates } from '../../domain/session/session.ts'
import { endSession } from '../../operations/sessions/end.ts'
import { getSession, listSessions } from '../../operations/sessions/sessions.ts'
import { startSession } from '../../operations/sessions/start.ts'
import { type Command, does, given, performs } from '../call/command.ts'
import { columns, pairs } from '../print/columns.ts'
import { text } from '../call/values.ts'
import { argument, choice, flag, naming, option, optionalArgument } from '../call/words.ts'

const endings = sessionStates.filter((state) => state !== 'running')

export const sessionCommands: readonly Command[] = [
  performs({
    path: 'session start',
    words: { goal: option('--goal', 'G', 'Goal of the session; a planner creates the tasks for it', text) },
    operation: startSession,
    input: ({ goal }) => given('goal', goal),
    text: (session) =>
      `${session.id} ${session.begun ? 'has started' : 'is already running'}${session.taskId === null ? '' : `; task ${session.taskId} plans it`}.${session.held === null ? '' : `\nTask ${session.taskId} cannot start: ${session.held}`}`,
    example: "session start --goal 'Users can log in'",
  }),
  performs({
    path: 'session show',
    words: {},
    operation: getSession,
    input: () => ({}),
    text: (session) =>
      pairs([
        ['session', session.id],
        ['status', session.status],
        ['goal', session.goal],
        ['started', zonedTime(session.startedAt)],
        ['paused', session.pausedAt && zonedTime(session.pausedAt)],
        ['ended', session.endedAt && zonedTime(session.endedAt)],
        ['used', usedWords(session.usage) || null],
        ['budget', limitsOf(session.budget)],
        ...Object.entries(session.tasks).map(([state, n]) => [state.replace('_', ' '), n] as const),
        ...summaryOf(session.summary),
      ]),
    example: 'session show',
  }),
  performs({
    path: 'session list',
    words: {},
    operation: listSessions,
    input: () => ({}),
    text: (sessions) =>
      columns(
        ['SESSION', 'STATUS', 'STARTED', 'ENDED', 'GOAL'],
        sessions.map(({ id, status, startedAt, endedAt, goal }) => [
          id,
          status,
          zonedTime(startedAt),
          endedAt && zonedTime(endedAt),
          goal,
        ]),
      ),
    example: 'session list',
  }),
  does({
    path: 'session import',
    summary: 'Start the session of a task-board.md; its tasks go to the agents that it names',
    words: { file: argument('FILE', 'A board file', text) },
    run: async ({ file }, call) => (await import('../verbs/session-files.ts')).importSession(call, file),
    example: 'session import task-board.md',
  }),
  does({
    path: 'session export',
    summary: 'Write the files of the session (board, progress, results) into a folder',
    words: { folder: argument('DIR', 'Target folder; created if missing', text) },
    run: async ({ folder }, call) => (await import('../verbs/session-files.ts')).exportSession(call, folder),
    example: 'session export /tmp/session',
  }),
  does({
    path: 'session report',
    summary:
      'Write throughput, failures, tokens, cost, open tasks and the attempts of each agent over time as one HTML page',
    words: {
      session: naming(
        'sessions',
        optionalArgument('SESSION', 'Id of the session (default: the running one, else the latest)', text),
      ),
      out: option(
        '--out',
        'FILE',
        'File to write (default: .aiswarm/reports/session-ID.html, which git ignores)',
        text,
      ),
      force: flag('--force', 'Overwrite an existing file'),
    },
    grave: ['force'],
    run: async (words, call) => (await import('../verbs/session-report.ts')).reportSession(call, words),
    example: 'session report --out report.html',
  }),
  does({
    path: 'session check',
    summary: 'Check a session, board, progress or result file; with --json also print its content',
    words: { file: argument('FILE', 'A session file', text) },
    run: async ({ file }) => (await import('../verbs/session-files.ts')).checkSessionFile(file),
    example: 'session check .serena/memories/result-backend.md',
  }),
  performs({
    path: 'session end',
    words: { status: choice('--status', 'S', 'Outcome (default: derived from its tasks)', endings) },
    operation: endSession,
    input: ({ status }) => given('status', status),
    text: (session) => `${session.id} ended as ${session.status}.`,
    example: 'session end --status aborted',
  }),
]

const limitsOf = (budget: Limits): string | null =>
  budget.costUsd === null && budget.tokens === null ? null : limitWords(budget)

/** The result of the session, as its row stores it. */
const summaryOf = (summary: unknown): readonly (readonly [string, string | number])[] => {
  if (typeof summary !== 'object' || summary === null) return []
  const { totalTasks, filesCreated, issues } = summary as Readonly<Record<string, unknown>>
  const list = (of: unknown): string => (Array.isArray(of) && of.length > 0 ? of.join(', ') : 'none')
  return [
    ['total tasks', typeof totalTasks === 'number' ? totalTasks : 0],
    ['files', list(filesCreated)],
    ['issues', list(issues)],
  ]
}
