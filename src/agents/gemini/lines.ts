import { join } from 'node:path'
import type { Instant } from '../../domain/words/time.ts'
import { about, oneLine } from '../reading/about.ts'
import { fields, number, objectOf, text, type Fields } from '../kind/json-line.ts'
import type { Reading } from '../reading/reading.ts'
import { errorReadings, lostSession, plainLine, accountProblem } from '../reading/error-lines.ts'

/** Reads a line of `gemini -o stream-json`. */
export const readGemini = (line: string, at?: Instant): readonly Reading[] => {
  const event = objectOf(line)
  if (event === undefined) return plain(line, at)
  switch (event.type) {
    case 'init':
      return [
        ...(text(event.session_id) === '' ? [] : [{ kind: 'session' as const, id: text(event.session_id) }]),
        ...(text(event.model) === '' ? [] : [{ kind: 'model' as const, name: text(event.model) }]),
      ]
    case 'message':
      return event.role === 'assistant' && text(event.content) !== ''
        ? [{ kind: 'text', text: text(event.content), ...(event.delta === true ? { continues: true } : {}) }]
        : []
    case 'tool_use':
      return [{ kind: 'tool', name: text(event.tool_name), about: about(event.parameters), call: text(event.tool_id) }]
    case 'tool_result':
      return event.status === 'error' ? [failed(event)] : []
    case 'error': {
      const said = text(event.message)
      return errorReadings(said, event.severity === 'error' ? 'error' : 'warn', at)
    }
    case 'result':
      return [usage(fields(event.stats)), ...ended(event, at)]
    default:
      return []
  }
}

/** Reads its error stream. Its stack traces and terminal checks are skipped. */
const plain = (line: string, at: Instant | undefined): readonly Reading[] => {
  if (/^MCP issues detected/.test(line)) return [{ kind: 'no_server', sentence: 'An MCP server did not start' }]
  return /^\s|^Warning: |^Ripgrep is not|^Error executing tool /.test(line) ? [] : plainLine(line, at)
}

const failed = (event: Fields): Reading => {
  const { type, message } = fields(event.error)
  const denied = type === 'policy_violation' || /^Path not in workspace/.test(text(message))
  return {
    kind: denied ? 'denied' : 'tool_failed',
    name: '',
    about: denied ? '' : oneLine(text(message)),
    call: text(event.tool_id),
  }
}

const ended = (event: Fields, at: Instant | undefined): readonly Reading[] => {
  const said = text(fields(event.error).message)
  if (event.status === 'success') return [{ kind: 'ended', ok: true, sentence: 'success' }]
  return [
    ...lostSession(said),
    ...accountProblem(said, at),
    { kind: 'ended', ok: false, sentence: oneLine(said || text(event.status), 500) },
  ]
}

/** The usage of this run only. */
const usage = (stats: Fields): Reading => ({
  kind: 'usage',
  of: 'run',
  tokensIn: number(stats.input_tokens),
  tokensOut: number(stats.output_tokens),
  tokensCached: number(stats.cached),
  costUsd: null,
})

/** Reads a line of the file in which it stores a session: only there does it count each turn. */
export const readGeminiSession = (line: string): readonly Reading[] => {
  const tokens = number(fields(objectOf(line)?.tokens).total)
  return tokens === 0 ? [] : [{ kind: 'context', tokens, window: null }]
}

/** The path of that file; the folder in the middle is named after the repository by its own rules. */
export const geminiSessions = (
  session: string,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] =>
  /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(session)
    ? [join(environment['HOME'] ?? '', '.gemini', 'tmp', '*', 'chats', `session-*-${session.slice(0, 8)}.jsonl`)]
    : []
