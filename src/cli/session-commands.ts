import { sessionStates } from '../domain/session.ts'
import { endSession } from '../operations/end-session.ts'
import { getSession } from '../operations/get-session.ts'
import { startSession } from '../operations/start-session.ts'
import { type Command, given, performs } from './command.ts'
import { pairs } from './text/columns.ts'
import { text } from './values.ts'
import { choice, option } from './words.ts'

const endings = sessionStates.filter((state) => state !== 'running')

export const sessionCommands: readonly Command[] = [
  performs({
    path: 'session start',
    words: { goal: option('--goal', 'G', 'What is to be reached; a planner makes the tasks for it', text) },
    operation: startSession,
    input: ({ goal }) => given('goal', goal),
    text: (session) => `${session.id} has begun${session.taskId === null ? '' : `; task ${session.taskId} plans it`}.`,
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
        ['started', session.startedAt],
        ['paused', session.pausedAt],
        ['ended', session.endedAt],
        ...Object.entries(session.tasks).map(([state, n]) => [state.replace('_', ' '), n] as const),
      ]),
    example: 'session show',
  }),
  performs({
    path: 'session end',
    words: { status: choice('--status', 'S', 'How it ended (default: by what became of its tasks)', endings) },
    operation: endSession,
    input: ({ status }) => given('status', status),
    text: (session) => `${session.id} ended as ${session.status}.`,
    example: 'session end --status aborted',
  }),
]
