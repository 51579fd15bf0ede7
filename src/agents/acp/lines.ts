import type { Instant } from '../../domain/words/time.ts'
import { fields, type Fields, list, number, objectOf, oneLine, text } from '../kind/json-line.ts'
import { accountProblem, errorReadings, lostSession, plainLine } from '../reading/errors.ts'
import { type Detail, inputOf, planOf, type Reading } from '../reading/reading.ts'
import { callOf } from './call.ts'
import type { Differences } from './conversation.ts'

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

/** Reads the details of a line of an ACP agent. `titled` as in `Differences`. */
export const acpDetails =
  (titled: boolean) =>
  (line: string): readonly Detail[] => {
    const message = objectOf(line)
    const params = fields(message?.params)
    if (message?.method === 'session/request_permission') return called(fields(params.toolCall), titled)
    const update = fields(params.update)
    switch (update.sessionUpdate) {
      case 'agent_thought_chunk': {
        const thought = text(fields(update.content).text)
        return thought === '' ? [] : [{ kind: 'thought', text: thought }]
      }
      case 'tool_call':
        return called(update, titled)
      case 'tool_call_update':
        return [...called(update, titled), ...ended(update)]
      case 'plan':
        return [planOf(list(update.entries))]
      default:
        return []
    }
  }

const called = (call: Fields, titled: boolean): readonly Detail[] => {
  if (call.kind === undefined || (call.rawInput === undefined && call.content === undefined)) return []
  return inputOf(text(call.toolCallId), callOf(call, titled).input)
}

const ended = ({ toolCallId, status, content, rawOutput }: Fields): readonly Detail[] => {
  if (status !== 'completed' && status !== 'failed') return []
  const said = list(content).map((part) => text(fields(part.content).text))
  const output = text(rawOutput) || text(fields(rawOutput).output)
  return [{ kind: 'result', call: text(toolCallId), text: said.join('\n') || output, failed: status === 'failed' }]
}
