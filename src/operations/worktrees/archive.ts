import { z } from 'zod'
import type { Census } from '../../contracts/observations.ts'
import {
  changeArchive,
  changeWorktree,
  insertArchive,
  insertWorktree,
  rememberFolder,
  selectLatestArchive,
  selectUnswept,
  selectWorktree,
} from '../../db/worktrees.ts'
import { once } from '../../domain/words/once.ts'
import { onHost } from '../hosts/hosts.ts'
import { hostOf } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject, text } from '../perform/schemas.ts'

// The archive and the trash of ended worktrees, as the loops record them.

export const recordRemoval = operation({
  name: 'record_removal',
  summary: 'Record where the content of an ended worktree was archived and its folder was moved',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      name: z.string(),
      archiveRef: z.string().nullable(),
      trashPath: z.string().nullable(),
      tar: z.string().nullable().default(null),
      census: census().nullable().default(null),
    }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async ({ db, now }, { name, archiveRef, trashPath, tar, census }) => {
    const recorded = await changeWorktree(
      db,
      name,
      { folder: 'leaving' },
      { folder: 'gone', archive_ref: archiveRef, trash_path: trashPath },
    )
    if (recorded && archiveRef !== null) {
      await insertArchive(db, {
        ref: archiveRef,
        worktree: name,
        tar,
        trash_path: trashPath,
        made_at: now,
        census: census === null ? null : JSON.stringify(census),
      })
    }
    return { recorded }
  },
  subject: ({ recorded }, { name, archiveRef, trashPath, tar }) =>
    recorded ? { worktree: name, details: { archiveRef, trashPath, tar } } : null,
})

const paths = once(() => z.array(z.string()))

/** The shape of a census, for the operation that records one. */
const census: () => z.ZodType<Census> = lazyObject(() => ({
  uncommitted: paths(),
  untracked: paths(),
  ignored: paths(),
  beyond: paths(),
  regenerable: paths(),
  nested: paths(),
  special: paths(),
  commits: z.int(),
  head: z.string().nullable(),
  stashes: paths(),
  inProgress: z.string().nullable(),
  landed: z.object({
    target: z.string(),
    how: z.enum(['merged', 'contained', 'squashed', 'picked']).nullable(),
    commits: z.int(),
    picked: z.int(),
  }),
  processes: z.array(z.object({ pid: z.int(), name: z.string(), ours: z.boolean() })),
}))

export const recordRestore = operation({
  name: 'record_restore',
  summary: 'Record that a worktree was restored, or why it could not be, which leaves it ended',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      name: z.string(),
      branch: z.string(),
      error: text(8000).nullable(),
      inode: z.string().optional(),
    }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async ({ db, now }, { name, branch, error, inode }) => {
    const archive = await selectLatestArchive(db, name)
    if (!archive || archive.restore_wanted_at === null) return { recorded: false }
    const answered = await changeArchive(
      db,
      archive.ref,
      { restore_wanted_at: archive.restore_wanted_at },
      {
        restore_wanted_at: null,
        restore_branch: null,
        ...(error === null ? { restored_at: now } : {}),
      },
    )
    if (!answered || error !== null) return { recorded: answered }
    if (inode !== undefined) await rememberFolder(db, name, inode)
    const active = {
      status: 'active',
      folder: 'ready',
      branch_name: branch,
      ended_at: null,
      discard_reason: null,
      integration_target: null,
    } as const
    return { recorded: await changeWorktree(db, name, { folder: 'gone' }, active) }
  },
  subject: ({ recorded }, { name, branch, error }) =>
    recorded ? { worktree: name, details: { branch, error } } : null,
})

/**
 * A worktree at its end. Archives store these fields forever (effects/archive/record.ts): a new one must be optional.
 */
export const endedWorktree = lazyObject(() => ({
  worktree: z.string(),
  branch: z.string(),
  source: z.string(),
  path: z.string(),
  baseOid: z.string().nullable(),
  status: z.enum(['integrated', 'discarded']),
  reason: z.string().nullable(),
  createdAt: z.string(),
  endedAt: z.string(),
}))

export const adoptArchive = operation({
  name: 'adopt_archive',
  summary:
    'Add an archive that the database lacks, for example after it was deleted: the refs of the repository survive it',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      ended: endedWorktree(),
      archiveRef: z.string(),
      tar: z.string().nullable(),
      trashPath: z.string().nullable(),
    }),
  output: () => z.object({ adopted: z.boolean() }),
  run: async ({ db, actor }, { ended, archiveRef, tar, trashPath }) => {
    const { worktree: name, branch, source, path, baseOid, status, reason, createdAt, endedAt } = ended
    if (await selectWorktree(db, name)) return { adopted: false }
    await insertWorktree(db, {
      name,
      ...{ branch_name: branch, source_branch: source, path, base_oid: baseOid },
      ...{ created_by: actor.id, created_at: createdAt, ended_at: endedAt, status, folder: 'gone' },
      discard_reason: status === 'discarded' ? (reason ?? 'unknown') : null,
      archive_ref: archiveRef,
      trash_path: trashPath,
    })
    await insertArchive(db, { ref: archiveRef, worktree: name, tar, trash_path: trashPath, made_at: endedAt })
    return { adopted: true }
  },
  subject: ({ adopted }, { ended, archiveRef }) =>
    adopted ? { worktree: ended.worktree, details: { archiveRef } } : null,
})

export const readTrash = operation({
  name: 'read_trash',
  summary: 'List the folders of ended worktrees in the trash of this host',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () => z.array(z.object({ worktree: z.string(), trashPath: z.string(), archiveRef: z.string() })),
  run: async (context) =>
    (await onHost(context.db, hostOf(context), await selectUnswept(context.db), ({ worktree }) => worktree)).map(
      (row) => ({
        worktree: row.worktree,
        trashPath: row.trash_path!,
        archiveRef: row.ref,
      }),
    ),
})

export const recordSweep = operation({
  name: 'record_sweep',
  summary: 'Record that folders of ended worktrees are no longer in the trash; their archives are kept',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ trashPaths: z.array(z.string()) }),
  output: () => z.object({ worktrees: z.array(z.string()) }),
  run: async ({ db, now }, { trashPaths }) => {
    const worktrees: string[] = []
    for (const { ref, worktree, trash_path } of await selectUnswept(db)) {
      if (!trashPaths.includes(trash_path!)) continue
      if (await changeArchive(db, ref, { swept_at: null }, { swept_at: now })) worktrees.push(worktree)
    }
    return { worktrees }
  },
  subject: (_, { trashPaths }) => (trashPaths.length === 0 ? null : { details: { trashPaths } }),
})
