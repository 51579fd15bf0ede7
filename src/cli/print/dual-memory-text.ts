import { zonedTime } from '../../domain/words/time.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import type { RetrieveConversationOutput, RetrieveExecutionOutput } from '../../memory/dual-memory/schemas.ts'
import { blocks, paragraph, section } from './columns.ts'

export const conversationList = ({ message, data }: RetrieveConversationOutput): string =>
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

export const executionList = ({ message, data }: RetrieveExecutionOutput): string =>
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
