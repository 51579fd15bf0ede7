import { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import { endedWorktree } from '../../operations/worktrees/archive.ts'
import { askGit, git } from '../git/git.ts'

// An archive is a commit whose tree is the folder as it was. Its first parent is the HEAD of the worktree. Its last
// parent is the record, a commit that its message names: it holds record.json, git's own files of the worktree (admin/)
// and objects that no commit has (objects/), and its parents are all other commits to keep.

const entry = z.object({
  path: z.string(),
  kind: z.enum(['file', 'link', 'folder']),
  mode: z.int(),
  /** The blob of a file's content; null for other entries. */
  oid: z.string().nullable(),
  target: z.string(),
  store: z.enum(['tree', 'tar']).nullable(),
})
export type ArchivedEntry = z.output<typeof entry>

const record = z.object({
  version: z.literal(1),
  ...endedWorktree().shape,
  branchTip: z.string().nullable(),
  head: z.object({ ref: z.string().nullable(), oid: z.string().nullable() }),
  /** The content of its `.git` file, one character per byte. */
  gitFile: z.string().nullable(),
  /** False if the folder had been deleted: then `entries` is meaningless, and the tree is that of HEAD. */
  folder: z.boolean(),
  /** Paths and targets, one character per byte. */
  entries: z.array(entry),
  admin: z.boolean(),
  /** Folders among git's own files of the worktree, including empty ones. */
  adminFolders: z.array(z.string()),
  format: z.enum(['sha1', 'sha256']),
  /** The file name in the folder of tars. */
  tar: z.object({ file: z.string(), sha256: z.string() }).nullable(),
})
export type ArchiveRecord = z.output<typeof record>

export interface Archive {
  readonly ref: string
  readonly commit: string
  readonly recordCommit: string
  readonly record: ArchiveRecord
}

export const archiveFolder = (worktree: string): string => `refs/aiswarm/archive/${worktree}`

/** Refs of the archives of a worktree, oldest first; with a stamp only those of that removal. */
export const archiveRefs = async (root: string, worktree: string, stamp = ''): Promise<readonly string[]> => {
  const folder = archiveFolder(worktree)
  const refs = (await git(root, ['for-each-ref', '--format=%(refname)', `${folder}/`])).split('\n').filter(Boolean)
  return refs.filter((ref) => ref.startsWith(`${folder}/${stamp}`))
}

/** Refuses an archive that aiswarm did not write, or one of an older format. */
export const readArchive = async (root: string, ref: string): Promise<Archive> => {
  const found = await askGit(root, ['log', '-1', '--format=%H%n%P%n%B', '--end-of-options', ref], { answers: [128] })
  if (found.exitCode !== 0)
    throw new Refusal(
      'not_found',
      `The archive ${ref} is gone; 'git for-each-ref refs/aiswarm/archive' lists the existing ones.`,
    )
  const [commit = '', parents = '', ...message] = found.stdout.split('\n')
  const recordCommit = /^record ([0-9a-f]+)$/m.exec(message.join('\n'))?.[1]
  if (recordCommit === undefined || !parents.split(' ').includes(recordCommit)) throw unreadable(ref)
  const { exitCode, stdout } = await askGit(root, ['cat-file', 'blob', `${recordCommit}:record.json`], {
    answers: [128],
  })
  const parsed = record.safeParse(exitCode === 0 ? jsonOf(stdout) : undefined)
  if (!parsed.success) throw unreadable(ref)
  return { ref, commit, recordCommit, record: parsed.data }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const unreadable = (ref: string): Refusal =>
  new Refusal(
    'invalid_state',
    `${ref} has no record of the worktree's state; restore its files by hand with 'git worktree add --detach FOLDER ${ref}'.`,
  )

/** A worktree that has ended and must be archived. */
export interface Ended {
  readonly name: string
  readonly branch: string
  readonly source: string
  readonly path: string
  readonly baseOid: string | null
  readonly status: 'integrated' | 'discarded'
  readonly reason: string | null
  readonly createdAt: string
  readonly endedAt: string
  readonly target: string
}
