import { listRequests } from '../../operations/requests/list-requests.ts'
import { answer } from '../verbs/agents/answer.ts'
import { type Command, does, given, performs } from '../call/command.ts'
import { requestList } from '../print/request-text.ts'
import { count, text } from '../call/values.ts'
import { argument, flag, naming, option } from '../call/words.ts'

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
