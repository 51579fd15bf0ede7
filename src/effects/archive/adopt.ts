import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { adoptArchive } from '../../operations/worktrees/archive.ts'
import { perform } from '../../operations/perform/perform.ts'
import { archiveRefs, readArchive } from './record.ts'
import { stampOf } from '../worktrees/trash.ts'
import { tarFolder, trashFolder } from '../files/paths.ts'
import type { World } from '../world.ts'

/**
 * Inserts the newest archive of a worktree into a database that does not know the worktree: `git clean -ffdx` in the
 * main checkout deletes the database, but no ref. Returns false if there is no such archive.
 */
export const adoptFromRefs = async ({ core, actor }: World, name: string): Promise<boolean> => {
  const ref = (await archiveRefs(core.root, name)).at(-1)
  if (ref === undefined) return false
  const { record } = await readArchive(core.root, ref)
  const trashPath = join(trashFolder(core.root), `${record.worktree}-${stampOf(record.endedAt)}`)
  const { adopted } = await perform(
    core,
    adoptArchive,
    {
      ended: record,
      archiveRef: ref,
      tar: record.tar === null ? null : join(tarFolder(core.root), record.tar.file),
      trashPath: existsSync(trashPath) ? trashPath : null,
    },
    actor,
  )
  return adopted
}
