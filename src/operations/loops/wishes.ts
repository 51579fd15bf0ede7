import { z } from 'zod'
import { worktreeStates } from '../../domain/worktree/worktree.ts'
import { lazyObject } from '../perform/schemas.ts'

export const agentRun = lazyObject(() => ({
  agentId: z.string(),
  personaId: z.string(),
  kind: z.string(),
  run: z.int(),
  process: z.enum(['none', 'waiting', 'wanted', 'started', 'ended']),
  taskId: z.int().nullable(),
  worktree: z.string().nullable(),
  /** Its folder, if it works neither in a worktree nor in the root of the repository. */
  folder: z.string().nullable(),
  /** Set once the process was seen running. */
  identity: z.object({ pid: z.int(), startedAt: z.string(), bootId: z.string() }).nullable(),
  environment: z.record(z.string(), z.string()),
  stopRequestedAt: z.string().nullable(),
  /** True if an agent requested it: it starts only if there is room. */
  ofAgent: z.boolean(),
  /** True if a person says that the host or container of its process no longer exists. */
  gone: z.boolean(),
  /** When the attempt it was started for ended, if it has; its process has nothing left to do. */
  doneAt: z.string().nullable(),
  /** True if its task has used its budget up and a person has not answered: the process must be stopped meanwhile. */
  held: z.boolean(),
  /** When it was stopped. */
  pausedAt: z.string().nullable(),
  /** True if its input is a journal, so that it can be spoken to. */
  talks: z.boolean(),
}))
export type AgentRun = z.output<ReturnType<typeof agentRun>>

export const worktreeWork = lazyObject(() => ({
  name: z.string(),
  branch: z.string(),
  source: z.string(),
  path: z.string(),
  folder: z.enum(['building', 'ready', 'leaving', 'gone']),
  status: z.enum(worktreeStates),
  /** The reason and the time of its end. */
  reason: z.string().nullable(),
  endedAt: z.string().nullable(),
  baseOid: z.string().nullable(),
  createdAt: z.string(),
  /** The commit of its branch on the remote, and when that was last all of it. */
  pushedOid: z.string().nullable(),
  pushedAt: z.string().nullable(),
  /** The worktree of another host that it continues. */
  continues: z.string().nullable(),
  /** The worktree that continues it on another host. */
  successor: z.string().nullable(),
  /** The last snapshot of its uncommitted work on the remote. */
  wipOid: z.string().nullable(),
  /** True if a person wants it continued on another host. */
  moves: z.boolean(),
  /** True if it is on another host. */
  isElsewhere: z.boolean(),
  /** True if that host cannot push now: it is silent, or was declared lost. */
  isAway: z.boolean(),
  /** When the integration was requested that waits for its merge, or is prepared. */
  requestedAt: z.string().nullable(),
}))
export type WorktreeWork = z.output<ReturnType<typeof worktreeWork>>

export const restoreWork = lazyObject(() => ({
  worktree: z.string(),
  path: z.string(),
  branch: z.string(),
  ref: z.string(),
  trashPath: z.string().nullable(),
}))
/** A worktree to be restored from its archive. */
export type RestoreWork = z.output<ReturnType<typeof restoreWork>>

export const putBackWork = lazyObject(() => ({
  target: z.string(),
  from: z.string().nullable(),
  to: z.string(),
  askedAt: z.string(),
}))
/** A target that a person wants reset, from one commit to another. */
export type PutBackWork = z.output<ReturnType<typeof putBackWork>>

export const endedAttempt = lazyObject(() => ({
  taskId: z.int(),
  attempt: z.int(),
  claimedAt: z.string(),
  endedAt: z.string(),
  worktree: z.string().nullable(),
}))
export type EndedAttempt = z.output<ReturnType<typeof endedAttempt>>

/** A rule that a person wants in the configuration, for a persona. */
export const ruleWork = lazyObject(() => ({ requestId: z.int(), personaId: z.string(), rule: z.string() }))
export type RuleWork = z.output<ReturnType<typeof ruleWork>>
