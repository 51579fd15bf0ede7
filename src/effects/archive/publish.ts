import { Refusal } from '../../domain/refusal.ts'
import { archiveFolder } from './record.ts'
import { askGit } from '../git.ts'
import { commitOf } from '../git-facts.ts'
import { firstLineOf } from '../git-words.ts'

/**
 * Puts an archive's commit under its ref and reads it back. Where a git command that was killed left a lock on that name,
 * the next name is taken: whose lock it is cannot be known, so it is never removed.
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
