import { describe, expect, it } from 'vitest'
import { copilotAcp } from '../../../src/agents/copilot.ts'
import { plain } from '../../../src/agents/custom.ts'
import { acpReader } from '../../../src/agents/acp/lines.ts'

const read = acpReader(plain)
const line = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message })
const update = (of: object): string => line({ method: 'session/update', params: { sessionId: 's', update: of } })
const said = (text: string, more = {}): string =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...more })

describe('a line of an ACP agent', () => {
  it('contains what the model says, in pieces', () => {
    expect(read(said('Finished.'))).toEqual([{ kind: 'text', text: 'Finished.', continues: true }])
  })

  it('contains the tokens of a turn, wherever the agent puts them', () => {
    const used = { kind: 'usage', of: 'step', tokensIn: 1000, tokensOut: 50, tokensCached: 0, costUsd: null }
    const usage = { inputTokens: 1000, outputTokens: 50 }
    const ended = { kind: 'ended', ok: true, sentence: 'end_turn' }
    expect(read(line({ id: 'a', result: { stopReason: 'end_turn', usage } }))).toEqual([used, ended])
    // Gemini
    const quota = { token_count: { input_tokens: 1000, output_tokens: 50 } }
    expect(read(line({ id: 'a', result: { stopReason: 'end_turn', _meta: { quota } } }))).toEqual([used, ended])
    // Qwen
    expect(read(said('', { _meta: { usage } }))).toEqual([used])
  })

  it('contains the context and the cost so far', () => {
    expect(
      read(update({ sessionUpdate: 'usage_update', used: 8, size: 9, cost: { amount: 0.5, currency: 'USD' } })),
    ).toEqual([
      { kind: 'context', tokens: 8, window: 9 },
      { kind: 'usage', of: 'run', tokensIn: 0, tokensOut: 0, tokensCached: 0, costUsd: 0.5 },
    ])
  })

  it('contains the session and the calls that the driver notes', () => {
    expect(read('{"aiswarm":{"is":"session","id":"s"}}')).toEqual([{ kind: 'session', id: 's' }])
    expect(read('{"aiswarm":{"is":"call","call":"1","name":"shell","about":"npm test"}}')).toEqual([
      { kind: 'tool', name: 'shell', about: 'npm test', call: '1' },
    ])
    expect(read('{"aiswarm":{"is":"failed","why":"could not find session x: 1"}}')).toEqual([
      { kind: 'no_session', sentence: 'could not find session x: 1' },
      { kind: 'ended', ok: false, sentence: 'The conversation did not begin: could not find session x: 1' },
    ])
  })

  it('contains problems of the account', () => {
    const failed = (error: object) => read(line({ id: 'a', error })).map(({ kind }) => kind)
    expect(failed({ code: -32000, message: 'Authentication required' })).toEqual(['unauthorized', 'ended'])
    expect(failed({ code: 401, message: 'API key not valid' })).toEqual(['unauthorized', 'ended'])
    expect(failed({ code: -32603, message: 'Internal error', data: { details: '429 Too many requests' } })).toEqual([
      'limited',
      'ended',
    ])
    // Copilot prints them as if the model had said them; another agent may write about a limit.
    expect(acpReader(copilotAcp)(said('Error: 429 quota exceeded'))).toMatchObject([{ kind: 'limited' }])
    expect(read(said('Error: 429 quota exceeded'))).toMatchObject([{ kind: 'text' }])
  })

  it.each(['', '{', '[]', '{"id":1}', '{"id":1,"result":7}', '{"method":"session/update"}', '{"aiswarm":7}'])(
    'gives no reading if it is damaged: %j',
    (damaged) => {
      expect(read(damaged)).toEqual([])
    },
  )
})
