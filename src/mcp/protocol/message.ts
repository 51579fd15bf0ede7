import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { DEEPEST, isDeeperThan } from './limits.ts'

/** A received message, or JSON-RPC's error for it. */
export type Read = { readonly message: JSONRPCMessage } | { readonly problem: JsonRpcProblem }

export interface JsonRpcProblem {
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
