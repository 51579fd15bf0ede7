import { silentSince } from '../../domain/host/host.ts'
import type { FleetSettings } from '../../domain/settings/settings.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { HostView } from '../../operations/hosts/list.ts'

type Seen = Pick<HostView, 'id' | 'state' | 'beatAt'>

/**
 * Decides which hosts the process that plans may declare lost. The clock of the server may jump, and this process may have
 * been away itself: a host counts only as silent while this process has looked, by its own clock, and has seen the same
 * heartbeat throughout.
 */
export class HostJudge {
  readonly #settings: Pick<FleetSettings, 'silentAfter' | 'lostAfter'>
  /** The last heartbeat of each host, and since when this process has seen it (ms of the monotonic clock). */
  readonly #seen = new Map<string, { readonly beatAt: Instant | null; readonly since: number }>()
  #looked = -Infinity

  constructor(settings: Pick<FleetSettings, 'silentAfter' | 'lostAfter'>) {
    this.#settings = settings
  }

  /** The hosts to be declared lost, at `at` of the board's clock and `now` of this process. */
  lost<Host extends Seen>(hosts: readonly Host[], at: Instant, now: number): readonly Host[] {
    const { silentAfter, lostAfter } = this.#settings
    // After an absence of its own it has seen nothing: every host gets the time to be heard again.
    if (now - this.#looked > silentAfter) this.#seen.clear()
    this.#looked = now
    return hosts.filter((host) => {
      const { id, beatAt } = host
      const seen = this.#seen.get(id)
      if (seen?.beatAt !== beatAt) this.#seen.set(id, { beatAt, since: now })
      return (
        seen?.beatAt === beatAt && now - seen.since >= silentAfter && silentSince(host, at, lostAfter) !== undefined
      )
    })
  }
}
