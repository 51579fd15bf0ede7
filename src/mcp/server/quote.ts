import type { Actor } from '../../domain/agent/actor.ts'
import { isExactNumber } from '../../memory/exact-json.ts'

// Text by other agents reaches a model as a quotation with its origin, never as ours, because it may try to manipulate
// the model.

/** The limit of one text in an answer (bytes). */
const LONGEST = 32 * 1024

/** A tool's answer with other agents' texts quoted and long texts truncated. */
export const quoted = (value: unknown, reader: Actor): unknown =>
  Array.isArray(value)
    ? value.map((item) => quoted(item, reader))
    : isRecord(value)
      ? quotedRow(value, reader)
      : cut(value)

/** Fields with an agent's text, and the key that names the agent. */
const origins: Readonly<Record<string, string>> = {
  message: 'agentId',
  resultData: 'assignedAgentId',
  errorMessage: 'assignedAgentId',
  error: 'agentId',
  text: 'author',
}

const quotedRow = (row: Readonly<Record<string, unknown>>, reader: Actor): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => {
      const origin = row[origins[key] ?? '']
      const foreign =
        typeof value === 'string' &&
        typeof origin === 'string' &&
        origin !== reader.id &&
        origin !== 'human' &&
        origin !== 'aiswarm'
      return [key, foreign ? `${origin} wrote: ${JSON.stringify(cut(value))}` : quoted(value, reader)]
    }),
  )

const cut = (value: unknown): unknown => {
  if (typeof value !== 'string' || Buffer.byteLength(value) <= LONGEST) return value
  const kept = Buffer.from(value)
    .subarray(0, LONGEST)
    .toString('utf8')
    .replace(/\ufffd+$/, '')
  return `${kept}… (${Buffer.byteLength(value) - Buffer.byteLength(kept)} more bytes were cut)`
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !isExactNumber(value)
