import type { Instant } from '../../domain/words/time.ts'
import { about, fields, type Fields, list, number, objectOf, oneLine, text } from '../kind/json-line.ts'
import { SERVER_NAME } from '../kind/server-config.ts'
import { accountProblem, lostSession, plainLine, resetTime } from './errors.ts'
import { type Detail, inputOf, planOf, type Reading, type Tokens } from './reading.ts'

// The stream of messages that Claude Code introduced, which Qwen Code prints too.

/** The differences between the CLIs that print it. */
interface Dialect {
  /** The tokens of the final message. */
  readonly usage: (result: Fields) => readonly Reading[]
  /** All tokens that one turn read and wrote, by the usage of its message. */
  readonly turn: (usage: Fields) => number
  /** The usage of one message; only if the final message reports the whole run, and thus replaces it. */
  readonly spent?: (usage: Fields) => Tokens
  /** True for an answer of the model that is an error of the service. */
  readonly isError: (message: Fields, said: string) => boolean
  /** True for a failed call that was not allowed to run, by its answer. */
  readonly isDenial: (said: string) => boolean
}

/** Reads lines with `type` system, assistant, user and result. */
export const messageReader =
  (dialect: Dialect) =>
  (line: string, at?: Instant): readonly Reading[] => {
    const message = objectOf(line)
    if (message === undefined) return plainLine(line, at)
    switch (message.type) {
      case 'system':
        return system(message, at)
      case 'assistant':
        return assistant(message, dialect, at)
      case 'user':
        return results(message, dialect)
      case 'rate_limit_event':
        return refused(fields(message.rate_limit_info))
      case 'result':
        return [...dialect.usage(message), ...denials(message), ...ended(message, dialect, at)]
      default:
        return []
    }
  }

const system = (message: Fields, at: Instant | undefined): readonly Reading[] => {
  if (message.subtype === 'init') {
    return [
      ...(text(message.session_id) === '' ? [] : [{ kind: 'session' as const, id: text(message.session_id) }]),
      ...(text(message.model) === '' ? [] : [{ kind: 'model' as const, name: text(message.model) }]),
      ...serverTrouble(message.mcp_servers),
    ]
  }
  if (message.subtype === 'api_retry') {
    const said = `${number(message.error_status)} ${text(message.error)}, attempt ${number(message.attempt)} of ${number(message.max_retries)}`
    const known = accountProblem(said, at)
    return known.length > 0 ? known : [{ kind: 'note', level: 'warn', text: said }]
  }
  return []
}

/** Claude reports its limits while it runs; only a rejection stops it. */
const refused = ({ status, resetsAt, rateLimitType }: Fields): readonly Reading[] =>
  status === 'rejected'
    ? [
        {
          kind: 'limited',
          sentence: `Over the limit ${text(rateLimitType)}`.trim(),
          resetsAt: resetTime(`|${number(resetsAt)}`),
        },
      ]
    : []

/**
 * Checks our server only; others are the person's own. A later call of the server proves that it runs, in spite of
 * this.
 */
const serverTrouble = (servers: unknown): readonly Reading[] => {
  if (!Array.isArray(servers)) return []
  const ours = list(servers).find(({ name }) => name === SERVER_NAME)
  const status = ours === undefined ? 'not listed' : text(ours.status)
  return ['failed', 'disconnected', 'not listed'].includes(status)
    ? [{ kind: 'no_server', sentence: `The MCP server ${SERVER_NAME} did not start (${status})` }]
    : []
}

const assistant = (message: Fields, dialect: Dialect, at: Instant | undefined): readonly Reading[] => [
  // A subagent has its own context, but not its own account.
  ...spentOn(fields(message.message), dialect),
  ...(typeof message.parent_tool_use_id === 'string'
    ? []
    : contextOf(dialect.turn(fields(fields(message.message).usage)))),
  ...list(fields(message.message).content).flatMap((block): readonly Reading[] => {
    if (block.type === 'tool_use') return [called(block)]
    const said = text(block.text)
    if (block.type !== 'text' || said.trim() === '') return []
    if (dialect.isError(message, said)) {
      const known = accountProblem(said, at)
      return known.length > 0 ? known : [{ kind: 'note', level: 'error', text: oneLine(said, 500) }]
    }
    // A subagent's text is not an answer to aiswarm.
    return typeof message.parent_tool_use_id === 'string' ? [] : [{ kind: 'text', text: said }]
  }),
]

const spentOn = ({ id, usage }: Fields, { spent }: Dialect): readonly Reading[] => {
  const used = spent?.(fields(usage))
  return used === undefined || used.tokensIn + used.tokensOut === 0
    ? []
    : [{ kind: 'usage', of: 'message', message: text(id), ...used, costUsd: null }]
}

/** Messages that no model wrote count no tokens. */
const contextOf = (tokens: number): readonly Reading[] =>
  tokens === 0 ? [] : [{ kind: 'context', tokens, window: null }]

/** Tools that a search hides are called through one tool, which names them. */
const called = (block: Fields): Reading => {
  const inside = fields(block.input)
  const hidden = block.name === 'tool_call' && text(inside.name) !== ''
  return {
    kind: 'tool',
    name: text(hidden ? inside.name : block.name),
    about: about(hidden ? inside.arguments : block.input),
    call: text(block.id),
  }
}

const results = (message: Fields, dialect: Dialect): readonly Reading[] =>
  list(fields(message.message).content).flatMap((block): readonly Reading[] => {
    if (block.type !== 'tool_result' || block.is_error !== true) return []
    const said =
      text(block.content) ||
      list(block.content)
        .map((part) => text(part.text))
        .join(' ')
    const call = text(block.tool_use_id)
    return [
      dialect.isDenial(said)
        ? { kind: 'denied', name: '', about: '', call }
        : { kind: 'tool_failed', name: '', about: oneLine(said), call },
    ]
  })

const denials = (message: Fields): readonly Reading[] =>
  list(message.permission_denials).map((one) => ({
    kind: 'denied',
    name: text(one.tool_name),
    about: about(one.tool_input),
    call: text(one.tool_use_id),
  }))

const ended = (message: Fields, dialect: Dialect, at: Instant | undefined): readonly Reading[] => {
  const said = text(message.result) || errorsOf(message) || text(message.subtype)
  const bad = message.is_error === true || message.subtype !== 'success' || dialect.isError(message, said)
  const status = number(message.api_error_status)
  return [
    ...(bad ? [...lostSession(said), ...accountProblem(status === 0 ? said : `${status} ${said}`, at)] : []),
    { kind: 'ended', ok: !bad, sentence: oneLine(said, 500) },
  ]
}

const errorsOf = (message: Fields): string => {
  const errors = Array.isArray(message.errors) ? message.errors.map(text).filter(Boolean).join('; ') : ''
  return errors || text(fields(message.error).message)
}

/** Reads the details of a line of the stream. */
export const messageDetails = (line: string): readonly Detail[] => {
  const message = objectOf(line)
  const content = list(fields(message?.message).content)
  if (message?.type === 'assistant') return content.flatMap(spokenIn)
  return message?.type === 'user' && message.isReplay !== true ? content.flatMap(resultIn) : []
}

const spokenIn = (block: Fields): readonly Detail[] => {
  if (block.type === 'thinking')
    return text(block.thinking).trim() === '' ? [] : [{ kind: 'thought', text: text(block.thinking) }]
  if (block.type !== 'tool_use') return []
  const input = fields(block.input)
  // A CLI that hides tools calls them through one tool, which names them.
  const inner = block.name === 'tool_call' && text(input.name) !== '' ? fields(input.arguments) : input
  const steps = list(inner.todos)
  if (steps.length > 0) return [planOf(steps)]
  return inputOf(text(block.id), inner)
}

const resultIn = (block: Fields): readonly Detail[] =>
  block.type === 'tool_result'
    ? [
        {
          kind: 'result',
          call: text(block.tool_use_id),
          text: wordsOf(block.content),
          failed: block.is_error === true,
        },
      ]
    : []

const wordsOf = (content: unknown): string =>
  text(content) ||
  list(content)
    .map((part) => (part.type === 'text' ? text(part.text) : `[${text(part.type)}]`))
    .join('\n')
