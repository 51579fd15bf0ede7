import type { Instant } from '../../domain/words/time.ts'
import { type Fields, fields, number, objectOf, text } from '../kind/json-line.ts'
import { oneLine } from '../reading/about.ts'
import { accountProblem, errorReadings, lostSession, plainLine } from '../reading/error-lines.ts'
import type { Reading } from '../reading/reading.ts'
import type { Differences } from './differences.ts'

/** Reads the lines of an ACP agent, and the notes of its driver, for the report of a run. */
export const acpReader =
  (differences: Differences) =>
  (line: string, at?: Instant): readonly Reading[] => {
    const message = objectOf(line)
    if (message === undefined) return plainLine(line, at)
    if (message.aiswarm !== undefined) return noted(fields(message.aiswarm), at)
    if (message.method === 'session/update') return updated(fields(fields(message.params).update), differences, at)
    if (message.method !== undefined || message.id === undefined) return []
    return message.error === undefined ? answered(fields(message.result)) : failed(fields(message.error), at)
  }

const noted = (note: Fields, at: Instant | undefined): readonly Reading[] => {
  switch (note.is) {
    case 'session':
      return [{ kind: 'session', id: text(note.id) }]
    case 'call':
      return [{ kind: 'tool', name: text(note.name), about: text(note.about), call: text(note.call) }]
    case 'failed':
      return [
        ...errorReadings(text(note.why), 'error', at),
        { kind: 'ended', ok: false, sentence: oneLine(`The conversation did not begin: ${text(note.why)}`, 500) },
      ]
    default:
      return []
  }
}

const updated = (update: Fields, { errorText }: Differences, at: Instant | undefined): readonly Reading[] => {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk': {
      const said = text(fields(update.content).text)
      const usage = usageOf(fields(fields(update._meta).usage))
      if (said === '') return usage
      const problem = errorText?.test(said) ? accountProblem(said, at) : []
      return [...usage, ...(problem.length > 0 ? problem : [{ kind: 'text', text: said, continues: true } as const])]
    }
    case 'tool_call_update':
      return update.status === 'failed'
        ? [{ kind: 'tool_failed', name: '', about: '', call: text(update.toolCallId) }]
        : []
    case 'usage_update':
      return contextOf(update)
    default:
      return []
  }
}

const contextOf = ({ used, size, cost }: Fields): readonly Reading[] => {
  const { amount, currency } = fields(cost)
  return [
    { kind: 'context', tokens: number(used) || null, window: number(size) || null },
    ...(typeof amount === 'number' && currency === 'USD'
      ? [{ kind: 'usage', of: 'run', tokensIn: 0, tokensOut: 0, tokensCached: 0, costUsd: amount } as const]
      : []),
  ]
}

/** The answer to a prompt has the tokens of its turn; other answers have none. */
const answered = (result: Fields): readonly Reading[] => {
  const stop = text(result.stopReason)
  if (stop === '') return modelOf(result)
  const quota = fields(fields(fields(result._meta).quota).token_count)
  return [
    ...usageOf(fields(result.usage)),
    ...usageOf({ inputTokens: quota.input_tokens, outputTokens: quota.output_tokens }),
    { kind: 'ended', ok: stop === 'end_turn' || stop === 'cancelled', sentence: stop },
  ]
}

const modelOf = (result: Fields): readonly Reading[] => {
  const model = text(fields(result.models).currentModelId)
  return model === '' ? [] : [{ kind: 'model', name: model }]
}

const usageOf = ({ inputTokens, outputTokens, cachedReadTokens }: Fields): readonly Reading[] =>
  number(inputTokens) + number(outputTokens) === 0
    ? []
    : [
        {
          kind: 'usage',
          of: 'step',
          tokensIn: number(inputTokens),
          tokensOut: number(outputTokens),
          tokensCached: number(cachedReadTokens),
          costUsd: null,
        },
      ]

const failed = ({ code, message, data }: Fields, at: Instant | undefined): readonly Reading[] => {
  const said = [
    typeof code === 'number' && code > 0 ? String(code) : '',
    text(message),
    data === undefined ? '' : JSON.stringify(data).slice(0, 2000),
  ]
    .filter(Boolean)
    .join(' ')
  // The code of the protocol for a missing login.
  const problem =
    code === -32000 ? [{ kind: 'unauthorized', sentence: oneLine(said, 500) } as const] : accountProblem(said, at)
  return [...lostSession(said), ...problem, { kind: 'ended', ok: false, sentence: oneLine(said, 500) }]
}
