import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { isMovingTo } from '../../db/integrations.ts'
import {
  advanceWatchedTarget,
  changeWatchedTarget,
  insertWatchedTarget,
  notMoved,
  saveWatchedCheckout,
  selectWatchedCheckout,
  selectWatchedTarget,
} from '../../db/repository.ts'
import { selectRunsAround } from '../../db/runs.ts'
import type { CheckoutFiles, FileChange } from '../../domain/integration/external-changes.ts'
import { personaWrites } from '../../domain/settings/persona-settings.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { text } from '../perform/schemas.ts'
import { commitsBetween, fileChange, viewCheckout } from './drift.ts'
import { agentsAt } from './running-agents.ts'

// Positions of target branches and files of the main checkout, as the loops find them.

export const recordTarget = operation({
  name: 'record_target',
  summary:
    'Record the position of a target branch: silently if it moved while no agent ran, else as a move that needs a person',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      target: z.string(),
      /** The recorded position when `commits` were counted; undefined if there was none. */
      before: z.string().nullable().optional(),
      found: z.string().nullable(),
      /** When it may have been moved: the last write of the ref, and the times in its reflog. */
      times: z.array(z.string()).min(1),
      /** Agents whose process has begun and is not recorded yet. */
      launching: z.array(z.string()),
      /** From the known commit to the one found. */
      commits: commitsBetween(),
    }),
  output: () =>
    z.object({
      recorded: z.enum(['first', 'known', 'person', 'moved', 'restored', 'later', 'void']),
      agents: z.array(z.string()),
    }),
  run: async (context, { target, before, found, times, launching, commits }) => {
    const { db, now } = context
    const row = await selectWatchedTarget(db, target)
    if (!row) {
      if (before !== undefined) return { recorded: 'void' as const, agents: [] }
      await insertWatchedTarget(db, target, found)
      return { recorded: 'first' as const, agents: [] }
    }
    if (row.seen_oid !== before) return { recorded: 'void' as const, agents: [] }
    if (row.seen_oid === found) return { recorded: 'known' as const, agents: [] }
    // A move by aiswarm is in progress and will be recorded at its end.
    if (
      found !== null &&
      ((await isMovingTo(db, target, found)) || (row.put_back_at !== null && found === row.known_oid))
    )
      return { recorded: 'later' as const, agents: [] }
    if (found === row.known_oid) {
      await changeWatchedTarget(db, target, { seen_oid: found, ...notMoved })
      return { recorded: 'restored' as const, agents: [] }
    }
    const agents = [...(await agentsAt(context, times, launching))]
    if (agents.length === 0) {
      await changeWatchedTarget(
        db,
        target,
        row.moved_at === null ? { known_oid: found, seen_oid: found } : { seen_oid: found },
      )
      return { recorded: 'person' as const, agents }
    }
    const known = row.agents === null ? [] : (JSON.parse(row.agents) as string[])
    const all = [...new Set([...known, ...agents])]
    await changeWatchedTarget(db, target, {
      seen_oid: found,
      moved_oid: found,
      moved_at: row.moved_at ?? now,
      commits: JSON.stringify(commits),
      agents: JSON.stringify(all),
      put_back_at: null,
      problem: null,
    })
    return { recorded: 'moved' as const, agents: all }
  },
  subject: ({ recorded, agents }, { target, before, found }) =>
    ['known', 'later', 'void'].includes(recorded)
      ? null
      : { details: { target, from: before ?? null, to: found, recorded, agents } },
})

export const recordPutBack = operation({
  name: 'record_put_back',
  summary: 'Record that a target branch was put back, and where the commits of the move are kept, or why it was not',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      target: z.string(),
      outcome: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('done'), archiveRef: z.string().nullable() }),
        z.object({ kind: z.literal('refused'), problem: text(8000) }),
      ]),
    }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async ({ db }, { target, outcome }) => {
    const row = await selectWatchedTarget(db, target)
    if (!row || row.put_back_at === null) return { recorded: false }
    await changeWatchedTarget(
      db,
      target,
      outcome.kind === 'done'
        ? { seen_oid: row.known_oid, ...notMoved }
        : { put_back_at: null, problem: outcome.problem },
    )
    return { recorded: true }
  },
  subject: ({ recorded }, { target, outcome }) => (recorded ? { details: { target, ...outcome } } : null),
})

const oid = z.string().regex(/^[0-9a-f]{40,64}$/)

export const recordFollowed = operation({
  name: 'record_followed',
  summary: 'Record that the target branch of the main checkout has followed the remote',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ target: z.string(), from: oid, to: oid }),
  output: () => z.null(),
  run: async ({ db }, { target, from, to }) => {
    await advanceWatchedTarget(db, target, from, to)
    return null
  },
  subject: (_, { target, from, to }) => ({ details: { target, from, to } }),
})

export const recordCheckout = operation({
  name: 'record_checkout',
  summary:
    'Record the changes of the main checkout: before an agent starts, when a run ends, or when changes are undone',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      at: z.enum(['begin', 'end', 'look']),
      files: z.record(z.string(), z.string()),
      /** Differences from the last record; only at the end of a run. */
      changes: z.array(fileChange()),
      agentId: z.string().optional(),
    }),
  output: () => z.object({ noticed: z.array(z.string()), agents: z.array(z.string()) }),
  run: async (context, { at, files, changes, agentId }) => {
    const { db, now } = context
    const row = await selectWatchedCheckout(db)
    const pending = viewCheckout(row)
    const { confined, atWork } =
      row === undefined || at !== 'end'
        ? { confined: [], atWork: false }
        : await ranSince(context, row.looked_at, agentId)
    const noticed = atWork || confined.length === 0 ? [] : changes
    const all = still(files, merged(pending?.changes ?? [], noticed))
    const agents = [...new Set([...(pending?.agents ?? []), ...(noticed.length > 0 ? confined : [])])]
    if (at === 'look' && all.length === pending?.changes.length) return { noticed: [], agents: [] }
    await saveWatchedCheckout(db, {
      files: at === 'look' && row ? row.files : JSON.stringify(files),
      looked_at: at === 'look' && row ? row.looked_at : now,
      ...(all.length === 0
        ? { changes: null, agents: null, changed_at: null }
        : { changes: JSON.stringify(all), agents: JSON.stringify(agents), changed_at: pending?.since ?? now }),
    })
    return { noticed: noticed.map(({ path }) => path), agents: noticed.length > 0 ? agents : [] }
  },
  subject: (output) => (output.noticed.length > 0 ? { details: output } : null),
})

/**
 * Agents that ran since then; `atWork` if one of them works in the main checkout and may write, because its task says
 * so.
 */
const ranSince = async (
  { db, now, settings }: Context,
  since: Instant,
  agentId: string | undefined,
): Promise<{ readonly confined: string[]; readonly atWork: boolean }> => {
  const agents = new Map((await selectAgents(db)).map((agent) => [agent.id, agent]))
  const runs = (await selectRunsAround(db, since, now)).map(({ agent_id }) => agent_id)
  const registered = [...agents.values()]
    .filter(({ process, status }) => process === 'none' && status !== 'offline' && status !== 'terminated')
    .map(({ id }) => id)
  const ran = [...new Set([...runs, ...registered, ...(agentId === undefined ? [] : [agentId])])]
  const inCheckout = (id: string): boolean => (agents.get(id)?.assigned_worktree ?? null) === null
  const writes = (id: string): boolean => {
    const agent = agents.get(id)
    return agent === undefined || agent.kind === 'command' || personaWrites(settings, agent.persona_id)
  }
  return { confined: ran.filter((id) => !inCheckout(id)), atWork: ran.some((id) => inCheckout(id) && writes(id)) }
}

/** A path that changes twice keeps its first state. */
const merged = (before: readonly FileChange[], more: readonly FileChange[]): readonly FileChange[] => {
  const byPath = new Map(before.map((change) => [change.path, change]))
  for (const change of more)
    byPath.set(change.path, { ...change, before: byPath.get(change.path)?.before ?? change.before })
  return [...byPath.values()]
}

/** Leaves out paths that are unchanged again. */
const still = (files: CheckoutFiles, changes: readonly FileChange[]): readonly FileChange[] =>
  changes.filter(({ path, before }) => (files[path] ?? '') !== before)

export const readCheckout = operation({
  name: 'read_checkout',
  summary: 'Read the changes of the main checkout at the last check',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () => z.record(z.string(), z.string()).nullable(),
  run: async ({ db }) => {
    const row = await selectWatchedCheckout(db)
    return row === undefined ? null : (JSON.parse(row.files) as Record<string, string>)
  },
})
