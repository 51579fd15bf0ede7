import { type CallToolResult, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { spoken } from '../../domain/agent/messages.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import { hasMessages, takeMessages } from '../../operations/messages/handover.ts'
import { readMessages } from '../../operations/messages/mail.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { getTask } from '../../operations/tasks/detail.ts'
import { MESSAGES, type ToolRow } from '../tools/tool.ts'
import { quoted } from './quote.ts'

// One call of a tool: its rate, the attempt that it belongs to, its answer and its errors.

/** The name of the id that an agent's pipe gives to each call, among the facts about it. */
const CALL = 'aiswarm/call'

interface Params {
  readonly name: string
  readonly arguments?: Record<string, unknown> | undefined
  readonly _meta?: Readonly<Record<string, unknown>> | undefined
}

export const callTool = async (
  connection: Connection,
  rows: Promise<readonly ToolRow[]>,
  params: Params,
  rate: CallRate,
  signal: AbortSignal,
  report: (sentence: string) => void,
  attempts: Attempts,
): Promise<CallToolResult> => {
  const row = (await asErrors(rows)).find(({ name }) => name === params.name)
  if (!row)
    throw new McpError(
      ErrorCode.InvalidParams,
      `There is no tool ${params.name.slice(0, 100)}. tools/list lists the tools`,
    )
  const { ownWords } = row
  const given = params.arguments ?? {}
  try {
    if (!rate.take(performance.now()))
      throw new Refusal('rate_limited', 'More than 20 calls a second. Wait a second, then continue.')
    const { input, options } = ownWords ? { input: given, options: {} } : named(row, given, params._meta?.[CALL])
    const output = await row.call({ connection, signal, input: await attempts.named(row.name, input), options })
    attempts.learn(row.name, output)
    if (ownWords) return answered(output, ownWords.isError(output))
    // A verdict repeats the action that the agent is about to do; truncated or quoted, it would be another action.
    if (row.outputSchema === undefined) return textOf(output)
    // This answer itself has them.
    const messages = row.name === readMessages.name ? [] : await messagesFor(connection)
    return answered({
      ...(quoted(output, connection.actor) as Record<string, unknown>),
      ...(messages.length === 0 ? {} : { [MESSAGES]: messages }),
    })
  } catch (error) {
    const refusal = asRefusal(error)
    const [code, sentence] = refusal
      ? [refusal.code, said(refusal, connection)]
      : ['bug', `This is a bug in aiswarm: ${error instanceof Error ? error.message : String(error)}`]
    if (!refusal) report(`${row.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    return ownWords
      ? answered(ownWords.refused(sentence, given, connection.core.clock()), true)
      : refused(code, sentence, refusal?.retryable === true)
  }
}

/** The messages for the agent that calls; an agent that has just ended its attempt gets none. */
const messagesFor = async ({ core, actor }: Connection): Promise<readonly string[]> => {
  if (actor.kind !== 'agent') return []
  try {
    if (!(await perform(core, hasMessages, {}, actor))) return []
    return (await perform(core, takeMessages, {}, actor)).map(spoken)
  } catch (error) {
    if (isRefusal(error)) return []
    throw error
  }
}

/** The arguments, and the id of the call: the client's, or that of the pipe which repeats it when a connection is lost. */
const named = (
  row: ToolRow,
  { requestId: own, ...input }: Readonly<Record<string, unknown>>,
  ofPipe: unknown,
): { input: Readonly<Record<string, unknown>>; options: { requestId?: string } } => {
  const requestId = own ?? ofPipe
  if (requestId === undefined) return { input, options: {} }
  if (typeof requestId === 'string' && requestId !== '' && requestId.length <= 200)
    return { input, options: { requestId } }
  throw new Refusal('invalid_input', `${row.name} at requestId: use a text of 1 to 200 characters.`)
}

const textOf = (value: Readonly<Record<string, unknown>>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
})

const answered = (structuredContent: Readonly<Record<string, unknown>>, isError = false): CallToolResult => ({
  ...textOf(structuredContent),
  structuredContent,
  ...(isError ? { isError } : {}),
})

const refused = (code: string, message: string, retryable: boolean): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify({ error: { code, message, ...(retryable ? { retryable } : {}) } }) }],
})

/** An agent cannot look at the server of the board, and has work to do meanwhile. */
const said = ({ code, message, retryable }: Refusal, { actor }: Connection): string =>
  code === 'store_unreachable' && retryable && actor.kind === 'agent'
    ? 'The board cannot be reached now, and nothing was written. Nothing is lost: keep working, and call again in a minute.'
    : message

/** Tools whose calls belong to an attempt that the agent holds. */
const fenced: ReadonlySet<string> = new Set(['start_task', 'report_task_progress', 'complete_task', 'fail_task'])

type Fields = Readonly<Record<string, unknown>>

/**
 * The attempts of one connection. It adds the attempt to each call, so that a call from a process that was believed
 * dead does not count for a later attempt of the same agent.
 */
export class Attempts {
  readonly #connection: Connection
  readonly #known = new Map<number, number>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The input with the attempt of this connection; unchanged if the client names one, or if there is none. */
  async named(tool: string, input: Fields): Promise<Fields> {
    const { core, actor } = this.#connection
    const { taskId } = input
    if (actor.kind !== 'agent' || !fenced.has(tool) || input['attempt'] !== undefined || typeof taskId !== 'number')
      return input
    if (!this.#known.has(taskId)) {
      const task = await perform(core, getTask, { taskId }, actor).catch(() => undefined)
      if (task?.assignedAgentId !== actor.id) return input
      this.#known.set(taskId, task.attempt)
    }
    return { ...input, attempt: this.#known.get(taskId) }
  }

  /** Records the task in a tool's answer: the one that the agent has claimed, or its own that it must continue. */
  learn(tool: string, output: Fields): void {
    if (tool === 'claim_task') this.#take(output)
    if (tool === 'heartbeat_and_get_tasks' && Array.isArray(output['tasks']))
      for (const task of output['tasks'] as readonly Fields[]) this.#take(task)
  }

  #take({ id, attempt, assignedAgentId }: Fields): void {
    if (assignedAgentId === this.#connection.actor.id && typeof id === 'number' && typeof attempt === 'number')
      this.#known.set(id, attempt)
  }
}

/** Limits calls: a burst, then the rate. `now` in ms. */
export class CallRate {
  #tokens = BURST
  #at: number

  constructor(now: number) {
    this.#at = now
  }

  /** True if one more call is allowed. */
  take(now: number): boolean {
    this.#tokens = Math.min(BURST, this.#tokens + ((now - this.#at) / 1000) * RATE)
    this.#at = now
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}

/** The allowed rate of calls per second, and the burst. */
const RATE = 20
const BURST = 100

/** Outside of tools a refusal is a protocol error. */
export const asErrors = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new McpError(error.code === 'not_found' ? -32002 : ErrorCode.InvalidRequest, error.message, {
      code: error.code,
    })
  }
}
