import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { maskSecrets } from '../../domain/words/secrets.ts'
import { ownSecrets } from '../processes/environment.ts'

/** A longer log is masked only when it is shown (bytes). */
const LONGEST = 16 * 1024 * 1024

/** Masks the secrets in a log written by a branch's code, once no process writes to it. */
export const maskLog = (path: string): void => {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0 || size > LONGEST) return
  const text = readFileSync(path, 'utf8')
  const masked = maskSecrets(text, ownSecrets())
  if (masked !== text) writeFileSync(path, masked, { mode: 0o600 })
}
