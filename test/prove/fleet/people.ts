import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../../src/db/engine/store.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { isRefusal } from '../../../src/domain/rules/refusal.ts'
import type { Core } from '../../../src/operations/perform/core.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { approveIntegration } from '../../../src/operations/integration/decisions.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { getWorktreeStatus } from '../../../src/operations/worktrees/status.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { type Approval, nameOf } from './landings.ts'

// A person who gives work to three hosts, and approves what they made.

export interface Person {
  /** The tasks with a command, by number. */
  readonly tasks: Map<number, { readonly worktree: string; readonly host: string }>
  /** The merges that were approved, by their names. */
  readonly approved: Map<string, Approval>
  /** Ends the new work. */
  over: boolean
  /** Ends the approvals. */
  leaves: boolean
  problem: unknown
}

/** Writes its diary, takes a moment, leaves a file of its own, and ends. */
const command = [
  // A line that a full disk refuses ends the command.
  'set -e',
  'exec 9> "$HOME/lock-$AISWARM_WORKTREE"',
  'flock -n 9 || echo "$AISWARM_TASK_ID" >> "$HOME/twice"',
  'echo "start $AISWARM_TASK_ID $AISWARM_AGENT_ID" >> "$HOME/diary"',
  'sleep 1',
  'echo "$AISWARM_AGENT_ID" > "t-$AISWARM_TASK_ID"',
  'echo "end $AISWARM_TASK_ID $AISWARM_AGENT_ID" >> "$HOME/diary"',
].join('; ')

/** The persona of this person's tasks alone. */
const WORKER = 'implementer'

/** The tasks of this person, among tens of thousands of others. */
export const listWork = (core: Core) => perform(core, listTasks, { personaId: WORKER }, person)

/** Repeats what the board could not answer. */
export const surely = async <T>(work: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isRefusal(error) || (error.code !== 'store_unreachable' && error.code !== 'database_busy')) throw error
      await sleep(200)
    }
  }
}

/** Keeps work on every host: worktrees of two tasks each, which are integrated when these are done. */
export const giveWork = async (core: Core, hosts: readonly string[], self: Person): Promise<void> => {
  for (let n = 0; !self.over; n++) {
    const open = (await surely(() => listWork(core))).filter(
      ({ id, status }) => self.tasks.has(id) && ['pending', 'claimed', 'in_progress'].includes(status),
    )
    if (open.length >= 10) {
      await sleep(300)
      n--
      continue
    }
    const host = hosts[n % hosts.length]!
    const worktree = `w${n}`
    const made = await ifPossible(() =>
      perform(core, createWorktreeOn, { name: worktree, branchName: worktree, host }, person),
    )
    if (made === undefined) {
      await sleep(300)
      continue
    }
    for (let part = 0; part < 2; part++) {
      const draft = { title: `work ${n}.${part}`, personaId: WORKER, command, targetWorktree: worktree }
      // A request id makes a repeated call one task.
      const requestId = `work ${n}.${part}`
      const { id } = await surely(() => perform(core, createTask, draft, person, { requestId }))
      self.tasks.set(id, { worktree, host })
    }
  }
}

/** Undefined if a host is silent, a worktree busy, or a row has just changed: the next turn tries again. */
const ifPossible = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await work()
  } catch (error) {
    if (!isRefusal(error)) throw error
    return undefined
  }
}

/** Requests the integration of worktrees whose tasks are done, of those that count, and approves each merge that is ready. */
export const approveWork = async (
  core: Core,
  self: Person,
  counts: (worktree: string) => boolean = () => true,
): Promise<void> => {
  while (!self.leaves) {
    const worktrees = await surely(() => perform(core, getWorktreeStatus, {}, person))
    for (const { name, status, folder, integration } of worktrees) {
      if (status !== 'active' || folder !== 'ready' || !name.startsWith('w') || !counts(name)) continue
      if (integration === null || integration.status === 'rejected')
        await ifPossible(() => perform(core, requestIntegration, { worktreeName: name }, person))
      else if (integration.status === 'ready') {
        const { targetOid, branchOid, mergeOid, verification } = integration
        const exactly = { targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid! }
        // Approved before it is asked: an answer that is lost counts as given.
        self.approved.set(nameOf(exactly), exactly)
        await ifPossible(() =>
          perform(
            core,
            approveIntegration,
            { worktreeName: name, ...exactly, verificationId: verification?.id ?? null },
            person,
          ),
        )
      }
    }
    await sleep(500)
  }
}

export type Shown = Awaited<ReturnType<(typeof getWorktreeStatus)['run']>>

/**
 * The worktrees that no other one continues, without those that conflict with the merged one that they continue. One that was on a lost host may have
 * commits of an attempt that was made again elsewhere: whichever of both is merged later conflicts, and a person decides.
 */
export const withoutContinued = async (store: Store, worktrees: Shown): Promise<Shown> => {
  const rows = await store.read
    .selectFrom('worktrees')
    .leftJoin('integrations', (join) =>
      join.onRef('integrations.worktree', '=', 'worktrees.continues').on('integrations.status', '=', 'integrated'),
    )
    .where('continues', 'is not', null)
    .select(['worktrees.name', 'continues', 'integrations.id as merged'])
    .execute()
  const continued = new Set(rows.map((row) => row.continues))
  const late = new Set(rows.flatMap(({ name, merged }) => (merged === null ? [] : [name])))
  return worktrees.filter(
    ({ name, integration }) => !continued.has(name) && !(late.has(name) && integration?.status === 'conflicted'),
  )
}
