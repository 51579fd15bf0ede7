import { z } from 'zod'
import { type Db, together } from '../../db/engine/db.ts'
import { selectHosts } from '../../db/hosts.ts'
import { selectIntegrations } from '../../db/integrations.ts'
import type { HostRow } from '../../db/schema/hosts.ts'
import type { IntegrationRow, WorktreeRow } from '../../db/schema/worktrees.ts'
import { selectPorts, selectWorktree } from '../../db/worktrees.ts'
import { hostStates, LOCAL } from '../../domain/host/host.ts'
import { integrationStates } from '../../domain/integration/integration.ts'
import { folderStates, worktreeStates } from '../../domain/worktree/worktree.ts'
import { lazyObject, parsed } from '../perform/schemas.ts'

// Views of worktrees and of their integrations, in camelCase: the contract of `--json` and of the MCP tools.

export const integrationView = lazyObject(() => ({
  id: z.int(),
  status: z.enum(integrationStates),
  target: z.string(),
  approval: z.enum(['human', 'auto']),
  requestedBy: z.string(),
  requestedAt: z.string(),
  targetOid: z.string().nullable(),
  branchOid: z.string().nullable(),
  mergeOid: z.string().nullable(),
  conflicts: z.array(z.string()),
  verification: z
    .object({
      id: z.int(),
      command: z.string(),
      /** Null when it was killed. */
      exitCode: z.int().nullable(),
      log: z.string(),
      tail: z.string(),
      startedAt: z.string(),
      endedAt: z.string(),
      /** Why the kernel did not confine it; null if it did, absent if an older aiswarm ran it. */
      unconfined: z.string().nullable().optional(),
      /** The same with the target's versions of the tests and CI files that the branch changed or deleted, if it did. */
      targetTests: z
        .object({
          changed: z.int(),
          deleted: z.int(),
          paths: z.array(z.string()).readonly(),
          named: z.array(z.string()).readonly(),
          exitCode: z.int().nullable(),
          log: z.string(),
        })
        .nullable()
        .optional(),
    })
    .nullable(),
  approvedBy: z.string().nullable(),
  approvedAt: z.string().nullable(),
  problem: z.string().nullable(),
  endedAt: z.string().nullable(),
}))
export type IntegrationView = z.output<ReturnType<typeof integrationView>>

export const worktreeView = lazyObject(() => ({
  name: z.string(),
  branchName: z.string(),
  sourceBranch: z.string(),
  path: z.string(),
  status: z.enum(worktreeStates),
  folder: z.enum(folderStates),
  integrationTarget: z.string().nullable(),
  createdBy: z.string(),
  createdAt: z.string(),
  discardReason: z.string().nullable(),
  archiveRef: z.string().nullable(),
  /** The port of programs started in it: AISWARM_PORT there. */
  port: z.int().nullable(),
  integration: integrationView().nullable(),
  /** Where its folder lies, if worktrees lie on other hosts than the first. */
  host: z
    .object({
      id: z.string(),
      name: z.string(),
      state: z.enum(hostStates),
      beatAt: z.string().nullable(),
      /** How a person reaches it by SSH; null: not at all. */
      ssh: z.string().nullable(),
    })
    .optional(),
  /** The host whose turn it is in its integration, and since when the git remote does not answer it. */
  remoteSilent: z.object({ host: z.string(), since: z.string() }).optional(),
  /** When its commits and its uncommitted files were last on the git remote, if hosts exchange code through one. */
  safeAsOf: z.object({ commits: z.string().nullable(), uncommitted: z.string().nullable() }).optional(),
}))
export type WorktreeView = z.output<ReturnType<typeof worktreeView>>

export const viewWorktrees = async (db: Db, given: readonly WorktreeRow[]): Promise<WorktreeView[]> => {
  const names = given.map((row) => row.name)
  const away = given.some(({ host_id: id }) => id !== LOCAL)
  const [integrations, portRows, hostRows] = await together(
    given.length === 0 ? [] : selectIntegrations(db, { worktrees: names }),
    given.length === 0 ? [] : selectPorts(db, { worktrees: names, purpose: 'work' }),
    away ? selectHosts(db) : [],
  )
  const latest = new Map(integrations.map((row) => [row.worktree, row]))
  const rows = await Promise.all(
    given.map(async (row) =>
      // It may have been integrated between the two reads, and was not restored after it.
      row.status === 'active' && latest.get(row.name)?.status === 'integrated'
        ? ((await selectWorktree(db, row.name)) ?? row)
        : row,
    ),
  )
  const ports = new Map(portRows.map((row) => [row.worktree, row.port]))
  const hosts = new Map(hostRows.map((host) => [host.id, host]))
  const waits = integrations.some(({ status }) => needRemote.has(status))
  const silent = (waits && !away ? await selectHosts(db) : hostRows).filter((host) => host.remote_silent_since !== null)
  return rows.map((row) => {
    const host = hosts.get(row.host_id)
    const last = latest.get(row.name)
    // A worktree that was restored after its integration holds work that is not integrated.
    const integration = row.status === 'active' && last?.status === 'integrated' ? undefined : last
    return {
      name: row.name,
      branchName: row.branch_name,
      sourceBranch: row.source_branch,
      path: row.path,
      status: row.status,
      folder: row.folder,
      integrationTarget: row.integration_target,
      createdBy: row.created_by,
      createdAt: row.created_at,
      discardReason: row.discard_reason,
      archiveRef: row.archive_ref,
      port: ports.get(row.name) ?? null,
      integration: integration ? viewIntegration(integration) : null,
      ...(host
        ? { host: { id: host.id, name: host.name, state: host.state, beatAt: host.beat_at, ssh: host.ssh } }
        : {}),
      ...remoteSilent(row, integration, silent),
      ...safeAsOf(row, host),
    }
  })
}

/** The states of an integration in which the next step needs the git remote of a board with several hosts. */
const needRemote: ReadonlySet<IntegrationRow['status']> = new Set(['requested', 'approved', 'moving'])

/** The first host merges; that of the worktree pushes its branch before. */
const remoteSilent = (
  { host_id: id }: WorktreeRow,
  integration: IntegrationRow | undefined,
  silent: readonly HostRow[],
): Pick<WorktreeView, 'remoteSilent'> => {
  if (integration === undefined || !needRemote.has(integration.status)) return {}
  const turn = integration.status === 'requested' ? [id, LOCAL] : [LOCAL]
  const host = silent.find((one) => turn.includes(one.id))
  return host === undefined ? {} : { remoteSilent: { host: host.name, since: host.remote_silent_since! } }
}

/** Nothing is pushed on a board with one host. */
const safeAsOf = (
  { pushed_at: commits, wip_at: uncommitted, status }: WorktreeRow,
  host: HostRow | undefined,
): Pick<WorktreeView, 'safeAsOf'> =>
  status !== 'active' || (commits === null && host === undefined) ? {} : { safeAsOf: { commits, uncommitted } }

export const viewIntegration = (row: IntegrationRow): IntegrationView => ({
  id: row.id,
  status: row.status,
  target: row.target,
  approval: row.approval,
  requestedBy: row.requested_by,
  requestedAt: row.requested_at,
  targetOid: row.target_oid,
  branchOid: row.branch_oid,
  mergeOid: row.merge_oid,
  conflicts: (parsed(row.conflicts) as string[] | null) ?? [],
  verification: parsed(row.verification) as IntegrationView['verification'],
  approvedBy: row.approved_by,
  approvedAt: row.approved_at,
  problem: row.problem,
  endedAt: row.ended_at,
})
