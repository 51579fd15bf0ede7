import { safeText } from './safe-text.ts'
import { duration, elapsed, type Instant } from './time.ts'

/** A reason without its full stop. A `timed` reason already contains its duration. */
export type Reason = string | { readonly timed: string }

export const timed = (words: string): Reason => ({ timed: words })

export interface Around {
  readonly now: Instant
  /** The beginning of the state; its duration is appended unless the reason contains it. */
  readonly since?: Instant
}

/** Foreign text in it is made safe. */
export const sentence = (reason: Reason, { now, since }: Around): string => {
  if (typeof reason !== 'string') return safeText(reason.timed)
  return safeText(since === undefined ? reason : `${reason} (for ${duration(elapsed(since, now))})`)
}
