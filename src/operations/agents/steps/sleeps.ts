import { type KindSleep, selectSleeps, setSleep } from '../../../db/sleeps.ts'
import type { AgentRow } from '../../../db/schema/agents.ts'
import { kindIn, kindOf } from '../../../domain/task/startable.ts'
import type { Instant } from '../../../domain/words/time.ts'
import type { Context } from '../../door/core.ts'
import type { TaskView } from '../../views/views.ts'

// Until an account's quota resets, no agent of its kind is started.

const sleepsByKind = async ({ db, now }: Pick<Context, 'db' | 'now'>): Promise<ReadonlyMap<string, KindSleep>> =>
  new Map((await selectSleeps(db, now)).map((sleep) => [sleep.kind, sleep]))

/** An earlier reset time does not replace a later one. */
export const putToSleep = async (context: Context, agent: AgentRow, until: Instant, why: string): Promise<void> => {
  const known = (await sleepsByKind(context)).get(agent.kind)
  if (until <= context.now || (known && known.until >= until)) return
  await setSleep(context.db, { kind: agent.kind, until, since: context.now, agent_id: agent.id, why })
}

/** Until when a pending task sleeps, and for which kind's quota. */
const sleepOf = (
  task: TaskView,
  sleeps: ReadonlyMap<string, KindSleep>,
  { settings }: Pick<Context, 'settings'>,
): TaskView['sleep'] => {
  if (sleeps.size === 0 || task.status !== 'pending' || task.blockedBy.length > 0) return null
  const metadata = task.metadata === null || task.metadata === undefined ? null : JSON.stringify(task.metadata)
  const kind = kindOf(
    { command: task.command, personaId: task.personaId, kind: kindIn(metadata), agentId: task.wantedAgentId },
    settings,
  )
  // A task that was started as another kind than its own sleeps for as long as that kind.
  const sleep =
    (kind === null ? undefined : sleeps.get(kind)) ?? [...sleeps.values()].find(({ until }) => until === task.notBefore)
  return sleep ? { kind: sleep.kind, until: sleep.until } : null
}

/** The same views, each with its sleep. */
export const withSleeps = async (
  context: Pick<Context, 'db' | 'now' | 'settings'>,
  views: readonly TaskView[],
): Promise<TaskView[]> => {
  if (views.every(({ status }) => status !== 'pending')) return [...views]
  const sleeps = await sleepsByKind(context)
  return sleeps.size === 0 ? [...views] : views.map((view) => ({ ...view, sleep: sleepOf(view, sleeps, context) }))
}
