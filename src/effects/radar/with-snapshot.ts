import { join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import { readHeads } from './heads.ts'
import { openScratch } from './scratch.ts'
import { type Snapshot, type SnapshotOptions, takeSnapshot } from './snapshot.ts'

/**
 * Takes a snapshot of everything in a worktree that git does not ignore, committed or not, and passes it to `read`, with
 * the commit that is checked out. Its objects are in a folder outside the repository, which is deleted afterwards. The same content has the same commit.
 */
export const withSnapshot = async <T>(
  root: string,
  { name, branchName: branch, path }: Pick<WorktreeView, 'name' | 'branchName' | 'path'>,
  target: string,
  read: (snapshot: Snapshot, head: string) => Promise<T>,
  options: SnapshotOptions = {},
): Promise<T> => {
  const tip = (await readHeads(root, [{ name, branch, path, pushed: null, target }])).worktrees.get(name)
  if (tip === undefined) throw new Refusal('not_found', `The branch ${branch} of ${name} is gone.`)
  const scratch = await openScratch(root)
  try {
    await scratch.refresh()
    return await read(
      await takeSnapshot(scratch, { name, branch, path }, tip, join(scratch.folder, 'present'), options),
      tip.oid,
    )
  } finally {
    scratch.close()
  }
}
