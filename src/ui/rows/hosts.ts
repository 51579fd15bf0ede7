import { type HostState, silentSince } from '../../domain/host/host.ts'
import { clockTime, elapsed, type Instant } from '../../domain/words/time.ts'
import { rowText } from '../../text/states.ts'
import type { ConsoleState } from '../core/state.ts'

/** The moment, and after how long a host is silent (ms). */
export interface Clock {
  readonly now: Instant
  readonly silentAfter: number
}

/**
 * After how long a host is silent (ms). While the board does not answer this console, nothing is known of the hosts: only
 * the time before counts.
 */
export const silentAfterIn = ({ board, cutOff, now }: Pick<ConsoleState, 'board' | 'cutOff' | 'now'>): number =>
  board.limits.silentAfter + (cutOff === null ? 0 : Math.max(0, elapsed(cutOff, now)))

/** Since when a host has not been heard of, or that it was declared lost; empty otherwise. */
export const awayWords = (
  host: { readonly state: HostState; readonly beatAt: Instant | null } | undefined,
  { now, silentAfter }: Clock,
  words: (since: Instant) => string = (since) => rowText.hostSilent(clockTime(since)),
): string => {
  if (host === undefined) return ''
  const since = silentSince(host, now, silentAfter)
  return host.state === 'lost' ? rowText.hostLost : since === undefined ? '' : words(since)
}

type Host = NonNullable<Parameters<typeof awayWords>[0]> & { readonly name: string }

/** The host in a detail, with what is wrong with it. */
export const hostFact = (host: Host | undefined, clock: Clock): string | null => {
  if (host === undefined) return null
  const away = awayWords(host, clock)
  return away === '' ? host.name : `${host.name}, ${away}`
}
