import { listRequests } from '../operations/list-requests.ts'
import { answer } from './answer.ts'
import { type Command, does, given, performs } from './command.ts'
import { requestList } from './text/request-text.ts'
import { count, text } from './values.ts'
import { argument, flag, option } from './words.ts'

/** What agents ask of a person. */
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
