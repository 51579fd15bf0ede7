import { Refusal } from '../../domain/rules/refusal.ts'
import { type Archive, archiveFolder } from './record.ts'
import { askGit, firstLineOf } from '../git/git.ts'
import { commitOf } from '../git/commits.ts'

interface Publication {
  readonly worktree: string
  /** Names the removal. */
  readonly stamp: string
  readonly commit: string
  /** The archive of the same removal that this one continues and replaces. */
  readonly earlier?: Pick<Archive, 'ref' | 'commit'> | undefined
}

/**
 * Stores an archive's commit under its ref and reads it back. Never replaces an archive that another process has
 * published meanwhile. If a killed git command left a lock on that name, the next name is used: the owner of the lock
 * cannot be known, so the lock is never removed.
 */
export const publish = async (root: string, { worktree, stamp, commit, earlier }: Publication): Promise<string> => {
  const names = ['', '-2', '-3', '-4', '-5'].map((suffix) => `${archiveFolder(worktree)}/${stamp}${suffix}`)
  let said = ''
  for (const ref of names.slice(Math.max(0, names.indexOf(earlier?.ref ?? '')))) {
    if ((await commitOf(root, ref)) === commit) return ref
    const { exitCode, stderr } = await askGit(
      root,
      ['update-ref', '--end-of-options', ref, commit, ref === earlier?.ref ? earlier.commit : ''],
      { answers: [1, 128] },
    )
    if (exitCode === 0 && (await commitOf(root, ref)) === commit) return ref
    said = firstLineOf(stderr)
    if (!stderr.includes(".lock': File exists")) break
  }
  throw new Refusal('archive_failed', `its archive's ref could not be written (${said})`)
}
