import { selectHosts } from '../../db/hosts.ts'
import { type KindSleep, selectSleeps, setSleep } from '../../db/quotas.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import type { HostRow } from '../../db/schema/hosts.ts'
import { selectHostsOf } from '../../db/worktrees.ts'
import type { Sleep } from '../../domain/budget/budget.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { kindIn } from '../../domain/task/metadata.ts'
import { kindOf, wantsOwnWorktree } from '../../domain/task/startable.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import type { TaskView } from '../views/tasks.ts'
import { findHost } from './hosts.ts'

// Until an account's quota resets, its kind sleeps: no agent of it is started on the hosts that are logged in as that
// account.

/** The account whose quota the agents of a host use: one of its own, unless a person says that hosts share one. */
export const accountOf = ({ id, account }: Pick<HostRow, 'id' | 'account'>): string => account ?? id

type HostSleep = Sleep & Pick<KindSleep, 'account' | 'why'>

/** The kinds that sleep now, by host. */
interface Sleeps {
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

/** An earlier reset time does not replace a later one. */
export const putToSleep = async (context: Context, agent: AgentRow, until: Instant, why: string): Promise<void> => {
  const { db, now } = context
  const account = accountOf(await findHost(db, agent.host_id))
  const known = (await selectSleeps(db, now)).find((row) => row.kind === agent.kind && row.account === account)
  if (until <= now || (known && known.until >= until)) return
  await setSleep(db, { kind: agent.kind, account, until, since: now, agent_id: agent.id, why })
}

/** Until when a pending task sleeps, and for which kind's quota. */
const sleepOf = (
  task: TaskView,
  sleeps: Sleeps,
  { settings }: Pick<Context, 'settings'>,
  hosts: ReadonlyMap<string, string>,
): HostSleep | undefined => {
  if (task.status !== 'pending' || task.blockedBy.length > 0) return undefined
  const metadata = task.metadata === null || task.metadata === undefined ? null : JSON.stringify(task.metadata)
  const { command, personaId, targetWorktree: worktree, wantedAgentId: agentId } = task
  const kind = kindOf({ command, personaId, kind: kindIn(metadata), agentId }, settings)
  const own = wantsOwnWorktree({ worktree, agentId, command, metadata }, settings)
  const host = (worktree === null ? undefined : hosts.get(worktree)) ?? LOCAL
  // A task that was started as another kind than its own sleeps for as long as that kind.
  return sleeps.of(kind, own ? undefined : host) ?? sleeps.until(task.notBefore)
}

/** The sleep of a pending task with the account whose quota it waits for. */
export const readSleepOf = async (
  context: Pick<Context, 'db' | 'now' | 'settings'>,
  view: TaskView,
): Promise<HostSleep | undefined> => {
  const sleeps = await readSleeps(context)
  return sleeps && sleepOf(view, sleeps, context, await hostsOf(context, sleeps, [view]))
}

/** The same views, each with its sleep. */
export const withSleeps = async (
  context: Pick<Context, 'db' | 'now' | 'settings'>,
  views: readonly TaskView[],
): Promise<TaskView[]> => {
  if (views.every(({ status }) => status !== 'pending')) return [...views]
  const sleeps = await readSleeps(context)
  if (sleeps === undefined) return [...views]
  const hosts = await hostsOf(context, sleeps, views)
  return views.map((view) => ({ ...view, sleep: shown(sleepOf(view, sleeps, context, hosts)) }))
}

const shown = (sleep: HostSleep | undefined): TaskView['sleep'] => {
  if (sleep === undefined) return null
  const { kind, until, host } = sleep
  return { kind, until, ...(host === undefined ? {} : { host }) }
}

const hostsOf = async (
  { db }: Pick<Context, 'db'>,
  { several }: Sleeps,
  views: readonly TaskView[],
): Promise<ReadonlyMap<string, string>> =>
  several
    ? selectHostsOf(
        db,
        views.flatMap(({ status, targetWorktree }) => (status === 'pending' ? (targetWorktree ?? []) : [])),
      )
    : new Map()
