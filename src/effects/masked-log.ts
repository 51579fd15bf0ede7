import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { maskSecrets } from '../domain/secrets.ts'
import { ownSecrets } from './environment.ts'

/** A longer log is masked where it is shown alone (bytes). */
const LONGEST = 16 * 1024 * 1024

/** Masks the secrets in a log that code of a branch has written, once nothing writes to it any more. */
export const maskLog = (path: string): void => {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0 || size > LONGEST) return
  const text = readFileSync(path, 'utf8')
  const masked = maskSecrets(text, ownSecrets())
  if (masked !== text) writeFileSync(path, masked, { mode: 0o600 })
}
