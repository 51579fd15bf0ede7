import type { z } from 'zod'
import { system } from '../../domain/agent/actor.ts'
import { isUndecided } from '../../domain/rules/refusal.ts'
import { readOffer } from '../../operations/agents/offers.ts'
import { hasMessages } from '../../operations/messages/handover.ts'
import type { ObjectSchema } from '../../operations/perform/json-schema.ts'
import { perform } from '../../operations/perform/perform.ts'
import { settleRequest } from '../../operations/requests/questions.ts'
import { denialOf, getRequest, type RequestView } from '../../operations/requests/requests.ts'
import type { ToolCall } from './tool.ts'

// Tools that wait: for work, for a person's answer, for a verdict.

/** Waits for work as long as the agent has asked; existing work is returned at once. */
export const waitForTasks = async (first: Offer, call: ToolCall): Promise<Offer> => {
  const waitSeconds = Number(call.input['waitSeconds'] ?? 0)
  if (first.tasks.length > 0 || waitSeconds === 0) return first
  const { core, actor } = call.connection
  return untilFound(call, waitSeconds * 1000, first, async () => {
    const value = await perform(core, readOffer, {}, actor)
    return { found: value.tasks.length > 0 || (await isSpokenTo(call)), value }
  })
}

type Offer = z.output<typeof readOffer.output>

/**
 * Calls `look` again after every commit of any process until it finds something, the time has passed or the client
 * disconnects; then returns the last result, at first `value`. The version is read before each call, so no commit is
 * missed. A board that is away for a moment has decided nothing, and the wait goes on.
 */
const untilFound = async <T>(
  { connection, signal }: Pick<ToolCall, 'connection' | 'signal'>,
  ms: number,
  value: T,
  look: () => Promise<{ found: boolean; value: T }>,
): Promise<T> => {
  const until = performance.now() + ms
  for (;;) {
    const version = connection.core.store.version()
    let found = false
    try {
      ;({ found, value } = await look())
    } catch (error) {
      if (!isUndecided(error)) throw error
    }
    const left = until - performance.now()
    if (found || left <= 0 || signal.aborted) return value
    await connection.outside.nextChange(version, Math.min(left, OFTEN), signal)
  }
}

/** The interval for events without a commit: a retry becomes due, a request expires (ms). */
const OFTEN = 5000

/** A message for the agent ends its wait: it gets it with this answer. */
const isSpokenTo = async ({ connection: { core, actor } }: ToolCall): Promise<boolean> =>
  actor.kind === 'agent' && perform(core, hasMessages, {}, actor)

// The two tools that ask a person: a call waits for the answer.

/** Clients cancel a call after a minute, so a question is asked again with its number. */
const QUESTION_WAIT = 45_000

/** The arguments of Claude Code's --permission-prompt-tool; a repeated request has the same tool_use_id. */
export const permissionArguments = {
  schema: {
    type: 'object',
    properties: {
      tool_name: { type: 'string', description: 'Tool to use' },
      input: { type: 'object', description: 'Input for the tool' },
      tool_use_id: { type: 'string', description: 'Id of the call' },
    },
    required: ['tool_name', 'input'],
  } satisfies ObjectSchema,
  input: ({ tool_name: toolName, input, tool_use_id: id }: ToolCall['input']) => ({
    input: { toolName, input },
    ...(typeof id === 'string' ? { requestId: `permission:${id}` } : {}),
  }),
}

/** Waits for the answer to a question. */
export const answerOf = async (asked: RequestView, call: ToolCall): Promise<Readonly<Record<string, unknown>>> => {
  const request = await settled(call, asked, QUESTION_WAIT)
  return {
    status: request.status,
    answer: request.answer,
    requestNumber: request.id,
    instructions: instructions[request.status](request),
  }
}

const instructions: Record<RequestView['status'], (request: RequestView) => string> = {
  open: ({ id }) => `No answer yet. Call ask_human again with requestNumber ${id}.`,
  answered: () => 'Continue with this answer.',
  allowed: () => 'Continue.',
  denied: () => 'The person left the decision to you. Decide, or fail the task.',
  expired: () => 'No answer in time. Decide yourself, or fail the task.',
  withdrawn: () => 'Your attempt has ended. End your turn.',
}

/**
 * Waits for a person's verdict on a tool, until the request expires. Claude Code reads the verdict from a single text
 * block, and ignores an answer that also has structured content.
 */
export const verdictOf = async (asked: RequestView, call: ToolCall): Promise<Readonly<Record<string, unknown>>> => {
  const ms = asked.expiresAt === null ? 0 : Date.parse(asked.expiresAt) - Date.parse(call.connection.core.clock())
  const request = await settled(call, asked, ms + 1000)
  if (request.status === 'allowed') return { behavior: 'allow', updatedInput: request.input as Record<string, unknown> }
  return { behavior: 'deny', message: denialOf(request) }
}

/**
 * The request once it is answered, or its state after so many milliseconds; records that the agent has received the
 * answer.
 */
const settled = async (call: ToolCall, asked: RequestView, ms: number): Promise<RequestView> => {
  const { core } = call.connection
  const { id } = asked
  const request = await untilFound(call, ms, asked, async () => {
    // The agent's own token may have ended with the attempt, but it must still learn that the request was withdrawn.
    const value = await perform(core, getRequest, { requestId: id }, system())
    return { found: value.status !== 'open', value }
  })
  // A disconnected client has received nothing.
  if (call.signal.aborted) return request
  try {
    return await perform(core, settleRequest, { requestId: id }, system())
  } catch (error) {
    // The question is on the board: without its number the agent would ask a second time.
    if (!isUndecided(error)) throw error
    return request
  }
}
