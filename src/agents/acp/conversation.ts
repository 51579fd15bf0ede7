import type { Heard, Talk } from '../kind/conversation.ts'
import { fields, type Fields, list, objectOf, text } from '../kind/json-line.ts'
import { keyOf } from '../kind/json-rpc.ts'
import type { Brief } from '../kind/kind.ts'
import { callOf, isOwnTool } from './call.ts'
import type { AcpLine, Opening } from './driver.ts'

/**
 * The Agent Client Protocol: JSON-RPC lines in both directions. A line of the journal says what is to be done, and the
 * driver in the relay makes the messages for the agent of it.
 */
export const acpTalk = (differences: Differences): Talk => ({
  protocol: 'acp',
  steers: differences.drains !== undefined,
  patience: differences.patience,
  say: (id, words, now) => lineOf({ do: 'say', id, text: words, now }),
  stop: (id) => lineOf({ do: 'stop', id }),
  answer: (call, verdict, id, choices) =>
    lineOf({
      do: 'answer',
      call,
      allow: verdict.allowed,
      options: list(choices),
      ...(verdict.allowed ? {} : { then: { id, text: verdict.message } }),
    }),
  // The driver refuses what aiswarm does not know.
  refuse: (call) => lineOf({ do: 'answer', call, allow: false, options: [] }),
  listen: () => {
    const listener = new Listener(differences.titled === true)
    return (line) => listener.hear(line)
  },
})

/** The opening line of a run's journal. */
export const openingOf = (
  differences: Differences,
  { folder, resume }: Pick<Brief, 'folder' | 'resume'>,
  session: Pick<Opening, 'mcpServers' | 'modes' | 'strict'>,
): string =>
  lineOf({
    do: 'open',
    cwd: folder,
    load: resume,
    titled: differences.titled === true,
    rejectEnds: differences.rejectEnds === true,
    drains: differences.drains,
    ...session,
  })

const lineOf = (line: AcpLine): string => JSON.stringify(line)

/** Updates that belong to a turn; others describe the session. */
const ofTurn = new Set(['agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'tool_call_update', 'plan'])

class Listener {
  readonly #titled: boolean
  /** Lines that were handed over and of which the agent has shown nothing yet. */
  #sent: string[] = []
  #running: string | undefined
  #open: string[] = []

  constructor(titled: boolean) {
    this.#titled = titled
  }

  hear(line: string): readonly Heard[] {
    const message = objectOf(line)
    if (message === undefined) return []
    if (message.aiswarm !== undefined) return this.#noted(fields(message.aiswarm))
    const { id, method, params } = message
    if (method === 'session/update') {
      const { sessionUpdate } = fields(fields(params).update)
      return ofTurn.has(text(sessionUpdate)) ? this.#shown() : []
    }
    if (method === 'session/request_permission' && id !== undefined) return this.#asks(keyOf(id), fields(params))
    if (method === '$/cancel_request') return [{ kind: 'takes_back', call: keyOf(fields(params).requestId) }]
    return method === undefined && typeof id === 'string' && !id.startsWith('aiswarm-') ? this.#ended(id, message) : []
  }

  #noted({ is, id, turn }: Fields): readonly Heard[] {
    switch (is) {
      case 'sent':
        this.#sent.push(text(id))
        if (turn === true) this.#running = text(id)
        return [{ kind: 'busy' }]
      case 'stopped':
        return [{ kind: 'seen', id: text(id), over: true }]
      case 'failed':
        return [{ kind: 'idle' }]
      default:
        return []
    }
  }

  #shown(): readonly Heard[] {
    return this.#sent.splice(0).map((id) => ({ kind: 'seen', id }))
  }

  #asks(call: string, { toolCall, options }: Fields): readonly Heard[] {
    const asked = fields(toolCall)
    // The driver has allowed it.
    if (isOwnTool(asked)) return []
    this.#open.push(call)
    const { tool, input } = callOf(asked, this.#titled)
    return [...this.#shown(), { kind: 'asks', call, tool: tool.slice(0, 200), input, choices: options }]
  }

  /** The answer to a prompt ends its turn. */
  #ended(id: string, { error }: Fields): readonly Heard[] {
    const gone = this.#open.splice(0).map((call) => ({ kind: 'takes_back', call }) as const)
    const unshown = this.#sent.includes(id)
    this.#sent = this.#sent.filter((one) => one !== id)
    const read: readonly Heard[] = !unshown
      ? []
      : error === undefined
        ? [{ kind: 'seen', id, over: true }]
        : [{ kind: 'unread', id }]
    const idle = this.#running === undefined || this.#running === id
    if (idle) this.#running = undefined
    return [...gone, ...read, ...(idle ? [{ kind: 'idle' } as const] : [])]
  }
}

// Differences between the CLIs that speak the Agent Client Protocol, each seen with the real program. The opening line
// of a journal contains those that the relay needs.

export interface Differences {
  /** Modes in which it asks, in the order of preference; each session, also a loaded one, is put into the first that it has. */
  readonly modes: readonly string[]
  /** The title of a command is the exact command; there is no other field with it. */
  readonly titled?: boolean
  /** A rejected call ends its turn. Otherwise the turn goes on, and is cancelled if there are words to be read. */
  readonly rejectEnds?: boolean
  /** It asks for words after each call of a tool, with this method: they reach it in the middle of a turn. */
  readonly drains?: string
  /** An error of its service that it prints as if the model had said it. */
  readonly errorText?: RegExp
  /** How long it may take to end after the end of its input (ms). */
  readonly patience: number
}
