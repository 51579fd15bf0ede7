import { wipRef } from '../../domain/host/remote.ts'
import { someOf } from '../../domain/words/counts.ts'
import { hostOf } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { readWishes, WorktreeWork } from '../../operations/supervision/wishes.ts'
import { recordSnapshot } from '../../operations/hosts/locations.ts'
import { withSnapshot } from '../radar/snapshot.ts'
import { dropRef, putRef, type Remote } from '../remote/remote.ts'
import type { World } from '../world.ts'

// Uncommitted work of this host's worktrees on the remote, for the worktree that continues one elsewhere: only if a person
// allows it, never ignored files or files with secrets, and at most once a minute.

type WishesToSnapshot = Awaited<ReturnType<(typeof readWishes)['run']>>

/** The least time between two snapshots of a worktree (ms). */
const BETWEEN = 60_000

/** The snapshots of this host as a source of jobs. */
export const snapshotJobsOf = (world: World) => {
  const due = new Map<string, number>()
  const said = new Map<string, string>()
  return ({ remote: named, snapshots, worktrees }: WishesToSnapshot, now: number) => {
    const host = hostOf(world.core)
    if (named === null || host === null) return []
    const remote: Remote = { root: world.core.root, ...named }
    const own = worktrees.filter(({ folder }) => folder === 'ready')
    if (!snapshots) return own.flatMap((one) => (one.wipOid === null ? [] : [endJob(world, remote, host, one)]))
    return own.flatMap((worktree) => {
      const { name } = worktree
      if (now < (due.get(name) ?? -Infinity)) return []
      const run = async (): Promise<void> => {
        due.set(name, now + BETWEEN)
        const { remark } = await pushSnapshot(world, { remote, host }, worktree)
        if (remark !== null && said.get(name) !== remark)
          world.report(`The snapshot of ${name} is not whole: ${remark}.`)
        said.set(name, remark ?? '')
      }
      return [{ key: `wip ${name}`, run }]
    })
  }
}

const endJob = (world: World, remote: Remote, host: string, { name, wipOid }: WorktreeWork) => ({
  key: `wip ${name}`,
  run: async (): Promise<void> => {
    await dropRef(remote, wipRef(host, name), wipOid!)
    await perform(world.core, recordSnapshot, { worktree: name, oid: null }, world.actor)
  },
})

/** The result of a snapshot. */
export interface Taken {
  /** Its commit; null if nothing is uncommitted. */
  readonly oid: string | null
  /** The part that is missing in it; null if it has everything that git does not ignore. */
  readonly remark: string | null
}

/** Pushes the uncommitted work of a worktree, or deletes the last snapshot if there is none any more. */
export const pushSnapshot = (
  { core, actor }: World,
  { remote, host }: { readonly remote: Remote; readonly host: string },
  { name, branch, path, wipOid }: Pick<WorktreeWork, 'name' | 'branch' | 'path' | 'wipOid'>,
): Promise<Taken> =>
  withSnapshot(
    core.root,
    { name, branchName: branch, path },
    core.settings.integration.target,
    async ({ oid, objects, remark, leftOut, failed }) => {
      const named = (what: string, files: readonly string[]): readonly string[] =>
        files.length === 0 ? [] : [`it leaves out files ${what}: ${someOf(files, 5)}`]
      const why = [
        ...(remark === null ? [] : [remark]),
        ...named('with secrets', leftOut.secret),
        ...named('larger than 8 MB', leftOut.long),
      ]
      const taken = { oid: objects === null ? null : oid, remark: why.length === 0 ? null : why.join('; ') }
      // A folder that could not be read proves nothing.
      const isUnread = failed || (taken.oid === null && remark !== null)
      if (isUnread || taken.oid === wipOid) return taken
      if (taken.oid === null) await dropRef(remote, wipRef(host, name), wipOid!)
      else await putRef({ ...remote, objects: objects! }, { ref: wipRef(host, name), oid, expected: wipOid })
      await perform(core, recordSnapshot, { worktree: name, oid: taken.oid }, actor)
      return taken
    },
    { leaves: true },
  )
