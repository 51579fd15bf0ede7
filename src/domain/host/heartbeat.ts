import { Refusal } from '../rules/refusal.ts'
import type { FleetSettings } from '../settings/settings.ts'
import type { Instant } from '../words/time.ts'
import type { HostState } from './host.ts'

// Heartbeats of a host that the board has acknowledged: when they are missing, the host pauses its agents; when
// the board knows fewer than the clone of the host, the clone writes nothing.

/** A heartbeat of a host that the board has acknowledged. */
export interface Beat {
  /** The generation of the board: it grows when a person says that the board was restored. */
  readonly generation: number
  readonly seq: number
  /** When the host joined, which tells boards of the same repository apart; null: before it did. */
  readonly joinedAt: Instant | null
}

/** A host as the board knows it now. */
export interface KnownHost extends Beat {
  readonly name: string
  readonly state: HostState
}

/**
 * Why a clone that is this host must not write now; undefined if it may. `seen` is the last acknowledged heartbeat that its
 * disk remembers: a board that knows fewer was restored to an earlier time, and would give attempts and runs out twice.
 */
export const whyNoWrite = (host: KnownHost | undefined, seen: Beat | undefined): Refusal | undefined => {
  if (host === undefined)
    return new Refusal(
      'host_unknown',
      `The board does not know the host that this clone was, so nothing is written: the server is being restored, or was restored to a time before it joined. Wait, or join again: 'aiswarm fleet join-code' on a host, then 'aiswarm fleet join' here.`,
    )
  if (host.state === 'gone')
    return new Refusal(
      'host_forgotten',
      `This clone was host ${host.name} of the board, which does not know it any more, so nothing is written. Join again: 'aiswarm fleet join-code' on a host, then 'aiswarm fleet join' here.`,
    )
  return seen !== undefined && isEarlier(host, seen)
    ? new Refusal(
        'board_restored',
        `The board knows heartbeat ${host.seq} of host ${host.name} as the last one, but has acknowledged ${seen.seq}: it was restored to an earlier time. Nothing is written until a person runs 'aiswarm fleet restored' on one host.`,
      )
    : undefined
}

/** True if the board knows fewer heartbeats of the host than it has acknowledged. */
const isEarlier = (host: KnownHost, seen: Beat): boolean =>
  seen.joinedAt === host.joinedAt &&
  (seen.generation > host.generation || (seen.generation === host.generation && seen.seq > host.seq))

/** The host that a clone remembers to be, and the last heartbeat of it that the board has acknowledged. */
interface Remembered {
  readonly hostId: string
  readonly seen: Beat | null
}

/**
 * The sentence why a person should not say in a clone that the board was restored: nothing there shows it. Undefined if
 * something does. `host`: as the board knows it.
 */
export const whyNotRestored = (clone: Remembered | null, host: KnownHost | null): string | undefined => {
  // No board forgets a host that has joined.
  if (clone !== null && host === null) return undefined
  if (clone?.seen && host && host.state !== 'gone' && isEarlier(host, clone.seen)) return undefined
  return `${whyUnseen(clone?.seen ?? null, host)} Agents would end for nothing. Run this where commands say since the restore that nothing is written, or add --anyway.`
}

const whyUnseen = (seen: Beat | null, host: KnownHost | null): string => {
  if (host === null || host.state === 'gone' || seen?.joinedAt !== host.joinedAt)
    return 'Nothing looks restored: this clone remembers no heartbeat that the board has acknowledged.'
  if (seen.generation < host.generation)
    return `Nothing looks restored since a person last said so; host ${host.name} comes back when its worker runs.`
  return `Nothing looks restored: the board knows every heartbeat of host ${host.name} that it has acknowledged.`
}

/** After this time without the board a host pauses its agents (ms): what they do may soon not count any more. */
export const pauseAfter = ({ silentAfter, lostAfter }: Pick<FleetSettings, 'silentAfter' | 'lostAfter'>): number =>
  lostAfter - Math.min(EARLIER, (lostAfter - silentAfter) / 2)

/** How long before others may declare it lost a host pauses its agents, at most (ms). */
const EARLIER = 30_000
