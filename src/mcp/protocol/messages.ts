import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { isDeeperThan } from '../../domain/words/json-limits.ts'

// JSON-RPC messages from outside: parsed within limits, and the id of one that is too long to parse.

/** A received message, or JSON-RPC's error for it. */
type Read = { readonly message: JSONRPCMessage } | { readonly problem: JsonRpcProblem }

interface JsonRpcProblem {
  readonly jsonrpc: '2.0'
  readonly id: string | number | null
  readonly error: { readonly code: number; readonly message: string }
}

/** Parses one JSON-RPC message; never throws. */
export const readMessage = (text: string): Read => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: problem(-32700, 'The message is not JSON.') }
  }
  // V8 parses nested JSON iteratively, but later processing would recurse.
  if (isDeeperThan(DEEPEST, text))
    return { problem: problem(-32600, `The message is nested deeper than ${DEEPEST} levels.`, idOf(value)) }
  const parsed = JSONRPCMessageSchema.safeParse(value)
  return parsed.success
    ? { message: parsed.data }
    : { problem: problem(-32600, 'The message is not a JSON-RPC 2.0 message.', idOf(value)) }
}

export const problem = (code: number, message: string, id: string | number | null = null): JsonRpcProblem => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

const idOf = (value: unknown): string | number | null => {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** The longest message that is read (bytes), and its deepest nesting. */
export const LONGEST_MESSAGE = 1024 * 1024
const DEEPEST = 64

/** The length of the beginning and the end of an oversized message that are searched (bytes). */
export const ENDS = 4096

/**
 * The id of an oversized message, from its beginning and its end: clients write it before the parameters or after them.
 * Null if neither has it.
 */
export const idNear = (start: string, end: string): string | number | null => idAtStart(start) ?? idAtEnd(end)

/** The first members of an object, as long as they are simple: a text, a number, a constant. */
const plain = /\s*("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)\s*,/y

const idAtStart = (text: string): string | number | null => {
  plain.lastIndex = /^\s*\{/.exec(text)?.[0].length ?? text.length
  for (let member = plain.exec(text); member; member = plain.exec(text))
    if (valueOf(member[1]!) === 'id') return parsedId(member[2]!)
  return null
}

/** In the last braces, followed only by simple members. */
const idAtEnd = (text: string): string | number | null => {
  const [, id] =
    /[,{]\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*(?:,\s*"\w+"\s*:\s*(?:"[^"\\]*"|-?\d+)\s*)*\}\s*$/.exec(text) ?? []
  return id === undefined ? null : parsedId(id)
}

const parsedId = (text: string): string | number | null => {
  const value = valueOf(text)
  return typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value)) ? value : null
}

const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
