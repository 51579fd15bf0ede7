import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Refusal } from '../../domain/rules/refusal.ts'

// A server with a certificate of the person's own authority: each host has the authority's in a file, at the path that the
// address names. The code to join says which one it is.

/** The file of the authority's certificate that an address names. */
const fileIn = (url: string): string | undefined => URL.parse(url)?.searchParams.get('sslrootcert') ?? undefined

/** The SHA-256 of the authority's certificate; undefined if the address names none. */
export const authorityOf = (url: string): string | undefined => {
  const file = fileIn(url)
  return file === undefined || file === 'system' ? undefined : fingerprintOf(file)
}

/** Refuses a certificate that is missing here, or another one than that of the board's host, before a connection is made. */
export const refuseOtherAuthority = (url: string, expected: string | undefined): void => {
  if (expected === undefined) return
  const file = fileIn(url)!
  const found = fingerprintOf(file)
  if (found === expected) return
  throw new Refusal(
    'invalid_state',
    found === undefined
      ? `The board's server has a certificate of its own authority, whose certificate is expected in ${file}. Copy that file from the host that made the code; its SHA-256 is ${expected}.`
      : `${file} is another certificate than that of the board's authority, whose SHA-256 is ${expected}; this one has ${found}. Copy the file from the host that made the code.`,
  )
}

const fingerprintOf = (file: string): string | undefined => {
  try {
    return new X509Certificate(readFileSync(file)).fingerprint256
  } catch {
    return undefined
  }
}
