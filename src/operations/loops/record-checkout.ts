import { z } from 'zod'
import { selectRunsAround } from '../../db/runs.ts'
import { selectAgents } from '../../db/agents.ts'
import { saveWatchedCheckout, selectWatchedCheckout } from '../../db/repository.ts'
import type { CheckoutFiles, FileChange } from '../../domain/integration/external-changes.ts'
import { personaWrites } from '../../domain/settings/persona-settings.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { fileChange, viewCheckout } from '../integration/watched.ts'

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
