import { isRefusal } from '../../domain/rules/refusal.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { type Instant, zonedTime } from '../../domain/words/time.ts'
import {
  conversationQueryRefused,
  conversationsFound,
  executionQueryRefused,
  executionsFound,
  readConversationQuery,
  readExecutionQuery,
} from '../../memory/dual-memory/records.ts'
import type { RetrieveConversationOutput, RetrieveExecutionOutput } from '../../memory/dual-memory/schemas.ts'
import { memoryUser } from '../../memory/dual-memory/user.ts'
import { retrieveConversation } from '../../operations/memory/conversations.ts'
import { retrieveExecution } from '../../operations/memory/executions.ts'
import { perform } from '../../operations/perform/perform.ts'
import { type Answer, type Call, type Command, does, exitCodes, given, open } from '../call/command.ts'
import { count, text } from '../call/values.ts'
import { type Meaning, option, several } from '../call/words.ts'
import { blocks, paragraph, section } from '../print/columns.ts'

const wanted = {
  query: several('QUERY', 'Words that must all occur; upper and lower case are equal', text),
  messageId: option('--message-id', 'ID', 'Only the record with this message id; the words are ignored', text),
  maxResults: option('--max-results', 'N', 'Maximum number of results, up to 50 (default: 10)', count),
}

/** Seed 003 on the command line: the answers of the retrieve tools, for the same user. */
export const dualMemoryCommands: readonly Command[] = [
  does({
    path: 'memory conversations search',
    summary: 'Search conversations: prompts and answers, including those of attempts',
    words: wanted,
    run: (words, call) =>
      search(call, inputOf(words, 'conversations'), {
        find: async (input, { core, actor }) => {
          const asked = readConversationQuery(input)
          return conversationsFound(
            asked,
            await perform(core, retrieveConversation, { userId: memoryUser(call.environment), ...asked.search }, actor),
            core.clock(),
          )
        },
        refused: conversationQueryRefused,
        text: conversationList,
      }),
    example: 'memory conversations search login token',
  }),
  does({
    path: 'memory executions search',
    summary: 'Search executions: tools, errors and observations, including those of attempts',
    words: wanted,
    run: (words, call) =>
      search(call, inputOf(words, 'executions'), {
        find: async (input, { core, actor }) => {
          const asked = readExecutionQuery(input)
          return executionsFound(
            asked,
            await perform(core, retrieveExecution, { userId: memoryUser(call.environment), ...asked.search }, actor),
            core.clock(),
          )
        },
        refused: executionQueryRefused,
        text: executionList,
      }),
    example: 'memory executions search timeout --message-id session-20260130-142233:task-3:1',
  }),
]

const inputOf = ({ query, messageId, maxResults }: Meaning<typeof wanted>, what: string) => ({
  explanation: `aiswarm memory ${what} search`,
  query: query.join(' '),
  ...given('message_id', messageId),
  ...given('max_results', maxResults),
})

interface Search<O> {
  readonly find: (input: object, connection: Awaited<ReturnType<typeof open>>) => Promise<O>
  readonly refused: (sentence: string, input: object, now: Instant) => O
  readonly text: (output: O) => string
}

/** For a program, an invalid query gets the same answer as from the tool. */
const search = async <O>(call: Call, input: object, { find, refused, text }: Search<O>): Promise<Answer> => {
  const connection = await open(call)
  try {
    const output = await find(input, connection)
    return { json: output, text: text(output) }
  } catch (error) {
    if (!call.json || !isRefusal(error) || error.code !== 'invalid_input') throw error
    return { json: refused(error.message, input, connection.core.clock()), text: '', code: exitCodes.usage }
  }
}

const conversationList = ({ message, data }: RetrieveConversationOutput): string =>
  blocks([
    ...data.conversations.map((one) =>
      blocks([
        `${safeText(one.message_id)}  ${zonedTime(one.conversation_timestamp)}${one.has_execution_memory ? '  with its execution' : ''}`,
        section('User', [paragraph(one.user_input)]),
        section('Agent', [paragraph(one.agent_response)]),
      ]),
    ),
    message,
  ])

const executionList = ({ message, data }: RetrieveExecutionOutput): string =>
  blocks([
    ...data.executions.map(({ message_id, execution_timestamp, success, duration_ms, execution_details: details }) =>
      blocks([
        `${safeText(message_id)}  ${zonedTime(execution_timestamp)}  ${success ? 'succeeded' : 'failed'} after ${duration_ms} ms`,
        paragraph(details.execution_summary),
        section(
          'Tools',
          details.tools_used.map((name) => safeText(name)),
        ),
        section(
          'Errors',
          details.errors.map(({ error_type, error_message, tool }) =>
            safeText([tool, error_type, error_message].filter((part) => part !== undefined).join(': ')),
          ),
        ),
        details.observations === '' ? '' : section('Observations', [paragraph(details.observations)]),
      ]),
    ),
    message,
  ])
