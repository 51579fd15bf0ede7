import { selectSleeps, setSleep } from '../../../db/quotas.ts'
import type { AgentRow } from '../../../db/schema/agents.ts'
import { selectHostsOf } from '../../../db/worktrees.ts'
import { LOCAL } from '../../../domain/host/host.ts'
import { kindIn } from '../../../domain/task/metadata.ts'
import { kindOf, wantsOwnWorktree } from '../../../domain/task/startable.ts'
import type { Instant } from '../../../domain/words/time.ts'
import type { Context } from '../../perform/core.ts'
import { findHost } from '../../hosts/steps/find-host.ts'
import { accountOf, type HostSleep, readSleeps, type Sleeps } from '../../hosts/steps/sleeps.ts'
import type { TaskView } from '../../views/tasks.ts'

// Until an account's quota resets, no agent of its kind is started on the hosts that are logged in as that account.

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
