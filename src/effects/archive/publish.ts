import { Refusal } from '../../domain/rules/refusal.ts'
import { archiveFolder } from './record.ts'
import { askGit } from '../git/git.ts'
import { commitOf } from '../git/facts.ts'
import { firstLineOf } from '../git/words.ts'

/**
 * Stores an archive's commit under its ref and reads it back. If a killed git command left a lock on that name, the
 * next name is used: the owner of the lock cannot be known, so the lock is never removed.
 */
export const publish = async (root: string, worktree: string, stamp: string, commit: string): Promise<string> => {
  let said = ''
  for (const suffix of ['', '-2', '-3', '-4', '-5']) {
    const ref = `${archiveFolder(worktree)}/${stamp}${suffix}`
    const { exitCode, stderr } = await askGit(root, ['update-ref', '--end-of-options', ref, commit], { answers: [1, 128] })
    if (exitCode === 0 && (await commitOf(root, ref)) === commit) return ref
    said = firstLineOf(stderr)
    if (!stderr.includes(".lock': File exists")) break
  }
  throw new Refusal('archive_failed', `its archive's ref could not be written (${said})`)
}
