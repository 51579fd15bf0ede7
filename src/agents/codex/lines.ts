import { join } from 'node:path'
import type { Instant } from '../../domain/words/time.ts'
import { about, fields, type Fields, list, number, objectOf, oneLine, text } from '../kind/json-line.ts'
import { errorReadings, plainLine } from '../reading/errors.ts'
import { type Detail, planOf, type Reading } from '../reading/reading.ts'

// The lines of `codex exec --json`, and the file in which Codex stores a thread.

/** Reads a line of `codex exec --json`. */
export const readCodex = (line: string, at?: Instant): readonly Reading[] => {
  const event = objectOf(line)
  if (event === undefined) return noServer(line).length > 0 ? noServer(line) : plainLine(line, at)
  switch (event.type) {
    case 'thread.started':
      return text(event.thread_id) === '' ? [] : [{ kind: 'session', id: text(event.thread_id) }]
    case 'item.started':
      return readItem(fields(event.item), false, at)
    case 'item.completed':
      return readItem(fields(event.item), true, at)
    case 'turn.completed':
      return [usage(fields(event.usage)), { kind: 'ended', ok: true, sentence: 'The turn is complete' }]
    case 'turn.failed': {
      const said = text(fields(event.error).message)
      return [
        ...errorReadings(said, 'error', at, noServer(said)),
        { kind: 'ended', ok: false, sentence: oneLine(said, 500) },
      ]
    }
    case 'error': {
      const said = text(event.message)
      return errorReadings(said, 'error', at, noServer(said))
    }
    default:
      return []
  }
}

export const noServer = (said: string): readonly Reading[] =>
  /required MCP servers? failed/i.test(said) ? [{ kind: 'no_server', sentence: oneLine(said, 500) }] : []

/** The readings of an item when it begins, or when it has ended. */
export const readItem = (item: Fields, ended: boolean, at: Instant | undefined): readonly Reading[] =>
  ended ? completed(item, at) : called(item)

const called = (item: Fields): readonly Reading[] => {
  const call = text(item.id)
  switch (item.type) {
    case 'command_execution':
      return [{ kind: 'tool', name: 'shell', about: oneLine(bare(text(item.command))), call }]
    case 'mcp_tool_call':
      return [
        { kind: 'tool', name: `mcp__${text(item.server)}__${text(item.tool)}`, about: about(item.arguments), call },
      ]
    case 'file_change':
      return [{ kind: 'tool', name: 'edit', about: paths(item), call }]
    case 'web_search':
      return [{ kind: 'tool', name: 'web_search', about: about(item), call }]
    default:
      return []
  }
}

const completed = (item: Fields, at: Instant | undefined): readonly Reading[] => {
  if (item.type === 'agent_message')
    return text(item.text).trim() === '' ? [] : [{ kind: 'text', text: text(item.text) }]
  if (item.type === 'error') {
    const said = text(item.message)
    return errorReadings(said, 'warn', at, noServer(said))
  }
  const [tool] = called(item)
  if (tool?.kind !== 'tool') return []
  const declined =
    item.status === 'declined' ||
    closed.test(text(item.aggregated_output)) ||
    /requires approval|approval policy/i.test(text(fields(item.error).message))
  if (item.status === 'failed' || item.status === 'declined')
    return [{ ...tool, kind: declined ? 'denied' : 'tool_failed' }]
  return []
}

/** Error messages of commands in the sandbox, which reports nothing itself. */
const closed = /read-only file system|operation not permitted|could not resolve host|network is unreachable/i

/** It runs every command as `bash -lc '…'`. */
export const bare = (command: string): string => {
  const inside = /^\S*\/?(?:ba|z|da)?sh -l?c (['"])([\s\S]*)\1$/.exec(command)
  return inside ? inside[2]! : command
}

const paths = (item: Fields): string =>
  oneLine(
    list(item.changes)
      .map((change) => text(change.path))
      .filter(Boolean)
      .join(' '),
  )

/** The usage of the whole thread, including earlier runs. */
const usage = (of: Fields): Reading => ({
  kind: 'usage',
  of: 'session',
  tokensIn: number(of.input_tokens),
  tokensOut: number(of.output_tokens),
  tokensCached: number(of.cached_input_tokens),
  costUsd: null,
})

/**
 * Reads a line of the file in which it stores a thread: only there does it count each turn and report the context
 * window.
 */
export const readCodexThread = (line: string): readonly Reading[] => {
  if (!line.includes('"token_count"')) return []
  const info = fields(fields(objectOf(line)?.payload).info)
  const last = fields(info.last_token_usage)
  const tokens = number(last.total_tokens) || number(last.input_tokens) + number(last.output_tokens)
  return tokens === 0 ? [] : [{ kind: 'context', tokens, window: number(info.model_context_window) || null }]
}

/** The path of that file; the thread's id contains its start time, from which the folders are named in local time. */
export const codexThreads = (
  thread: string,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] => {
  const began = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(thread)
    ? Number.parseInt(thread.replaceAll('-', '').slice(0, 12), 16)
    : undefined
  if (began === undefined) return []
  const home = environment['CODEX_HOME'] || join(environment['HOME'] ?? '', '.codex')
  return [-1, 0, 1].map((days) =>
    join(
      home,
      'sessions',
      ...new Date(began + days * DAY).toISOString().slice(0, 10).split('-'),
      `rollout-*-${thread}.jsonl`,
    ),
  )
}

const DAY = 24 * 60 * 60 * 1000

/** Reads the details of a line of `codex exec --json`; it names changed files without their content. */
export const codexDetails = (line: string): readonly Detail[] => {
  const event = objectOf(line)
  const item = fields(event?.item)
  const call = text(item.id)
  switch (item.type) {
    case 'command_execution':
      return event?.type === 'item.started'
        ? [{ kind: 'input', call, command: text(item.command), edits: [] }]
        : [{ kind: 'result', call, text: text(item.aggregated_output), failed: item.status !== 'completed' }]
    case 'mcp_tool_call': {
      const said = list(fields(item.result).content).map((part) => text(part.text))
      return event?.type === 'item.completed'
        ? [
            {
              kind: 'result',
              call,
              text: said.join('\n') || text(fields(item.error).message),
              failed: item.status === 'failed',
            },
          ]
        : []
    }
    case 'reasoning':
      return text(item.text).trim() === '' ? [] : [{ kind: 'thought', text: text(item.text) }]
    case 'todo_list':
      return [planOf(list(item.items))]
    default:
      return []
  }
}
