import type { Instant } from '../words/time.ts'
import { Refusal } from '../rules/refusal.ts'
import type { HostState } from './host.ts'

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
  const isEarlier =
    seen?.joinedAt === host.joinedAt &&
    (seen.generation > host.generation || (seen.generation === host.generation && seen.seq > host.seq))
  return isEarlier
    ? new Refusal(
        'board_restored',
        `The board knows heartbeat ${host.seq} of host ${host.name} as the last one, but has acknowledged ${seen.seq}: it was restored to an earlier time. Nothing is written until a person runs 'aiswarm fleet restored' on one host.`,
      )
    : undefined
}
