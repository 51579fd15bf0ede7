import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copilotHeadless as copilot } from '../../../src/agents/copilot.ts'
import { headlessClis } from '../../../src/agents/kinds.ts'
import type { Reading } from '../../../src/agents/reading/reading.ts'

const lines = (name: string): readonly string[] =>
  readFileSync(join(import.meta.dirname, 'lines', `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean)

/** The readings of each line of `lines/<cli>.jsonl`. The real CLIs printed the lines; long lists are removed from them. */
const said: Readonly<Record<string, readonly (readonly Reading[])[]>> = {
  claude: [
    [
      { kind: 'session', id: 'b21da286-7c70-4129-ad7e-ff711a561484' },
      { kind: 'model', name: 'claude-opus-4-8[1m]' },
    ],
    [
      { kind: 'session', id: '90f686e4-0213-43c1-98ce-319f1f99b2cc' },
      { kind: 'model', name: 'claude-opus-4-8[1m]' },
      { kind: 'no_server', sentence: 'The MCP server aiswarm did not start (failed)' },
    ],
    [
      {
        kind: 'usage',
        of: 'message',
        message: 'msg_23abfc85de4c9dc247',
        tokensIn: 1000,
        tokensOut: 1,
        tokensCached: 0,
        costUsd: null,
      },
      { kind: 'context', tokens: 1001, window: null },
      { kind: 'text', text: 'I take the next task.' },
    ],
    [
      {
        kind: 'usage',
        of: 'message',
        message: 'msg_2a357ea48bbb109a2b',
        tokensIn: 1000,
        tokensOut: 1,
        tokensCached: 0,
        costUsd: null,
      },
      { kind: 'context', tokens: 1001, window: null },
      { kind: 'tool', name: 'Bash', about: 'git status', call: 'toolu_598cf06d467b1e43da' },
    ],
    [],
    [{ kind: 'tool_failed', name: '', about: 'This command requires approval', call: 'toolu_89acc9d97ced0a37d8' }],
    [
      {
        kind: 'usage',
        of: 'run',
        tokensIn: 9000,
        tokensOut: 450,
        tokensCached: 0,
        costUsd: 0.056249999999999994,
        turn: { tokensIn: 9000, tokensOut: 450, tokensCached: 0 },
      },
      { kind: 'context', tokens: null, window: 1_000_000, model: 'claude-opus-4-8[1m]' },
      { kind: 'denied', name: 'Bash', about: 'touch made-by-touch.txt', call: 'toolu_12f8655d9a2dc96f7e' },
      { kind: 'denied', name: 'Bash', about: 'git status && touch chained.txt', call: 'toolu_c777595949740f4c29' },
      {
        kind: 'denied',
        name: 'Bash',
        about: "printf %s b3V0Cg== | base64 -d > '/elsewhere/outside.txt'",
        call: 'toolu_4c663b682c6ad5a67b',
      },
      { kind: 'denied', name: 'Bash', about: 'npm run build', call: 'toolu_89acc9d97ced0a37d8' },
      { kind: 'denied', name: 'Bash', about: 'npm test', call: 'toolu_d8badeaa766855f89b' },
      {
        kind: 'denied',
        name: 'Bash',
        about: "printf %s aW4K | base64 -d > '/repo/auth/inside.txt'",
        call: 'toolu_82c85d13844df1f18f',
      },
      { kind: 'ended', ok: true, sentence: 'Done what I may.' },
    ],
    [{ kind: 'unauthorized', sentence: '401 authentication_failed, attempt 1 of 1' }],
    [{ kind: 'unauthorized', sentence: 'Failed to authenticate. API Error: 401 scripted 401' }],
    [
      {
        kind: 'usage',
        of: 'run',
        tokensIn: 0,
        tokensOut: 0,
        tokensCached: 0,
        costUsd: 0,
        turn: { tokensIn: 0, tokensOut: 0, tokensCached: 0 },
      },
      { kind: 'unauthorized', sentence: '401 Failed to authenticate. API Error: 401 scripted 401' },
      { kind: 'ended', ok: false, sentence: 'Failed to authenticate. API Error: 401 scripted 401' },
    ],
    [
      {
        kind: 'usage',
        of: 'run',
        tokensIn: 0,
        tokensOut: 0,
        tokensCached: 0,
        costUsd: 0,
        turn: { tokensIn: 0, tokensOut: 0, tokensCached: 0 },
      },
      { kind: 'limited', sentence: '429 API Error: Request rejected (429) · scripted 429', resetsAt: null },
      { kind: 'ended', ok: false, sentence: 'API Error: Request rejected (429) · scripted 429' },
    ],
    [
      {
        kind: 'usage',
        of: 'run',
        tokensIn: 0,
        tokensOut: 0,
        tokensCached: 0,
        costUsd: 0,
        turn: { tokensIn: 0, tokensOut: 0, tokensCached: 0 },
      },
      { kind: 'no_session', sentence: 'No conversation found with session ID: 11111111-2222-4333-8444-555555555555' },
      {
        kind: 'ended',
        ok: false,
        sentence: 'No conversation found with session ID: 11111111-2222-4333-8444-555555555555',
      },
    ],
  ],
  codex: [
    [{ kind: 'session', id: '01a1fd25-8b85-7961-a61f-0bf99678c021' }],
    [{ kind: 'tool', name: 'mcp__aiswarm__get_next_task', about: '', call: 'item_2' }],
    [{ kind: 'tool', name: 'shell', about: 'git status', call: 'item_3' }],
    [],
    [{ kind: 'tool_failed', name: 'shell', about: 'npm run build', call: 'item_4' }],
    [{ kind: 'text', text: 'I take the next task.' }],
    [
      { kind: 'usage', of: 'session', tokensIn: 9000, tokensOut: 450, tokensCached: 0, costUsd: null },
      { kind: 'ended', ok: true, sentence: 'The turn is complete' },
    ],
    [
      {
        kind: 'unauthorized',
        sentence:
          'Reconnecting... 1/1 (unexpected status 401 Unauthorized: scripted 401, url: https://api.example/v1/responses)',
      },
    ],
    [
      {
        kind: 'unauthorized',
        sentence: 'unexpected status 401 Unauthorized: scripted 401, url: https://api.example/v1/responses',
      },
      {
        kind: 'ended',
        ok: false,
        sentence: 'unexpected status 401 Unauthorized: scripted 401, url: https://api.example/v1/responses',
      },
    ],
    [
      { kind: 'limited', sentence: 'exceeded retry limit, last status: 429 Too Many Requests', resetsAt: null },
      { kind: 'ended', ok: false, sentence: 'exceeded retry limit, last status: 429 Too Many Requests' },
    ],
    [
      {
        kind: 'no_session',
        sentence:
          'Error: thread/resume: thread/resume failed: no rollout found for thread id 11111111-2222-4333-8444-555555555555 (code -32600)',
      },
    ],
    [
      {
        kind: 'no_server',
        sentence:
          'Error: thread/start: thread/start failed: error creating thread: Fatal error: Failed to initialize session: required MCP servers failed to initialize: aiswarm: No such file or directory (os error 2) (code -32603)',
      },
    ],
  ],
  gemini: [
    [
      { kind: 'session', id: '07cc2dbf-d42b-44ae-9e71-0e9ecd54df89' },
      { kind: 'model', name: 'gemini-2.5-flash' },
    ],
    [],
    [{ kind: 'text', text: 'I take the next task.', continues: true }],
    [
      {
        kind: 'tool',
        name: 'run_shell_command',
        about: 'touch made-by-touch.txt',
        call: 'run_shell_command__call_34125ab4386f8ce785',
      },
    ],
    [{ kind: 'denied', name: '', about: '', call: 'run_shell_command__call_34125ab4386f8ce785' }],
    [{ kind: 'tool', name: 'write_file', about: '/repo/auth/hello.txt', call: 'write_file__call_f020a4c177980bc006' }],
    [{ kind: 'denied', name: '', about: '', call: 'write_file__call_a04399714cdc8814bc' }],
    [],
    [
      { kind: 'usage', of: 'run', tokensIn: 9000, tokensOut: 450, tokensCached: 0, costUsd: null },
      { kind: 'ended', ok: true, sentence: 'success' },
    ],
    [
      { kind: 'usage', of: 'run', tokensIn: 0, tokensOut: 0, tokensCached: 0, costUsd: null },
      {
        kind: 'unauthorized',
        sentence: '[API Error: {"error":{"code":401,"message":"scripted 401","status":"UNAUTHENTICATED"}}]',
      },
      {
        kind: 'ended',
        ok: false,
        sentence: '[API Error: {"error":{"code":401,"message":"scripted 401","status":"UNAUTHENTICATED"}}]',
      },
    ],
    [
      {
        kind: 'limited',
        sentence:
          'Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {"error":{"code":429,"message":"scripted 429","status":"RESOURCE_EXHAUSTED"}}',
        resetsAt: null,
      },
    ],
    [],
    [],
    [],
    [{ kind: 'no_server', sentence: 'An MCP server did not start' }],
    [{ kind: 'no_session', sentence: 'Error resuming session: No previous sessions found for this project.' }],
  ],
  qwen: [
    [
      { kind: 'session', id: '65d734c6-548b-43e8-976a-931cd1ed5dc8' },
      { kind: 'model', name: 'scripted' },
    ],
    [
      { kind: 'session', id: 'ad6a0216-b955-4365-9972-2aa3426b152f' },
      { kind: 'model', name: 'scripted' },
      { kind: 'no_server', sentence: 'The MCP server aiswarm did not start (disconnected)' },
    ],
    [{ kind: 'text', text: 'I take the next task.' }],
    [
      { kind: 'context', tokens: 1050, window: null },
      { kind: 'tool', name: 'mcp__aiswarm__get_next_task', about: '', call: 'call_d4d1313b4e62f8048e' },
    ],
    [
      { kind: 'context', tokens: 1050, window: null },
      { kind: 'tool', name: 'run_shell_command', about: 'touch made-by-touch.txt', call: 'call_7abce23b159a472404' },
    ],
    [{ kind: 'denied', name: '', about: '', call: 'call_81736c322660c64b46' }],
    [
      { kind: 'usage', of: 'session', tokensIn: 10000, tokensOut: 500, tokensCached: 0, costUsd: null },
      { kind: 'denied', name: 'run_shell_command', about: 'touch made-by-touch.txt', call: 'call_7abce23b159a472404' },
      {
        kind: 'denied',
        name: 'run_shell_command',
        about: 'git status && touch chained.txt',
        call: 'call_8736f12195784396af',
      },
      {
        kind: 'denied',
        name: 'run_shell_command',
        about: "printf %s b3V0Cg== | base64 -d > '/elsewhere/outside.txt'",
        call: 'call_fcbb1bb0c31648e3d5',
      },
      { kind: 'denied', name: 'run_shell_command', about: 'npm run build', call: 'call_81736c322660c64b46' },
      { kind: 'denied', name: 'run_shell_command', about: 'npm test', call: 'call_95682e999e95d5f755' },
      {
        kind: 'denied',
        name: 'run_shell_command',
        about: "printf %s aW4K | base64 -d > '/repo/auth/inside.txt'",
        call: 'call_ad68a53156b588115a',
      },
      { kind: 'ended', ok: true, sentence: 'Done what I may.' },
    ],
    [{ kind: 'unauthorized', sentence: '[API Error: 401 scripted 401]' }],
    [
      { kind: 'usage', of: 'session', tokensIn: 0, tokensOut: 0, tokensCached: 0, costUsd: null },
      { kind: 'unauthorized', sentence: '[API Error: 401 scripted 401]' },
      { kind: 'ended', ok: false, sentence: '[API Error: 401 scripted 401]' },
    ],
    [
      {
        kind: 'no_session',
        sentence:
          'No saved session found with ID 11111111-2222-4333-8444-555555555555. Run `qwen --resume` without an ID to choose from existing sessions.',
      },
    ],
  ],
  opencode: [
    [{ kind: 'session', id: 'ses_e02d8e827ffe76Gzxv5IMzvCbW' }],
    [{ kind: 'text', text: 'I take the next task.' }],
    [{ kind: 'tool', name: 'bash', about: 'git status', call: 'call_25689c9bd11959df89' }],
    [
      { kind: 'tool', name: 'bash', about: 'touch made-by-touch.txt', call: 'call_59c49ce9a831036ed4' },
      { kind: 'denied', name: 'bash', about: 'touch made-by-touch.txt', call: 'call_59c49ce9a831036ed4' },
    ],
    [{ kind: 'usage', of: 'step', tokensIn: 1000, tokensOut: 50, tokensCached: 0, costUsd: 0.0011 }],
    [
      { kind: 'usage', of: 'step', tokensIn: 1000, tokensOut: 50, tokensCached: 0, costUsd: 0.0011 },
      { kind: 'ended', ok: true, sentence: 'stop' },
    ],
    [
      { kind: 'unauthorized', sentence: '401 scripted 401' },
      { kind: 'ended', ok: false, sentence: 'scripted 401' },
    ],
    [
      { kind: 'limited', sentence: '429 scripted 429', resetsAt: null },
      { kind: 'ended', ok: false, sentence: 'scripted 429' },
    ],
    [{ kind: 'no_session', sentence: 'Error: Session not found' }],
  ],
  copilot: [
    [
      { kind: 'model', name: 'scripted' },
      { kind: 'text', text: 'I take the next task.' },
    ],
    [{ kind: 'tool', name: 'bash', about: 'touch made-by-touch.txt', call: 'call_28f807ae360d312b6a' }],
    [{ kind: 'denied', name: '', about: '', call: 'call_28f807ae360d312b6a' }],
    [],
    [
      {
        kind: 'no_server',
        sentence:
          'The MCP server aiswarm did not start: failed to spawn MCP server process: No such file or directory (os error 2): No such file or directory (os error 2)',
      },
    ],
    [
      {
        kind: 'no_server',
        sentence:
          'The MCP server aiswarm did not start: failed to spawn MCP server process: No such file or directory (os error 2): No such file or directory (os error 2)',
      },
    ],
    [
      {
        kind: 'unauthorized',
        sentence:
          '401 Authentication failed with provider at https://api.example/v1 (HTTP 401). Check your COPILOT_PROVIDER_API_KEY, COPILOT_PROVIDER_API_KEY_COMMAND, or COPILOT_PROVIDER_BEARER_TOKEN.',
      },
    ],
    [
      {
        kind: 'limited',
        sentence:
          '429 Failed to get response from the AI model; retried 5 times (total retry wait time: 51.11 seconds) Last error: 429 scripted 429',
        resetsAt: null,
      },
    ],
    [
      { kind: 'session', id: 'd92f53c4-02c4-4255-990b-cefb55eb2032' },
      { kind: 'ended', ok: false, sentence: 'exit code 1' },
    ],
    [
      { kind: 'session', id: '5390e663-06cc-4c02-989e-d38f3a2b1bfa' },
      { kind: 'ended', ok: true, sentence: 'exit code 0' },
    ],
    [],
    [
      {
        kind: 'no_session',
        sentence: "Error: No session, task, or name matched '11111111-2222-4333-8444-555555555555'.",
      },
    ],
  ],
}

describe.each(headlessClis.map((kind) => [kind.name, kind.read!] as const))('the output of %s', (name, read) => {
  it('is read line by line', () => {
    expect(lines(name).map((line) => read(line, '2026-11-21T08:00:00.000Z'))).toEqual(said[name])
  })

  it('is also read without a clock', () => {
    expect(lines(name).map((line) => read(line))).toEqual(said[name])
  })

  it.each([
    '',
    '   ',
    '{',
    '{"type":"result"',
    '[1,2]',
    '[]',
    '"text"',
    '{}',
    '{"type":7}',
    '{"type":"something new","data":{}}',
    '{"type":null,"message":null,"data":null,"item":null,"part":null,"error":null}',
  ])('gives no reading for a line without content: %j', (line) => {
    expect(read(line)).toEqual([])
  })

  it('becomes a note for a person if it is not JSON', () => {
    expect(read('(node:12) a warning of its runtime')).toEqual([
      { kind: 'note', level: 'info', text: '(node:12) a warning of its runtime' },
    ])
  })

  it('never makes the reader throw, however damaged it is', () => {
    const odd = [
      null,
      7,
      'x',
      [],
      [null],
      {},
      { content: [null, 7, { type: 'tool_use' }, { type: 'tool_result', is_error: true }, { type: 'text' }] },
    ]
    for (const line of lines(name)) {
      for (const at of [1, 10, 50, 200]) expect(() => read(line.slice(0, at))).not.toThrow()
      if (!line.startsWith('{')) continue
      const message = JSON.parse(line) as Record<string, unknown>
      for (const key of Object.keys(message))
        for (const value of odd)
          if (key !== 'type') expect(() => read(JSON.stringify({ ...message, [key]: value }))).not.toThrow()
    }
  })

  it('costs little to read if a line is huge', () => {
    const huge = 'x'.repeat(5_000_000)
    expect(read(`{"type":"text","text":"${huge}"}`)).toEqual([])
    expect(read(huge)).toHaveLength(1)
    expect(JSON.stringify(read(huge)).length).toBeLessThan(1000)
  })
})

describe('the file that copilot writes at its end', () => {
  it('contains the tokens of the session, for all models', () => {
    const content = readFileSync(join(import.meta.dirname, 'lines', 'copilot.usage.json'), 'utf8')
    expect(copilot.afterwards!.read(content)).toEqual([
      { kind: 'usage', of: 'session', tokensIn: 9000, tokensOut: 450, tokensCached: 0, costUsd: null },
    ])
    const two = {
      modelMetrics: {
        a: { usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3 } },
        b: { usage: { inputTokens: 10 } },
      },
    }
    expect(copilot.afterwards!.read(JSON.stringify(two))).toEqual([
      { kind: 'usage', of: 'session', tokensIn: 11, tokensOut: 2, tokensCached: 3, costUsd: null },
    ])
  })

  it.each(['', '{', '[]', '{"modelMetrics":7}', '{"modelMetrics":{}}'])(
    'gives no reading if it is damaged: %j',
    (content) => {
      expect(copilot.afterwards!.read(content)).toEqual([])
    },
  )
})

describe('a rate limit', () => {
  const read = (name: string, line: unknown) =>
    headlessClis.find((kind) => kind.name === name)!.read!(
      typeof line === 'string' ? line : JSON.stringify(line),
      '2026-11-21T08:00:00.000Z',
    )

  it('of claude carries the instant that it prints after a bar', () => {
    const sentence = 'Claude AI usage limit reached|1795255200'
    expect(read('claude', { type: 'result', subtype: 'success', is_error: true, result: sentence })).toContainEqual({
      kind: 'limited',
      sentence,
      resetsAt: '2026-11-21T10:00:00.000Z',
    })
  })

  it('of claude has an event of its own', () => {
    const event = (status: string) => ({
      type: 'rate_limit_event',
      rate_limit_info: { status, resetsAt: 1795255200, rateLimitType: 'five_hour' },
    })
    expect(read('claude', event('rejected'))).toEqual([
      { kind: 'limited', sentence: 'Over the limit five_hour', resetsAt: '2026-11-21T10:00:00.000Z' },
    ])
    expect(read('claude', event('allowed'))).toEqual([])
  })

  it('of codex counts from now', () => {
    const message = "You've hit your usage limit. Try again in 2 hours 5 minutes."
    expect(read('codex', { type: 'turn.failed', error: { message } })).toContainEqual({
      kind: 'limited',
      sentence: message,
      resetsAt: '2026-11-21T10:05:00.000Z',
    })
  })

  it('is not detected in the words of an agent', () => {
    expect(
      read('claude', {
        type: 'assistant',
        message: { content: [{ type: 'text', text: 'The server answers 429 when the quota is used up.' }] },
      }),
    ).toEqual([{ kind: 'text', text: 'The server answers 429 when the quota is used up.' }])
  })

  it('and a refused key are not detected in a line number', () => {
    expect(read('codex', 'TypeError: failed at x.js:401:12')).toEqual([
      { kind: 'note', level: 'warn', text: 'TypeError: failed at x.js:401:12' },
    ])
  })
})
