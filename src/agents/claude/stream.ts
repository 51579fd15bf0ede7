import { type Fields, fields, number, objectOf, text } from '../kind/json-line.ts'
import type { Heard, Talk } from '../kind/talk.ts'
import { messageReader } from '../reading/message-stream.ts'
import type { Reading, Tokens } from '../reading/reading.ts'

/**
 * Claude Code's `stream-json` in both directions: messages of the user, and control requests, which each side asks and
 * the other answers. With `--replay-user-messages` it repeats a message when its turn takes the message in.
 */
export const stream: Talk = {
  protocol: 'stream-json',
  steers: true,
  patience: 15_000,
  say: (id, words) =>
    JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'text', text: words }] }, uuid: id }),
  stop: (id) => JSON.stringify({ type: 'control_request', request_id: id, request: { subtype: 'interrupt' } }),
  answer: (call, verdict) =>
    JSON.stringify({
      type: 'control_response',
      response: {
        subtype: 'success',
        request_id: call,
        response: verdict.allowed
          ? { behavior: 'allow', updatedInput: verdict.input }
          : { behavior: 'deny', message: verdict.message },
      },
    }),
  refuse: (call, why) =>
    JSON.stringify({ type: 'control_response', response: { subtype: 'error', request_id: call, error: why } }),
  listen: () => (line) => {
    const message = objectOf(line)
    return message === undefined ? [] : (readers[text(message.type)]?.(message) ?? [])
  },
}

const readers: Readonly<Record<string, (message: Fields) => readonly Heard[]>> = {
  system: ({ subtype }) => (subtype === 'init' ? [{ kind: 'busy' }] : []),
  assistant: ({ user_message_uuids: ids }) => [
    { kind: 'busy' },
    ...(Array.isArray(ids) ? ids.map((id) => ({ kind: 'seen' as const, id: text(id) })) : []),
  ],
  user: ({ isReplay, uuid }) => (isReplay === true ? [{ kind: 'seen', id: text(uuid) }] : []),
  // Of several messages that one turn takes in, only the last is repeated.
  command_lifecycle: ({ state, command_uuid: id }) =>
    state === 'started' || state === 'completed' ? [{ kind: 'seen', id: text(id), over: state === 'completed' }] : [],
  result: () => [{ kind: 'idle' }],
  control_request: ({ request_id: call, request }) => asked(text(call), fields(request)),
  control_cancel_request: ({ request_id: call }) => [{ kind: 'takes_back', call: text(call) }],
  // It also repeats the answers that it was given, whose ids are its own.
  control_response: ({ response }) => [{ kind: 'seen', id: text(fields(response).request_id) }],
}

const asked = (call: string, request: Fields): readonly Heard[] =>
  request.subtype === 'can_use_tool'
    ? [{ kind: 'asks', call, tool: text(request.tool_name), input: fields(request.input) }]
    : [{ kind: 'asks_else', call, what: text(request.subtype) }]

const tokensOf = (usage: Fields): Tokens => ({
  tokensIn:
    number(usage.input_tokens) + number(usage.cache_creation_input_tokens) + number(usage.cache_read_input_tokens),
  tokensOut: number(usage.output_tokens),
  tokensCached: number(usage.cache_read_input_tokens),
})

/** Reads the same lines for the report of a run. */
export const readStream = messageReader({
  usage: (result) => [usage(result), ...windows(result)],
  turn: (usage) =>
    number(usage.input_tokens) +
    number(usage.cache_creation_input_tokens) +
    number(usage.cache_read_input_tokens) +
    number(usage.output_tokens),
  spent: tokensOf,
  // It reports errors of its service in a message that it writes itself.
  isError: (message) => typeof message.error === 'string' || message.is_error === true,
  // A person's answer to our tool can be any sentence; the final message lists the denials.
  isDenial: () => false,
})

/**
 * The usage of the process so far, including the models that it used in addition. Since 2.1.330 it counts the earlier
 * runs of a resumed session too, except those that were killed; 2.1.197 did not.
 */
const usage = (result: Fields): Reading => {
  const models = Object.values(fields(result.modelUsage)).map(fields)
  const sum = (key: string): number => models.reduce((total, model) => total + number(model[key]), 0)
  const cached = sum('cacheReadInputTokens')
  return {
    kind: 'usage',
    of: 'run',
    // It counts cache reads and cache writes separately from other input.
    tokensIn: sum('inputTokens') + cached + sum('cacheCreationInputTokens'),
    tokensOut: sum('outputTokens'),
    tokensCached: cached,
    costUsd: typeof result.total_cost_usd === 'number' ? result.total_cost_usd : null,
    turn: tokensOf(fields(result.usage)),
  }
}

const windows = (result: Fields): readonly Reading[] =>
  Object.entries(fields(result.modelUsage)).flatMap(([model, usage]) => {
    const window = number(fields(usage).contextWindow)
    return window > 0 ? [{ kind: 'context', tokens: null, window, model }] : []
  })
