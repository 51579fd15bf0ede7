import { selectHosts } from '../../../db/hosts.ts'
import type { HostRow } from '../../../db/schema/hosts.ts'
import { type KindSleep, selectSleeps } from '../../../db/quotas.ts'
import type { Sleep } from '../../../domain/budget/budget.ts'
import type { Instant } from '../../../domain/words/time.ts'
import type { Context } from '../../perform/core.ts'

// Until an account's quota resets, its kind sleeps on the hosts that are logged in as that account.

/** The account whose quota the agents of a host use: one of its own, unless a person says that hosts share one. */
export const accountOf = ({ id, account }: Pick<HostRow, 'id' | 'account'>): string => account ?? id

export type HostSleep = Sleep & Pick<KindSleep, 'account' | 'why'>

/** The kinds that sleep now, by host. */
export interface Sleeps {
  /** The sleep of a kind on a host; without one, where the kind sleeps on every host that is up, that which ends first. */
  readonly of: (kind: string | null, hostId: string | undefined) => HostSleep | undefined
  /** A sleep that ends at this instant. */
  readonly until: (instant: Instant | null) => HostSleep | undefined
  /** True if the board has several hosts, so that it matters on which a kind sleeps. */
  readonly several: boolean
}

/** Undefined while nothing sleeps. */
export const readSleeps = async ({ db, now }: Pick<Context, 'db' | 'now'>): Promise<Sleeps | undefined> => {
  const rows = await selectSleeps(db, now)
  return rows.length === 0 ? undefined : sleepsOn(await selectHosts(db), rows)
}

export const sleepsOn = (hosts: readonly HostRow[], rows: readonly KindSleep[]): Sleeps => {
  const several = hosts.length > 1
  const view = ({ kind, until, account, why }: KindSleep, name: string | undefined): HostSleep => ({
    ...{ kind, until, account, why },
    ...(several && name !== undefined ? { host: name } : {}),
  })
  const on = (kind: string | null, host: HostRow): HostSleep | undefined => {
    const found = rows.find((row) => row.kind === kind && row.account === accountOf(host))
    return found && view(found, host.name)
  }
  const up = hosts.filter(({ state }) => state === 'up')
  return {
    several,
    of: (kind, hostId) => {
      if (hostId === undefined) {
        const all = up.flatMap((host) => on(kind, host) ?? [])
        return all.length < up.length ? undefined : all.sort((a, b) => (a.until < b.until ? -1 : 1))[0]
      }
      const host = hosts.find(({ id }) => id === hostId)
      return host && on(kind, host)
    },
    until: (instant) => {
      const found = rows.find(({ until }) => until === instant)
      return found && view(found, hosts.find((host) => accountOf(host) === found.account)?.name)
    },
  }
}
