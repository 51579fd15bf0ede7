import { safeText } from './safe-text.ts'
import { duration, elapsed, type Instant } from './time.ts'

/** A reason without its full stop. A `timed` one already contains its duration; one that is `over` says what has ended. */
export type Reason = string | { readonly timed: string } | { readonly over: string }

export const timed = (words: string): Reason => ({ timed: words })

export const over = (words: string): Reason => ({ over: words })

export interface Around {
  readonly now: Instant
  /** The beginning of the state; its duration is appended unless the reason contains it. */
  readonly since?: Instant
}

/** Foreign text in it is made safe. */
export const sentence = (reason: Reason, { now, since }: Around): string => {
  if (typeof reason !== 'string' && 'timed' in reason) return safeText(reason.timed)
  const [words, lasts] = typeof reason === 'string' ? [reason, true] : [reason.over, false]
  if (since === undefined) return safeText(words)
  const long = duration(elapsed(since, now))
  return safeText(`${words} (${lasts ? `for ${long}` : `${long} ago`})`)
}
