import type { Instant } from '../../domain/words/time.ts'
import { about, oneLine } from '../reading/about.ts'
import { fields, list, number, objectOf, text, type Fields } from '../kind/json-line.ts'
import type { Reading } from '../reading/reading.ts'
import { SERVER_NAME } from '../kind/server-config.ts'
import { errorReadings, plainLine } from '../reading/error-lines.ts'

/** Reads a line of `copilot --output-format json`. Most lines describe a screen that aiswarm does not draw. */
export const readCopilot = (line: string, at?: Instant): readonly Reading[] => {
  const event = objectOf(line)
  if (event === undefined) return plainLine(line, at)
  const data = fields(event.data)
  switch (event.type) {
    case 'assistant.message':
      return [
        ...(text(data.model) === '' ? [] : [{ kind: 'model' as const, name: text(data.model) }]),
        ...(text(data.content).trim() === '' ? [] : [{ kind: 'text' as const, text: text(data.content) }]),
      ]
    case 'tool.execution_start':
      return [{ kind: 'tool', name: text(data.toolName), about: about(data.arguments), call: text(data.toolCallId) }]
    case 'tool.execution_complete':
      return data.success === false ? [failed(data)] : []
    case 'session.mcp_servers_loaded':
    case 'session.mcp_server_status_changed':
      return [data, ...list(data.servers)].flatMap((server) =>
        server.status === 'failed' && nameOf(server) === SERVER_NAME ? [noServer(server)] : [],
      )
    case 'session.error':
    case 'session.warning':
      return complained(data, event.type === 'session.error', at)
    case 'result':
      return [
        ...(text(event.sessionId) === '' ? [] : [{ kind: 'session' as const, id: text(event.sessionId) }]),
        { kind: 'ended', ok: event.exitCode === 0, sentence: `exit code ${number(event.exitCode)}` },
      ]
    default:
      return []
  }
}

const failed = (data: Fields): Reading => {
  const { code, message } = fields(data.error)
  const denied = code === 'denied' || code === 'rejected'
  return {
    kind: denied ? 'denied' : 'tool_failed',
    name: '',
    about: denied ? '' : oneLine(text(message)),
    call: text(data.toolCallId),
  }
}

const noServer = (server: Fields): Reading => ({
  kind: 'no_server',
  sentence: oneLine(`The MCP server ${SERVER_NAME} did not start: ${text(server.error)}`, 500),
})

const nameOf = (server: Fields): string => text(server.name) || text(server.serverName)

const complained = (data: Fields, bad: boolean, at: Instant | undefined): readonly Reading[] => {
  const said = text(data.message)
  if (!bad) return [{ kind: 'note', level: 'warn', text: oneLine(said, 500) }]
  const status = number(data.statusCode)
  return errorReadings(status === 0 ? said : `${status} ${said}`, 'error', at)
}

/** Reads the file that it writes at its end: only there does it count tokens, for the whole session. */
export const readCopilotUsage = (content: string): readonly Reading[] => {
  const metrics = fields(objectOf(content))
  const models = Object.values(fields(metrics.modelMetrics)).map((model) => fields(fields(model).usage))
  if (models.length === 0) return []
  const sum = (key: string): number => models.reduce((total, usage) => total + number(usage[key]), 0)
  const tokens = number(metrics.lastCallInputTokens) + number(metrics.lastCallOutputTokens)
  return [
    {
      kind: 'usage',
      of: 'session',
      tokensIn: sum('inputTokens'),
      tokensOut: sum('outputTokens'),
      tokensCached: sum('cacheReadTokens'),
      costUsd: null,
    },
    ...(tokens === 0 ? [] : [{ kind: 'context' as const, tokens, window: null }]),
  ]
}
