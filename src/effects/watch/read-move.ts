import { isRefusal } from '../../domain/rules/refusal.ts'
import type { MoveDiff } from '../../contracts/observations.ts'
import { git } from '../git/git.ts'
import { withoutPrograms } from '../git/drivers.ts'

/** The longest diff that is read (bytes). */
const LIMIT = 512 * 1024

/** The diff of a target's move: the files first, then their lines, unless there are too many. */
export const readMove = async (
  root: string,
  { from, to }: { readonly from: string | null; readonly to: string | null },
): Promise<MoveDiff> => {
  if (from === null || to === null) return { text: '', complete: false }
  const diff = async (form: string): Promise<string> =>
    git(
      root,
      ['diff', form, '--no-color', '--no-renames', '--no-ext-diff', '--no-textconv', '--end-of-options', from, to],
      {
        environment: await withoutPrograms(root),
        limit: LIMIT,
      },
    )
  for (const [form, complete] of [
    ['--patch-with-stat', true],
    ['--stat', false],
  ] as const) {
    try {
      return { text: await diff(form), complete }
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }
  return { text: '', complete: false }
}
