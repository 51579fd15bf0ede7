import type { Instant } from '../../domain/words/time.ts'
import type { Detail } from '../kind/detail.ts'
import { type Fields, fields, number, objectOf, text } from '../kind/json-line.ts'
import { SERVER_NAME } from '../kind/server-config.ts'
import { oneLine } from '../reading/about.ts'
import { errorReadings, plainLine } from '../reading/error-lines.ts'
import type { Reading } from '../reading/reading.ts'
import { codexDetails } from './details.ts'
import { noServer, readItem } from './lines.ts'

/** Reads a line of `codex app-server`, and the notes of its driver, for the report of a run. */
export const readAppServer = (line: string, at?: Instant): readonly Reading[] => {
  const message = objectOf(line)
  // Its log goes to the error stream, and repeats what its messages say.
  if (message === undefined) return /\b(?:ERROR|WARN(?:ING)?|INFO)\b/.test(line) ? [] : plainLine(line, at)
  if (message.aiswarm !== undefined) return noted(fields(message.aiswarm), at)
  const params = fields(message.params)
  switch (message.method) {
    case 'item/started':
      return readItem(named(fields(params.item)), false, at)
    case 'item/completed':
      return readItem(named(fields(params.item)), true, at)
    case 'thread/tokenUsage/updated':
      return usageOf(fields(params.tokenUsage))
    case 'turn/completed':
      return ended(fields(params.turn), at)
    case 'error':
      return failed(fields(params.error), at)
    case 'mcpServer/startupStatus/updated':
      return params.name === SERVER_NAME && params.status === 'failed'
        ? [
            {
              kind: 'no_server',
              sentence: oneLine(`The MCP server ${SERVER_NAME} did not start: ${text(params.error)}`),
            },
          ]
        : []
    default:
      return []
  }
}

const noted = (note: Fields, at: Instant | undefined): readonly Reading[] => {
  const why = text(note.why)
  if (note.is === 'session') return [{ kind: 'session', id: text(note.id) }]
  return note.is === 'failed'
    ? [
        ...errorReadings(why, 'error', at, noServer(why)),
        { kind: 'ended', ok: false, sentence: oneLine(`The conversation did not begin: ${why}`, 500) },
      ]
    : []
}

const types: Readonly<Record<string, string>> = {
  commandExecution: 'command_execution',
  mcpToolCall: 'mcp_tool_call',
  fileChange: 'file_change',
  webSearch: 'web_search',
  agentMessage: 'agent_message',
}

/** An item with the names that `codex exec` gives it. A person who denied a call needs no list of it. */
const named = (item: Fields): Fields => ({
  ...item,
  type: types[text(item.type)] ?? '',
  status: item.status === 'declined' ? 'completed' : item.status,
})

/** The total is that of the thread, with earlier runs. */
const usageOf = ({ total, last, modelContextWindow }: Fields): readonly Reading[] => {
  const { inputTokens, outputTokens, cachedInputTokens } = fields(total)
  return [
    {
      kind: 'usage',
      of: 'session',
      tokensIn: number(inputTokens),
      tokensOut: number(outputTokens),
      tokensCached: number(cachedInputTokens),
      costUsd: null,
    },
    { kind: 'context', tokens: number(fields(last).totalTokens) || null, window: number(modelContextWindow) || null },
  ]
}

const failed = (error: Fields, at: Instant | undefined): readonly Reading[] => {
  const said = [text(error.message), text(error.additionalDetails)].filter(Boolean).join(' ')
  return errorReadings(said, 'error', at, noServer(said))
}

const ended = ({ status, error }: Fields, at: Instant | undefined): readonly Reading[] =>
  status === 'failed'
    ? [
        ...failed(fields(error), at),
        { kind: 'ended', ok: false, sentence: oneLine(text(fields(error).message) || 'The turn failed', 500) },
      ]
    : [{ kind: 'ended', ok: true, sentence: `The turn is ${status === 'interrupted' ? 'interrupted' : 'complete'}` }]

/** Reads the details of the same lines, which are those of `codex exec` under other names. */
export const appServerDetails = (line: string): readonly Detail[] => {
  const { method, params } = objectOf(line) ?? {}
  if (method !== 'item/started' && method !== 'item/completed') return []
  const item = fields(fields(params).item)
  const reasoning = item.type === 'reasoning' ? { type: 'reasoning', text: textsOf(item.summary) } : {}
  return codexDetails(
    JSON.stringify({
      type: method.replace('/', '.'),
      item: { ...named(item), aggregated_output: item.aggregatedOutput, ...reasoning },
    }),
  )
}

const textsOf = (parts: unknown): string => (Array.isArray(parts) ? parts.map(text).join('\n') : '')
