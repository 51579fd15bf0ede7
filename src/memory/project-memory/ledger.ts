import { createHash } from 'node:crypto'
import { z } from 'zod'
import { checkShape, parseJsonObject } from './json-text.ts'

/** Facts about a decision that are not in its file. */
interface AdrRecord {
  /** The authors of the draft, in the order of their changes. */
  readonly authors: readonly string[]
  readonly acceptedBy?: string | undefined
  readonly acceptedAt?: string | undefined
  /** The hash of the file's bytes when it was accepted. */
  readonly sha256?: string | undefined
}

/** The recorded beginning of a file that is only appended to. */
interface Prefix {
  readonly bytes: number
  readonly sha256: string
}

/** `integrity.json`: the expected content of files, for detecting changes by hand. */
export interface Ledger {
  /** The beginning of the timeline that must never change. */
  readonly timeline?: Prefix | undefined
  /** The beginning of each working log, by its path. */
  readonly logs?: Readonly<Record<string, Prefix>> | undefined
  readonly adrs: Readonly<Record<string, AdrRecord>>
}

export const emptyLedger: Ledger = { adrs: {} }

const record = z.looseObject({
  authors: z.array(z.string()),
  acceptedBy: z.string().optional(),
  acceptedAt: z.string().optional(),
  sha256: z.string().optional(),
})
const prefix = z.looseObject({ bytes: z.int().min(0), sha256: z.string() })
const shape = z.looseObject({
  timeline: prefix.optional(),
  logs: z.record(z.string(), prefix).optional(),
  adrs: z.record(z.string(), record),
})

export const parseLedger = (text: string, file: string): Ledger => {
  const value = parseJsonObject(text, file)
  checkShape(shape, value, text, file)
  return value as unknown as Ledger
}

export const renderLedger = (ledger: Ledger): string => `${JSON.stringify(ledger, null, 2)}\n`

export const adrRecord = ({ adrs }: Ledger, id: string): AdrRecord | undefined =>
  Object.hasOwn(adrs, id) ? adrs[id] : undefined

export const withAdr = (ledger: Ledger, id: string, record: AdrRecord): Ledger => ({
  ...ledger,
  adrs: { ...ledger.adrs, [id]: record },
})

export const hashOf = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

export const prefixOf = (bytes: Uint8Array): Prefix => ({ bytes: bytes.length, sha256: hashOf(bytes) })

/** The difference between a file's bytes and its recorded beginning, as a sentence; undefined if they match. */
export const prefixProblem = (known: Prefix | undefined, bytes: Uint8Array): string | undefined => {
  if (!known) return undefined
  if (bytes.length < known.bytes)
    return `it was truncated: ${known.bytes} bytes were written, ${bytes.length} are left.`
  return hashOf(bytes.subarray(0, known.bytes)) === known.sha256
    ? undefined
    : `its first ${known.bytes} bytes were changed; it may only grow.`
}
