import { selectRunningSession } from '../../db/sessions.ts'
import { isTrusted } from '../../domain/agent/actor.ts'
import { checkId } from '../../domain/rules/names.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { whyWorktreeBusy } from '../../domain/task/contention.ts'
import type { Startable } from '../../domain/task/startable.ts'
import { selectAgent } from '../../db/agents.ts'
import type { Context } from '../perform/core.ts'
import { liveAgentsOf } from '../tasks/startable.ts'
import { refuseUnknownKind } from '../perform/find.ts'

/**
 * Two agents in one worktree would commit each other's unfinished work: only a person may start a second one, after a
 * warning.
 */
export const refuseBusy = async (
  { db, actor, settings }: Context,
  startable: Startable,
  beside: boolean,
): Promise<void> => {
  if (beside && isTrusted(actor)) return
  const why = whyWorktreeBusy(startable, await liveAgentsOf(db), settings)
  if (why !== undefined)
    throw new Refusal(
      'worktree_busy',
      `Task ${startable.id} cannot start now: ${why}.${isTrusted(actor) ? " Wait until it ends, or start this one anyway ('agent spawn --beside')." : ''}`,
    )
}

/** Only a person may start a task that waits for approval or for a quota: a planner would continue to spend. */
export const refuseHeldBack = async ({ db, actor }: Context, id: number, held: string | null): Promise<void> => {
  if (isTrusted(actor)) return
  const paused = ((await selectRunningSession(db))?.paused_at ?? null) !== null
  const why = paused ? 'the session is paused' : held
  if (why !== null) throw new Refusal('blocked', `Task ${id} cannot start now: ${why}.`)
}

/** Seed 004: a planner's workers are confined to a worktree. Only a person starts agents in the main checkout. */
export const refuseUnconfined = ({ actor }: Context, worktree: string | undefined): void => {
  if (worktree === undefined && !isTrusted(actor))
    throw new Refusal(
      'invalid_input',
      'spawn_agent: assignedWorktree is required, or the taskId of a task that has a worktree; workers are confined to it.',
    )
}

/** Variables that decide which program runs, or as whom. */
const reserved =
  /^(PATH|HOME|SHELL|ENV|BASH_ENV|IFS|LD_.*|DYLD_.*|NODE_.*|GIT_.*|AISWARM_.*|npm_.*|PYTHON(PATH|STARTUP|HOME)|PERL5?(LIB|OPT)|RUBYOPT|.*_BASE_URL)$/i

/** A planner may pass text to its workers, but not choose programs. */
export const refuseReserved = ({ actor }: Context, environment: Readonly<Record<string, string>>): void => {
  if (isTrusted(actor)) return
  const name = Object.keys(environment).find((key) => reserved.test(key) || !/^[A-Za-z_]\w*$/.test(key))
  if (name !== undefined)
    throw new Refusal(
      'not_allowed',
      `A planner may not set the variable ${name.slice(0, 60)} for its workers, because it decides what runs.`,
    )
}

export const refuseTaken = async ({ db }: Context, id: string): Promise<void> => {
  checkId('agent', id)
  if (await selectAgent(db, id)) throw new Refusal('already_exists', `Agent ${id} already exists. Choose another id.`)
}

export const knownKind = (context: Context, kind: string | null, persona: string): string => {
  if (kind === null)
    throw new Refusal(
      'missing_binary',
      `No agent kind is configured for persona ${persona}. Set agents.default in .aiswarm/config.yaml or name a kind.`,
    )
  refuseUnknownKind(context, kind)
  return kind
}
