import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { countUnfinished, selectWorktreeNeeds } from '../../db/radar.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import { hostOf } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'
import { viewWorktrees } from '../views/worktrees.ts'

const radarSubject = lazyObject(() => ({
  name: z.string(),
  branch: z.string(),
  path: z.string(),
  /** The commit that its host has pushed, if that is another one; null if its folder is here. */
  pushed: z.string().nullable(),
  target: z.string(),
  /** True if an agent runs in it, so that files may change without a trace in git. */
  living: z.boolean(),
  unfinished: z.int(),
  needs: z.array(z.string()),
}))
export type RadarSubject = z.output<ReturnType<typeof radarSubject>>

export const readRadarSubjects = operation({
  name: 'read_radar_subjects',
  summary:
    'List the worktrees that may conflict, those of other hosts as pushed, with the facts that decide their merge order',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () => z.array(radarSubject()),
  run: async (context) => {
    const { db, settings } = context
    const host = hostOf(context)
    const rows = (await selectWorktrees(db, { folders: ['ready'] })).filter(
      (row) => row.host_id === host || row.pushed_oid !== null,
    )
    const pushed = new Map(rows.map((row) => [row.name, row.host_id === host ? null : row.pushed_oid]))
    const worktrees = await viewWorktrees(db, rows)
    const names = worktrees.map(({ name }) => name)
    const unfinished = await countUnfinished(db, names)
    const needs = await selectWorktreeNeeds(db, names)
    const agents = await selectAgents(db, { live: true })
    const living = new Set(
      agents.flatMap(({ status, process, assigned_worktree }) =>
        status !== 'offline' && process !== 'waiting' ? (assigned_worktree ?? []) : [],
      ),
    )
    return worktrees.map(({ name, branchName, path, integration }) => ({
      name,
      branch: branchName,
      path,
      pushed: pushed.get(name) ?? null,
      target: integration?.target ?? settings.integration.target,
      living: living.has(name),
      unfinished: unfinished.get(name) ?? 0,
      needs: needs.flatMap((row) => (row.worktree === name ? row.needs : [])),
    }))
  },
})
