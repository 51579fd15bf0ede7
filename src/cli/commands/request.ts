import { listRequests } from '../../operations/requests/list-requests.ts'
import { answer } from '../verbs/agents/answer.ts'
import { type Command, does, given, performs } from '../call/command.ts'
import { requestList } from '../print/request-text.ts'
import { count, text } from '../call/values.ts'
import { argument, flag, option } from '../call/words.ts'

/** Requests of agents to a person. */
export const requestCommands: readonly Command[] = [
  performs({
    path: 'request list',
    words: { all: flag('--all', 'Also those that are over'), agentId: option('--agent', 'A', 'Only those of this agent', text) },
    operation: listRequests,
    input: ({ all, agentId }) => ({ all, ...given('agentId', agentId) }),
    text: requestList,
    example: 'request list',
  }),
  does({
    path: 'request answer',
    summary: "Answer what an agent asks; wants the agent's id typed on the terminal first",
    words: {
      id: argument('ID', 'Number of the request', count),
      allow: flag('--allow', 'Allow it this once'),
      always: flag('--always', 'Allow it and its like from now on, by a rule in the configuration'),
      deny: flag('--deny', 'Deny it'),
      words: option('--text', 'T', 'Answer a question', text),
    },
    grave: true,
    run: (words, call) => answer(call, words),
    example: 'request answer 3 --allow',
  }),
]
