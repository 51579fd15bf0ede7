import { zonedTime } from '../../../src/domain/words/time.ts'
import { describe, expect, test } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import type { RetrieveConversationOutput, RetrieveExecutionOutput } from '../../../src/memory/dual-memory/schemas.ts'
import { addConversation } from '../../../src/operations/memory/conversations.ts'
import { addExecution } from '../../../src/operations/memory/executions.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { checked } from '../../support/memory-schemas.ts'
import { now, openTerminal } from '../terminal.ts'

/** A terminal of a user, on a database in which ada and bob have talked about logging in. */
const terminal = async (user?: string) => {
  const opened = await openTerminal({ environment: user === undefined ? {} : { MEMORY_USER_ID: user } })
  const { core } = opened
  for (const userId of ['ada', 'bob', 'default_user']) {
    const said = {
      userId,
      messageId: 'm',
      userInput: `log ${userId} in`,
      agentResponse: 'done \u001b]0;title\u0007red,\u001b[2J then bold',
    }
    await perform(core, addConversation, said, person)
    const errors = [{ error_type: 'Timeout', error_message: 'after 30 s', tool: 'shell' }]
    await perform(
      core,
      addExecution,
      {
        userId,
        messageId: 'm',
        summary: `logged ${userId} in`,
        toolsUsed: ['shell', 'edit'],
        errors,
        observations: 'slow',
        success: true,
        durationMs: 40,
      },
      person,
    )
  }
  return {
    ...opened,
    conversations: async (...words: string[]) =>
      checked(
        'retrieve_conversation',
        await opened.json<RetrieveConversationOutput>('memory', 'conversations', 'search', ...words),
      ).data,
    executions: async (...words: string[]) =>
      checked(
        'retrieve_execution',
        await opened.json<RetrieveExecutionOutput>('memory', 'executions', 'search', ...words),
      ).data,
  }
}

describe('memory conversations search', () => {
  test('prints the result of the retrieve tool, for the user of the environment', async () => {
    const { conversations } = await terminal('ada')
    expect(await conversations('LOG in')).toMatchObject({
      status: 'success',
      query: 'LOG in',
      query_type: 'general',
      retrieval_timestamp: now,
      conversations: [
        {
          message_id: 'm',
          conversation_timestamp: now,
          user_input: 'log ada in',
          has_execution_memory: true,
          relevance_score: 1,
        },
      ],
      total_found: 1,
    })
    expect((await (await terminal()).conversations('log')).conversations).toMatchObject([
      { user_input: 'log default_user in' },
    ])
    expect((await (await terminal('team/ada')).conversations('log')).conversations).toEqual([])
  })

  test('accepts words with or without quotes, a message id and a limit', async () => {
    const { conversations, core } = await terminal('ada')
    expect((await conversations('log', 'ada')).total_found).toBe(1)
    expect((await conversations('log', 'bob')).total_found).toBe(0)
    expect(await conversations('whatever', '--message-id', 'm')).toMatchObject({
      query_type: 'specific_message',
      requested_message_id: 'm',
      total_found: 1,
    })
    await perform(
      core,
      addConversation,
      { userId: 'ada', messageId: 'n', userInput: 'log again', agentResponse: 'no' },
      person,
    )
    expect(await conversations('log', '--max-results', '1')).toMatchObject({
      total_found: 2,
      returned_count: 1,
      max_results_applied: true,
    })
  })

  test('prints escaped text for a person', async () => {
    const { run } = await terminal('ada')
    expect(await run('memory', 'conversations', 'search', 'log')).toEqual({
      code: 0,
      err: '',
      out: `m  ${zonedTime(now)}  with its execution\n\nUser\n  log ada in\n\nAgent\n  done red, then bold\n\n1 conversation found.\n`,
    })
    expect((await run('memory', 'conversations', 'search', 'nothing')).out).toBe('0 conversations found.\n')
  })

  test('answers a malformed query like the tool, or with a sentence for a person', async () => {
    const { run } = await terminal('ada')
    const long = 'x'.repeat(4001)
    const { code, out, err } = await run('memory', 'conversations', 'search', long, '--json')
    expect({ code, err }).toEqual({ code: 2, err: '' })
    expect(checked('retrieve_conversation', JSON.parse(out) as RetrieveConversationOutput)).toMatchObject({
      success: false,
      data: { status: 'error', total_found: 0 },
    })
    expect(await run('memory', 'conversations', 'search', long)).toEqual({
      code: 2,
      out: '',
      err: 'retrieve_conversation at query: a text of 1 to 4000 characters was expected.\n',
    })
    expect((await run('memory', 'conversations', 'search', 'x', '--max-results', '51')).code).toBe(2)
    expect((await run('memory', 'conversations', 'search')).code).toBe(2)
  })
})

describe('memory executions search', () => {
  test('prints the result of the retrieve tool', async () => {
    const { executions } = await terminal('ada')
    expect(await executions('timeout')).toMatchObject({
      query_type: 'pattern_search',
      executions: [
        {
          message_id: 'm',
          execution_details: {
            execution_summary: 'logged ada in',
            tools_used: ['shell', 'edit'],
            errors: [{ error_type: 'Timeout', error_message: 'after 30 s', tool: 'shell' }],
            observations: 'slow',
          },
          success: true,
          duration_ms: 40,
        },
      ],
      total_found: 1,
    })
    expect(await executions('what was the trail?', '--message-id', 'm')).toMatchObject({
      query_type: 'specific_message',
      total_found: 1,
    })
  })

  test('prints sentences for a person', async () => {
    const { run } = await terminal('ada')
    expect((await run('memory', 'executions', 'search', 'shell')).out).toBe(
      `m  ${zonedTime(now)}  succeeded after 40 ms\n\nlogged ada in\n\nTools\n  shell\n  edit\n\nErrors\n  shell: Timeout: after 30 s\n\nObservations\n  slow\n\n1 execution found.\n`,
    )
  })
})
