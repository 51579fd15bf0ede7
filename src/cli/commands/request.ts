import { randomUUID } from 'node:crypto'
import { Refusal } from '../../domain/rules/refusal.ts'
import { act, perform } from '../../operations/perform/perform.ts'
import { answerRequest } from '../../operations/requests/answers.ts'
import { getRequest, listRequests } from '../../operations/requests/requests.ts'
import { type Answer, type Call, type Command, does, given, open, performs } from '../call/command.ts'
import { askForName, needLogin, refuseAgent } from '../call/confirmation.ts'
import { untilAnswered } from '../call/follow.ts'
import { count, text } from '../call/values.ts'
import { argument, flag, naming, option } from '../call/words.ts'
import { requestDetail, requestLine, requestList } from '../print/messages.ts'

/** Requests of agents to a person. */
export const requestCommands: readonly Command[] = [
  performs({
    path: 'request list',
    words: {
      all: flag('--all', 'Also requests that are closed'),
      agentId: naming('agents', option('--agent', 'A', 'Only those of this agent', text)),
    },
    operation: listRequests,
    input: ({ all, agentId }) => ({ all, ...given('agentId', agentId) }),
    text: requestList,
    example: 'request list',
  }),
  does({
    path: 'request answer',
    summary: "Answer a request of an agent; requires the agent's id typed at a terminal",
    words: {
      id: naming('requests', argument('ID', 'Number of the request', count)),
      allow: flag('--allow', 'Allow it once'),
      always: flag('--always', 'Always allow it and similar requests, by a rule in the configuration'),
      deny: flag('--deny', 'Deny it'),
      words: option('--text', 'T', 'Answer to a question; with --deny what the agent should do instead', text),
    },
    grave: true,
    run: (words, call) => answer(call, words),
    example: 'request answer 3 --allow',
  }),
]

interface Wanted {
  readonly id: number
  readonly allow: boolean
  readonly always: boolean
  readonly deny: boolean
  readonly words: string | undefined
}

/**
 * A person answers the request that was shown. An agent's own shell could call this too, so it requires a terminal and
 * a typed id.
 */
const answer = async (call: Call, wanted: Wanted): Promise<Answer> => {
  const verdicts = [
    ...(['allow', 'always', 'deny'] as const).filter((name) => wanted[name]),
    ...(wanted.words === undefined || wanted.deny ? [] : (['answer'] as const)),
  ]
  const [verdict] = verdicts
  if (verdict === undefined || verdicts.length > 1)
    throw new Refusal('invalid_input', "One of '--allow', '--always', '--deny' or '--text <T>' is required.")
  const connection = await open(call)
  refuseAgent(call, connection, 'answer requests')
  const request = await perform(connection.core, getRequest, { requestId: wanted.id }, connection.actor)
  if (!call.streams.stdinIsTerminal)
    throw new Refusal(
      'needs_terminal',
      `Answering request ${wanted.id} needs a person at a terminal. Use one, or the inbox of the console ('aiswarm').`,
    )
  await needLogin(connection, `Answering request ${wanted.id}`)
  const now = connection.core.clock()
  await askForName(
    call,
    request.agentId,
    requestDetail(request, now),
    `${questions[verdict]} Type the agent's id, ${request.agentId}:`,
  )
  const input =
    verdict === 'answer'
      ? ({ requestId: wanted.id, verdict, answer: wanted.words! } as const)
      : verdict === 'deny'
        ? { requestId: wanted.id, verdict, ...(wanted.words === undefined ? {} : { reason: wanted.words }) }
        : { requestId: wanted.id, verdict }
  // Nothing is typed again, and an answer whose commit was not heard of is not given twice.
  const requestId = randomUUID()
  const answered = await untilAnswered(call, connection, () => act(connection, answerRequest, input, { requestId }))
  return { json: answered, text: requestLine(answered) }
}

const questions = {
  allow: 'Allow it once?',
  always: 'Always allow it and similar requests?',
  deny: 'Deny it?',
  answer: 'Send this answer?',
} as const
