import { sessionStates } from '../domain/session.ts'
import { endSession } from '../operations/end-session.ts'
import { getSession } from '../operations/get-session.ts'
import { type Command, given, performs } from './command.ts'
import { pairs } from './text/columns.ts'
import { choice } from './words.ts'

const endings = sessionStates.filter((state) => state !== 'running')

export const sessionCommands: readonly Command[] = [
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
