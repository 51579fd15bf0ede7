import type { Instant } from '../../domain/words/time.ts'
import type { Heard, Talk } from '../kind/conversation.ts'
import { fields, type Fields, list, number, objectOf, oneLine, text } from '../kind/json-line.ts'
import { keyOf } from '../kind/json-rpc.ts'
import { SERVER_NAME } from '../kind/server-config.ts'
import { errorReadings, plainLine } from '../reading/errors.ts'
import type { Detail, Reading } from '../reading/reading.ts'
import { type CodexLine, type CodexOpening, replyOf } from './journal-line.ts'
import { bare, codexDetails, noServer, readItem } from './lines.ts'

/** `codex app-server`: JSON-RPC lines in both directions; its driver in the relay makes the messages for Codex. */
export const appServer: Talk = {
  protocol: 'app-server',
  steers: true,
  patience: 5000,
  say: (id, words, now) => lineOf({ do: 'say', id, text: words, now }),
  stop: (id) => lineOf({ do: 'stop', id }),
  answer: (call, verdict, id) =>
    lineOf({
      do: 'answer',
      call,
      allow: verdict.allowed,
      ...(verdict.allowed ? {} : { then: { id, text: verdict.message } }),
    }),
  // The driver refuses what aiswarm does not know.
  refuse: (call) => lineOf({ do: 'answer', call, allow: false }),
  listen: () => {
    const listener = new Listener()
    return (line) => listener.hear(line)
  },
}

/** The opening line of a run's journal. */
export const codexOpening = (opening: CodexOpening): string => lineOf({ do: 'open', ...opening })

const lineOf = (line: CodexLine): string => JSON.stringify(line)

class Listener {
  /**
   * The lines that each turn was sent and has not shown, the turn that runs first: the start of the next one is noted
   * before the end of this one is printed.
   */
  #turns: string[][] = []
  /** The changes of files by the call that makes them: a request for them does not repeat them. */
  readonly #changes = new Map<string, readonly Fields[]>()

  hear(line: string): readonly Heard[] {
    const message = objectOf(line)
    if (message === undefined) return []
    if (message.aiswarm !== undefined) return this.#noted(fields(message.aiswarm))
    const { id, method, params } = message
    const of = fields(params)
    if (id !== undefined) return typeof method === 'string' ? this.#asks(id, method, of) : []
    switch (method) {
      case 'item/started':
        return this.#began(fields(of.item))
      case 'serverRequest/resolved':
        return [{ kind: 'takes_back', call: keyOf(of.requestId) }]
      case 'turn/completed':
        return this.#ended(fields(of.turn))
      default:
        return []
    }
  }

  #noted({ is, id, turn }: Fields): readonly Heard[] {
    switch (is) {
      case 'sent':
        if (turn === true) this.#turns.push([text(id)])
        else if (this.#turns.length > 0) this.#turns[0]!.push(text(id))
        else return [{ kind: 'seen', id: text(id), over: true }]
        return [{ kind: 'busy' }]
      case 'stopped':
        return [{ kind: 'seen', id: text(id), over: true }]
      case 'unsent':
        this.#turns = this.#turns.filter((lines) => !lines.includes(text(id)))
        return [{ kind: 'unread', id: text(id) }, ...this.#rest()]
      case 'failed':
        return [{ kind: 'idle' }]
      default:
        return []
    }
  }

  #rest(): readonly Heard[] {
    return this.#turns.length === 0 ? [{ kind: 'idle' }] : []
  }

  /** Codex repeats the id of a message when its turn takes the message in. */
  #began({ type, id, clientId, changes }: Fields): readonly Heard[] {
    if (type === 'fileChange') this.#changes.set(text(id), list(changes))
    if (type !== 'userMessage' || typeof clientId !== 'string') return []
    this.#turns = this.#turns.map((lines) => lines.filter((one) => one !== clientId))
    return [{ kind: 'seen', id: clientId }]
  }

  #asks(id: unknown, method: string, params: Fields): readonly Heard[] {
    if (replyOf(method, false) === undefined) return []
    return [{ kind: 'asks', call: keyOf(id), ...this.#callOf(method, params) }]
  }

  #callOf(
    method: string,
    params: Fields,
  ): { readonly tool: string; readonly input: Readonly<Record<string, unknown>> } {
    const { itemId, reason, command, cwd, serverName, message } = params
    const why = typeof reason === 'string' ? { reason } : {}
    if (method === 'item/commandExecution/requestApproval')
      // A request for more than a command, such as a host of the network, is not covered by rules for commands.
      return params.networkApprovalContext
        ? { tool: 'network', input: { ...fields(params.networkApprovalContext), command: bare(text(command)), ...why } }
        : { tool: 'shell', input: { command: bare(text(command)), cwd: text(cwd), ...why } }
    if (method === 'mcpServer/elicitation/request')
      return { tool: `mcp__${text(serverName)}`, input: { message: text(message) } }
    const changes = this.#changes.get(text(itemId)) ?? []
    const [change] = changes
    return {
      tool: 'edit',
      input:
        changes.length === 1 && text(fields(change!.kind).move_path) === '' && typeof params.grantRoot !== 'string'
          ? { file_path: text(change!.path), diff: text(change!.diff), ...why }
          : { changes, ...(typeof params.grantRoot === 'string' ? { grantRoot: params.grantRoot } : {}), ...why },
    }
  }

  #ended({ status }: Fields): readonly Heard[] {
    const left = this.#turns.shift() ?? []
    return [
      ...left.map((id): Heard => (status === 'failed' ? { kind: 'unread', id } : { kind: 'seen', id, over: true })),
      ...this.#rest(),
    ]
  }
}

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
