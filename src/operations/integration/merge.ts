import { z } from 'zod'
import type { Db } from '../../db/engine/db.ts'
import { isSealed, selectIntegrationEvents } from '../../db/events.ts'
import { selectFleet } from '../../db/hosts.ts'
import {
  changeIntegration,
  selectIntegration,
  selectLandings,
  selectQueue,
  selectReverted,
  selectReviewable,
} from '../../db/integrations.ts'
import { advanceWatchedTarget } from '../../db/repository.ts'
import type { EventRow } from '../../db/schema/schema.ts'
import type { IntegrationRow } from '../../db/schema/worktrees.ts'
import { changeWorktree, selectWorktree, selectWorktrees } from '../../db/worktrees.ts'
import { once } from '../../domain/words/once.ts'
import { hostOf } from '../perform/core.ts'
import { must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { parsed, text } from '../perform/schemas.ts'
import { stopAgentsOf } from '../runs/agents.ts'
import { integrationView, viewIntegration } from '../views/worktrees.ts'
import { asked } from './request.ts'

// The merge of an integration: the candidate, its place in the queue, the proof of its approval, and the move of
// the target.

/** An approved integration that waits for its turn, or whose move was begun. */
const queued = once(() =>
  integrationView().extend({ worktree: z.string(), branch: z.string(), isElsewhere: z.boolean() }),
)
export type Queued = z.output<ReturnType<typeof queued>>

/** How many moves of a target are looked at: approvals before them are prepared again. */
const LANDINGS = 1000

export const readQueue = operation({
  name: 'read_queue',
  summary: 'List the approved integrations of a target in merge order',
  access: 'read',
  authority: 'system',
  input: () =>
    z.strictObject({ target: z.string(), at: z.string().nullable().describe('Current commit of the target') }),
  output: () =>
    z.object({
      queue: z.array(queued()),
      /** Earlier commits of the target, from which only aiswarm moved it to the present one, newest first. */
      passed: z.array(z.string()),
    }),
  run: async (context, { target, at }) => {
    const { db } = context
    const rows = await selectQueue(db, target)
    const queue = await Promise.all(
      rows.map(async (row) => {
        const worktree = (await selectWorktree(db, row.worktree))!
        return {
          ...viewIntegration(row),
          worktree: row.worktree,
          branch: worktree.branch_name,
          isElsewhere: worktree.host_id !== hostOf(context),
        }
      }),
    )
    const passed: string[] = []
    if (at !== null && rows.some((row) => row.target_oid !== at)) {
      const before = new Map((await selectLandings(db, target, LANDINGS)).map(({ from, to }) => [to, from]))
      for (let oid = before.get(at); oid !== undefined && passed.length < LANDINGS; oid = before.get(oid))
        passed.push(oid)
    }
    return { queue, passed }
  },
})

const oid = z.string().regex(/^[0-9a-f]{40,64}$/)

export const recordCandidate = operation({
  name: 'record_candidate',
  summary: 'Record the result of merging a worktree into its target: a commit to verify, or conflicts',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      id: z.int(),
      candidate: z.union([
        z.strictObject({ targetOid: oid, branchOid: oid, mergeOid: oid }),
        z.strictObject({ conflicts: z.array(z.string()).max(10_000) }),
        z.strictObject({ problem: text(8000) }),
      ]),
      approval: z.enum(['human', 'auto']),
    }),
  output: () => z.object({ recorded: z.boolean(), worktree: z.string() }),
  run: async ({ db }, { id, candidate, approval }) => {
    const row = (await selectIntegration(db, id))!
    const change =
      'conflicts' in candidate
        ? { status: 'conflicted' as const, conflicts: JSON.stringify(candidate.conflicts), approval }
        : 'problem' in candidate
          ? { status: 'conflicted' as const, problem: candidate.problem, conflicts: '[]', approval }
          : {
              status: 'verifying' as const,
              target_oid: candidate.targetOid,
              branch_oid: candidate.branchOid,
              merge_oid: candidate.mergeOid,
              approval,
              conflicts: null,
              problem: null,
            }
    return { recorded: await changeIntegration(db, id, 'requested', change), worktree: row.worktree }
  },
  subject: ({ recorded, worktree }, { id, candidate, approval }) =>
    recorded ? { worktree, details: { integration: id, approval, ...candidate } } : null,
})

export const recordRestack = operation({
  name: 'record_restack',
  summary: 'Record that an approved merge was recreated on top of other approved ones, with which it was verified',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      id: z.int(),
      /** The commits that were approved. */
      approved: z.strictObject({ branchOid: z.string(), mergeOid: z.string() }),
      targetOid: z.string(),
      mergeOid: z.string(),
      verification: integrationView().shape.verification,
    }),
  output: () => z.object({ recorded: z.boolean(), worktree: z.string() }),
  run: async ({ db }, { id, approved, targetOid, mergeOid, verification }) => {
    const row = (await selectIntegration(db, id))!
    const same = row.branch_oid === approved.branchOid && row.merge_oid === approved.mergeOid
    const change = {
      target_oid: targetOid,
      merge_oid: mergeOid,
      ...(verification === null ? {} : { verification: JSON.stringify(verification) }),
    }
    return { recorded: same && (await changeIntegration(db, id, 'approved', change)), worktree: row.worktree }
  },
  subject: ({ recorded, worktree }, { id, approved, targetOid, mergeOid, verification }) =>
    recorded
      ? {
          worktree,
          details: {
            integration: id,
            replaces: approved.mergeOid,
            targetOid,
            mergeOid,
            ...(verification === null ? {} : { verificationId: verification.id }),
          },
        }
      : null,
})

export const beginMove = operation({
  name: 'begin_move',
  summary:
    'Record that the target is about to move, before any ref moves; refuses a move that no sealed event approves',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ id: z.int() }),
  output: () => z.object({ begun: z.boolean(), worktree: z.string(), unproven: z.string().nullable() }),
  run: async ({ db }, { id }) => {
    const row = (await selectIntegration(db, id))!
    const { worktree } = row
    if (row.status !== 'approved' && row.status !== 'moving') return { begun: false, worktree, unproven: null }
    const unproven = (await whyUnproven(db, row)) ?? null
    if (unproven !== null) {
      must(
        await changeIntegration(db, id, row.status, {
          status: 'ready',
          approved_by: null,
          approved_at: null,
          approval: 'human',
          problem: unproven,
        }),
        `The integration of ${worktree}`,
      )
      return { begun: false, worktree, unproven }
    }
    return {
      begun: row.status === 'moving' || (await changeIntegration(db, id, 'approved', { status: 'moving' })),
      worktree,
      unproven,
    }
  },
  subject: ({ begun, worktree, unproven }) => (begun || unproven !== null ? { worktree, details: { unproven } } : null),
})

/** The object of an approval. Events of approval, verification and stacking name it in their details. */
export interface Approved {
  readonly integration: number
  readonly targetOid: string
  readonly branchOid: string
  readonly mergeOid: string
  readonly verificationId: number | null
}

/**
 * The reason why a merge must be refused although its row is approved; undefined if a sealed event confirms the row: a
 * person's approval of exactly these commits and this verification, or, if the target has `approval: auto`, a passed
 * verification. A stack made since carries the approval over. The row alone proves nothing, because any program can
 * change it with one UPDATE.
 */
const whyUnproven = async (db: Db, row: IntegrationRow): Promise<string | undefined> => {
  let proven: Approved | undefined
  let automatic = false
  for (const event of await selectIntegrationEvents(db, row.worktree)) {
    const details = (parsed(event.details) ?? {}) as Partial<Approved> & {
      approval?: string
      approved?: boolean
      replaces?: string
    }
    if (details.integration !== row.id || !(await isSealed(db, event))) continue
    if (event.operation === 'record_candidate') automatic = details.approval === 'auto' && isProgram(event)
    else if (approves(event, details, automatic)) proven = details as Approved
    else if (event.operation === 'record_restack' && isProgram(event) && proven?.mergeOid === details.replaces)
      proven = { ...proven!, ...(details as Approved) }
  }
  return proven && isOf(proven, row)
    ? undefined
    : `Nothing was merged: no event records that a person approved exactly this merge of ${row.worktree}. Review and approve it again.`
}

const approves = ({ operation, actor }: EventRow, { approved }: { approved?: boolean }, automatic: boolean): boolean =>
  (operation === 'approve_integration' && actor === 'human') ||
  (operation === 'record_verification' && actor === 'aiswarm' && automatic && approved === true)

const isProgram = ({ actor }: EventRow): boolean => actor === 'aiswarm'

const isOf = (proven: Approved, row: IntegrationRow): boolean =>
  proven.targetOid === row.target_oid &&
  proven.branchOid === row.branch_oid &&
  proven.mergeOid === row.merge_oid &&
  proven.verificationId === verificationOf(row.verification)

/** The id of a verification as integrations store it. */
const verificationOf = (verification: string | null): number | null => {
  const { id } = (parsed(verification) ?? {}) as { readonly id?: number }
  return id ?? null
}

/**
 * The result of moving the target. `held`: the target refused, a person must act; `stale`: a commit has moved, so the
 * approval is void; `failed`: on top of earlier merges it fails the verification.
 */
const outcome = once(() =>
  z.discriminatedUnion('kind', [
    /** `isBehind`: on the remote; the branch of the main checkout follows later. */
    z.object({ kind: z.literal('landed'), isBehind: z.boolean().optional() }),
    z.object({ kind: z.literal('held'), problem: text(8000) }),
    z.object({ kind: z.literal('stale'), problem: text(8000) }),
    z.object({ kind: z.literal('failed'), problem: text(8000), verification: integrationView().shape.verification }),
  ]),
)

export const recordMove = operation({
  name: 'record_move',
  summary: 'Record that the target has moved to the approved commit, or why it has not',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ id: z.int(), outcome: outcome() }),
  output: () => z.object({ recorded: z.boolean(), worktree: z.string() }),
  run: async (context, { id, outcome }) => {
    const { db, now } = context
    const row = (await selectIntegration(db, id))!
    const { worktree } = row
    if (row.status !== 'moving' && row.status !== 'approved') return { recorded: false, worktree }
    if (outcome.kind === 'held') {
      return {
        recorded: await changeIntegration(db, id, row.status, {
          status: 'ready',
          approved_by: null,
          approved_at: null,
          approval: 'human',
          problem: outcome.problem,
        }),
        worktree,
      }
    }
    if (outcome.kind === 'stale') {
      return {
        recorded: await changeIntegration(db, id, row.status, {
          ...asked,
          status: 'requested',
          problem: outcome.problem,
        }),
        worktree,
      }
    }
    if (outcome.kind === 'failed') {
      const verification = JSON.stringify(outcome.verification)
      return {
        recorded: await changeIntegration(db, id, row.status, {
          status: 'unverified',
          approved_by: null,
          approved_at: null,
          verification,
          problem: outcome.problem,
        }),
        worktree,
      }
    }
    const landed = await changeIntegration(db, id, 'moving', { status: 'integrated', ended_at: now, problem: null })
    if (!landed) return { recorded: false, worktree }
    if (outcome.isBehind !== true) await advanceWatchedTarget(db, row.target, row.target_oid!, row.merge_oid!)
    // The target has moved, whatever has become of the worktree since: one that is ending has its own end.
    const ends = await changeWorktree(
      db,
      worktree,
      { folder: 'ready' },
      { status: 'integrated', folder: 'leaving', integration_target: row.target, ended_at: now },
    )
    if (ends) await stopAgentsOf(context, worktree, `worktree ${worktree} was integrated`)
    return { recorded: true, worktree }
  },
  subject: ({ recorded, worktree }, { outcome }) => (recorded ? { worktree, details: outcome } : null),
})

export const readCandidates = operation({
  name: 'read_candidates',
  summary: 'List the integrations whose merge may still be read or merged, and the snapshots that may still be used',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      candidates: z.array(z.int()),
      /** The worktrees whose last snapshot is needed, if they have one: they are there, or their successor is being built. */
      snapshots: z.array(z.object({ host: z.string(), worktree: z.string() })),
    }),
  run: async ({ db }) => {
    const all = await selectWorktrees(db)
    const building = new Set(all.flatMap(({ folder, continues }) => (folder === 'building' ? [continues] : [])))
    const { snapshots } = await selectFleet(db)
    // A snapshot is recorded after it was pushed, much later by a host that is cut off in between.
    const needed = all.filter(({ name, folder, wip_oid: oid }) =>
      folder === 'gone' ? oid !== null && building.has(name) : oid !== null || snapshots,
    )
    return {
      candidates: [...(await selectReviewable(db))],
      snapshots: needed.map(({ name, host_id: host }) => ({ host, worktree: name })),
    }
  },
})

export const readRevert = operation({
  name: 'read_revert',
  summary: 'Read the integration that a worktree was created to undo',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ worktree: z.string() }),
  output: () => z.object({ worktree: z.string(), target: z.string(), mergeOid: z.string() }).nullable(),
  run: async ({ db }, { worktree }) => {
    const id = await selectReverted(db, worktree)
    const row = id === undefined ? undefined : await selectIntegration(db, id)
    return row ? { worktree: row.worktree, target: row.target, mergeOid: row.merge_oid! } : null
  },
})
