import { type KindSleep, selectSleeps, setSleep } from '../../db/sleeps.ts'
import type { AgentRow } from '../../db/schema.ts'
import { kindOf } from '../../domain/schedule.ts'
import type { Instant } from '../../domain/time.ts'
import type { Context } from './core.ts'
import { taskKind } from './startable.ts'
import type { TaskView } from './views.ts'

// Where an account has said when its quota is there again, nothing of that kind is started before.

export const sleepsByKind = async ({ db, now }: Pick<Context, 'db' | 'now'>): Promise<ReadonlyMap<string, KindSleep>> =>
  new Map((await selectSleeps(db, now)).map((sleep) => [sleep.kind, sleep]))

/** An earlier word does not shorten a later one. */
export const putToSleep = async (context: Context, agent: AgentRow, until: Instant, why: string): Promise<void> => {
  const known = (await sleepsByKind(context)).get(agent.kind)
  if (until <= context.now || (known && known.until >= until)) return
  await setSleep(context.db, { kind: agent.kind, until, since: context.now, agent_id: agent.id, why })
}

/** Until when, and for whose quota, a pending task sleeps. */
export const sleepOf = (task: TaskView, sleeps: ReadonlyMap<string, KindSleep>, { settings }: Pick<Context, 'settings'>): TaskView['sleep'] => {
  if (sleeps.size === 0 || task.status !== 'pending' || task.blockedBy.length > 0) return null
  const metadata = task.metadata === null || task.metadata === undefined ? null : JSON.stringify(task.metadata)
  const kind = kindOf({ command: task.command, personaId: task.personaId, kind: taskKind(metadata), agentId: task.wantedAgentId }, settings)
  // One that was started as another kind than its own sleeps for as long as that one.
  const sleep = (kind === null ? undefined : sleeps.get(kind)) ?? [...sleeps.values()].find(({ until }) => until === task.notBefore)
  return sleep ? { kind: sleep.kind, until: sleep.until } : null
}

/** The same views, each with its sleep. */
export const withSleeps = async (context: Pick<Context, 'db' | 'now' | 'settings'>, views: readonly TaskView[]): Promise<TaskView[]> => {
  const sleeps = await sleepsByKind(context)
  return sleeps.size === 0 ? [...views] : views.map((view) => ({ ...view, sleep: sleepOf(view, sleeps, context) }))
}
