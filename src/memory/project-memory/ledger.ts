import { createHash } from 'node:crypto'
import { z } from 'zod'
import { checkShape, parseJsonObject } from './json-text.ts'

/** What is known of a decision besides its file. */
export interface AdrRecord {
  /** Who wrote the draft, in the order in which they did. */
  readonly authors: readonly string[]
  readonly acceptedBy?: string | undefined
  readonly acceptedAt?: string | undefined
  /** Of the file's bytes as they were accepted. */
  readonly sha256?: string | undefined
}

/** The beginning of a file that only grows. */
export interface Prefix {
  readonly bytes: number
  readonly sha256: string
}

/** `integrity.json`: what files must still say, to find out whether somebody changed them by hand. */
export interface Ledger {
  /** The beginning of the timeline that must never change. */
  readonly timeline?: Prefix | undefined
  /** Of each working log, by its path. */
  readonly logs?: Readonly<Record<string, Prefix>> | undefined
  readonly adrs: Readonly<Record<string, AdrRecord>>
}

export const emptyLedger: Ledger = { adrs: {} }

const record = z.looseObject({ authors: z.array(z.string()), acceptedBy: z.string().optional(), acceptedAt: z.string().optional(), sha256: z.string().optional() })
const prefix = z.looseObject({ bytes: z.int().min(0), sha256: z.string() })
const shape = z.looseObject({ timeline: prefix.optional(), logs: z.record(z.string(), prefix).optional(), adrs: z.record(z.string(), record) })

export const parseLedger = (text: string, file: string): Ledger => {
  const value = parseJsonObject(text, file)
  checkShape(shape, value, text, file)
  return value as unknown as Ledger
}

export const renderLedger = (ledger: Ledger): string => `${JSON.stringify(ledger, null, 2)}\n`

export const adrRecord = ({ adrs }: Ledger, id: string): AdrRecord | undefined => (Object.hasOwn(adrs, id) ? adrs[id] : undefined)

export const withAdr = (ledger: Ledger, id: string, record: AdrRecord): Ledger => ({ ...ledger, adrs: { ...ledger.adrs, [id]: record } })

export const hashOf = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

export const prefixOf = (bytes: Uint8Array): Prefix => ({ bytes: bytes.length, sha256: hashOf(bytes) })

/** What is wrong with a file of these bytes; undefined where its known beginning stands. */
export const prefixProblem = (known: Prefix | undefined, bytes: Uint8Array): string | undefined => {
  if (!known) return undefined
  if (bytes.length < known.bytes) return `it was cut short: ${known.bytes} bytes were written, ${bytes.length} are left.`
  return hashOf(bytes.subarray(0, known.bytes)) === known.sha256 ? undefined : `something in its first ${known.bytes} bytes was changed; it may only grow.`
}
