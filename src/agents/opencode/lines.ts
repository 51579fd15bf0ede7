import type { Instant } from '../../domain/words/time.ts'
import { about, oneLine } from '../reading/about.ts'
import { fields, number, objectOf, text, type Fields } from '../kind/json-line.ts'
import type { Reading } from '../reading/reading.ts'
import { lostSession, plainLine, accountProblem } from '../reading/error-lines.ts'

/** Reads a line of `opencode run --format json`, which reports a call at its end. */
export const readOpencode = (line: string, at?: Instant): readonly Reading[] => {
  const event = objectOf(line)
  if (event === undefined) return plainLine(line, at)
  const part = fields(event.part)
  switch (event.type) {
    case 'step_start':
      return text(event.sessionID) === '' ? [] : [{ kind: 'session', id: text(event.sessionID) }]
    case 'text':
      return text(part.text).trim() === '' ? [] : [{ kind: 'text', text: text(part.text) }]
    case 'tool_use':
      return call(text(part.tool), fields(part.state), text(part.callID))
    case 'step_finish':
      return [usage(part), ...finished(text(part.reason))]
    case 'error':
      return failed(fields(event.error), at)
    default:
      return []
  }
}

const call = (name: string, state: Fields, id: string): readonly Reading[] => {
  const tool = { name, about: about(state.input), call: id }
  if (state.status !== 'error') return [{ kind: 'tool', ...tool }]
  const denied = /rule which prevents you|rejected permission|permission .{0,20}(?:denied|rejected)/i.test(
    text(state.error).slice(0, 500),
  )
  return [
    { kind: 'tool', ...tool },
    { kind: denied ? 'denied' : 'tool_failed', ...tool },
  ]
}

/** A step that calls tools is followed by another; there is no other final message. */
const finished = (reason: string): readonly Reading[] =>
  reason === 'tool-calls' || reason === '' ? [] : [{ kind: 'ended', ok: reason === 'stop', sentence: reason }]

const failed = (error: Fields, at: Instant | undefined): readonly Reading[] => {
  const data = fields(error.data)
  const said = text(data.message) || text(error.message) || text(error.name)
  const status = number(data.statusCode)
  return [
    ...lostSession(said),
    ...accountProblem(status === 0 ? said : `${status} ${said}`, at),
    { kind: 'ended', ok: false, sentence: oneLine(said, 500) },
  ]
}

const usage = (part: Fields): Reading => {
  const { input, output, reasoning, cache } = fields(part.tokens)
  const { read, write } = fields(cache)
  return {
    kind: 'usage',
    of: 'step',
    // It counts cache reads and cache writes separately from other input.
    tokensIn: number(input) + number(read) + number(write),
    tokensOut: number(output) + number(reasoning),
    tokensCached: number(read),
    costUsd: typeof part.cost === 'number' ? part.cost : null,
  }
}
