import { safeText } from '../safe-text.ts'
import { duration, elapsed, type Instant } from '../time.ts'

/** A reason without its full stop. One that tells itself for how long it has been so is `timed`. */
export type Reason = string | { readonly timed: string }

export const timed = (words: string): Reason => ({ timed: words })

export interface Around {
  readonly now: Instant
  /** Since when it is so: how long that is stands at the end, where the reason does not tell it itself. */
  readonly since?: Instant
}

/** What others wrote in it is made safe. */
export const sentence = (reason: Reason, { now, since }: Around): string => {
  if (typeof reason !== 'string') return safeText(reason.timed)
  return safeText(since === undefined ? reason : `${reason}; for ${duration(elapsed(since, now))} now`)
}
