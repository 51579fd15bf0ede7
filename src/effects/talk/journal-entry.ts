import { createHmac, timingSafeEqual } from 'node:crypto'

// A line of the journal through which a running agent gets its input. The relay, which forwards it, and every process
// that writes it share this form. The agent can write to the journal's folder, so each line begins with a seal that
// only they can make: an agent cannot answer for a person.

/** The name of the hidden command that runs the relay. */
export const RELAY = '__relay'

/** `line` is forwarded as it is; an entry without it ends the input. An `id` is forwarded only once. */
export interface Entry {
  readonly id: string
  readonly line?: string
}

/** The line of an entry, with its line break. */
export const sealed = (key: string, entry: Entry): string => {
  const text = JSON.stringify(entry)
  return `${sealOf(key, text)} ${text}\n`
}

/** The entry in a complete line; undefined if it is damaged, or if another process wrote it. Never throws. */
export const entryOf = (key: string, line: string): Entry | undefined => {
  const [seal, text] = [line.slice(0, SEAL), line.slice(SEAL + 1)]
  if (seal.length !== SEAL || !timingSafeEqual(Buffer.from(sealOf(key, text)), Buffer.from(seal, 'latin1')))
    return undefined
  return JSON.parse(text) as Entry
}

/** The length of a seal (characters). */
const SEAL = 64

const sealOf = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex')
