import { describe, expect, it } from 'vitest'
import { codexHeadless as codex } from '../../../src/agents/codex.ts'
import { copilotHeadless as copilot } from '../../../src/agents/copilot.ts'
import { geminiHeadless as gemini } from '../../../src/agents/gemini.ts'
import { headlessClis } from '../../../src/agents/kinds.ts'
import type { Reading } from '../../../src/agents/reading/reading.ts'
import { addReading, emptyReport, windowOf } from '../../../src/agents/reading/report.ts'

const read = (name: string, ...lines: readonly unknown[]) =>
  lines
    .flatMap((line) => headlessClis.find((kind) => kind.name === name)!.read!(JSON.stringify(line)))
    .reduce<typeof emptyReport>(addReading, emptyReport)

const reported = (...readings: readonly Reading[]) => readings.reduce(addReading, emptyReport)

describe('the context of an agent', () => {
  const turn = (usage: object, more: object = {}) => ({
    type: 'assistant',
    message: { usage, content: [{ type: 'text', text: 'so' }] },
    parent_tool_use_id: null,
    ...more,
  })
  const usage = (input: number) => ({
    input_tokens: input,
    cache_creation_input_tokens: 200,
    cache_read_input_tokens: 3000,
    output_tokens: 40,
  })

  it('counts what the latest turn of claude read and wrote, with the cache, not the sum of all turns', () => {
    expect(read('claude', turn(usage(10)), turn(usage(5000))).context).toBe(8240)
  })

  it('shrinks when claude compacts it', () => {
    expect(read('claude', turn(usage(150_000)), turn(usage(9000))).context).toBe(12_240)
  })

  it('ignores the turns of a subagent of claude, and errors', () => {
    expect(
      read(
        'claude',
        turn(usage(10)),
        turn(usage(90_000), { parent_tool_use_id: 'toolu_1' }),
        turn({ input_tokens: 0, output_tokens: 0 }),
      ).context,
    ).toBe(3250)
  })

  it('has the context window that claude reports for the model it started with', () => {
    const models = {
      'claude-haiku-4-5': { contextWindow: 200_000 },
      'claude-opus-4-8[1m]': { contextWindow: 1_000_000 },
      odd: { contextWindow: 'x' },
    }
    const begins = { type: 'system', subtype: 'init', session_id: 's', model: 'claude-opus-4-8[1m]' }
    const ends = { type: 'result', subtype: 'success', result: 'done', modelUsage: models }
    expect(read('claude', begins, ends).window).toBe(1_000_000)
    expect(read('claude', begins, turn(usage(10)), ends).context).toBe(3250)
  })

  it('counts the last turn of qwen, which includes the cache in its input', () => {
    expect(
      read('qwen', turn({ input_tokens: 9000, output_tokens: 50, cache_read_input_tokens: 8000, total_tokens: 9050 }))
        .context,
    ).toBe(9050)
  })

  it('counts the last step of opencode', () => {
    const step = (input: number) => ({
      type: 'step_finish',
      part: { reason: 'tool-calls', tokens: { input, output: 50, reasoning: 5, cache: { read: 100, write: 20 } } },
    })
    expect(read('opencode', step(1000), step(2000))).toMatchObject({ context: 2175, tokensIn: 3240 })
  })

  it('is in the file that copilot writes at its end', () => {
    const content = {
      modelMetrics: { m: { usage: { inputTokens: 6000, outputTokens: 300 } } },
      lastCallInputTokens: 1000,
      lastCallOutputTokens: 50,
    }
    expect(reported(...copilot.afterwards!.read(JSON.stringify(content)))).toMatchObject({
      context: 1050,
      tokensIn: 6000,
    })
  })

  it('is in the file of a codex thread, with its context window', () => {
    const count = (total: number) => ({
      timestamp: '2026-11-21T12:41:32.865Z',
      type: 'event_msg',
      payload: {
        type: 'token_count',
        info: {
          total_token_usage: { total_tokens: 99_999 },
          last_token_usage: { input_tokens: total - 50, output_tokens: 50, total_tokens: total },
          model_context_window: 258_400,
        },
      },
    })
    expect(codex.ledger!.read(JSON.stringify(count(1050)))).toEqual([
      { kind: 'context', tokens: 1050, window: 258_400 },
    ])
    expect(codex.ledger!.read('{"type":"event_msg","payload":{"type":"token_count","info":null}}')).toEqual([])
    expect(codex.ledger!.read('{"type":"response_item","payload":{}}')).toEqual([])
    expect(codex.ledger!.read('{"type":"token_count"')).toEqual([])
  })

  it('is in the file of a gemini session', () => {
    const line = {
      id: 'x',
      type: 'gemini',
      content: 'I go on.',
      tokens: { input: 1000, output: 50, cached: 0, thoughts: 0, tool: 0, total: 1050 },
    }
    expect(gemini.ledger!.read(JSON.stringify(line))).toEqual([{ kind: 'context', tokens: 1050, window: null }])
    expect(gemini.ledger!.read('{"sessionId":"x"}')).toEqual([])
  })
})

describe('the session file', () => {
  it('of codex is in the folder of the day that its id names, or of the day before or after', () => {
    const thread = '01a1fe20-4e6e-7c70-b63e-942c05b79715'
    expect(codex.ledger!.paths(thread, { HOME: '/home/me' })).toEqual(
      [20, 21, 22].map((day) => `/home/me/.codex/sessions/2026/11/${day}/rollout-*-${thread}.jsonl`),
    )
    expect(codex.ledger!.paths(thread, { HOME: '/home/me', CODEX_HOME: '/else' })[0]).toBe(
      `/else/sessions/2026/11/20/rollout-*-${thread}.jsonl`,
    )
  })

  it('of gemini is in the folder of any repository', () => {
    expect(gemini.ledger!.paths('0ee961f5-d99f-4bac-9c7f-739b0c666092', { HOME: '/home/me' })).toEqual([
      '/home/me/.gemini/tmp/*/chats/session-*-0ee961f5.jsonl',
    ])
  })

  it.each(['', '../../etc/passwd', '*', '01a1fe20-4e6e-7c70-b63e-942c05b7971*', 'x'.repeat(36)])(
    'has no path if the id is invalid: %j',
    (session) => {
      expect(codex.ledger!.paths(session, { HOME: '/home/me' })).toEqual([])
      expect(gemini.ledger!.paths(session, { HOME: '/home/me' })).toEqual([])
    },
  )
})

it.each([
  ['claude', 'claude-opus-4-8[1m]', 1_000_000],
  ['claude', 'claude-sonnet-4-5', 200_000],
  ['claude', 'opus', 200_000],
  ['claude', null, 200_000],
  ['codex', null, 272_000],
  ['codex', 'gpt-5.5', 272_000],
  ['gemini', 'gemini-2.5-flash', 1_048_576],
  ['gemini', null, 1_048_576],
  ['qwen', 'qwen3-coder-plus', 1_000_000],
  ['qwen', 'scripted', 131_072],
  ['opencode', 'anthropic/claude-sonnet-4-5', 200_000],
  ['opencode', 'openai/gpt-5', 272_000],
  ['copilot', 'gpt-4.1', 128_000],
  ['opencode', null, 200_000],
  ['mine', 'unheard-of', 200_000],
])('the context window of %s with the model %s is assumed to be %i tokens', (kind, model, window) => {
  expect(windowOf(kind, model)).toBe(window)
})
