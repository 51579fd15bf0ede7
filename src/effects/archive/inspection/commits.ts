import { git } from '../../git/git.ts'

/** Sorts object names into commits, trees, blobs and names that git does not have. */
export const sortObjects = async (
  root: string,
  names: readonly string[],
): Promise<{ commits: string[]; trees: string[]; blobs: string[]; missing: string[] }> => {
  const sorted = { commits: [] as string[], trees: [] as string[], blobs: [] as string[], missing: [] as string[] }
  if (names.length === 0) return sorted
  const out = await git(root, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    input: `${[...new Set(names)].join('\n')}\n`,
    timeout: 600_000,
  })
  for (const line of out.split('\n').filter(Boolean)) {
    const [oid = '', type] = line.split(' ')
    const group = { commit: sorted.commits, tree: sorted.trees, blob: sorted.blobs, missing: sorted.missing }[
      type ?? ''
    ]
    group?.push(oid)
  }
  return sorted
}

/**
 * The smallest subset of these commits that keeps all of them reachable, apart from those that `kept` already reaches.
 */
export const headsOf = async (
  root: string,
  commits: readonly string[],
  kept: readonly string[],
): Promise<readonly string[]> => {
  if (commits.length === 0) return []
  const out = await git(root, ['rev-list', '--parents', '--stdin'], {
    input: [...commits, ...kept.map((oid) => `^${oid}`), ''].join('\n'),
    timeout: 600_000,
  })
  const lines = out
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '))
  const parents = new Set(lines.flatMap(([, ...rest]) => rest))
  return lines.map(([oid]) => oid!).filter((oid) => !parents.has(oid))
}

export interface Stash {
  readonly oid: string
  readonly subject: string
}

/** Stashes made on one of these branches, or on these commits of a detached HEAD. */
export const stashesOf = async (
  root: string,
  branches: readonly string[],
  detachedAt: ReadonlySet<string>,
): Promise<readonly Stash[]> => {
  const out = await git(root, ['for-each-ref', '--format=%(objectname)', 'refs/stash'])
  if (out.trim() === '') return []
  const log = await git(root, [
    'log',
    '--walk-reflogs',
    '-z',
    '--format=%H%x09%P%x09%<(1000,trunc)%gs',
    'refs/stash',
    '--',
  ])
  return log
    .split('\0')
    .filter(Boolean)
    .map((line) => line.split('\t'))
    .filter(([, parents = '', subject = '']) => {
      const on = /^(?:WIP on|On|autostash on) (.+?): /.exec(`${subject} `)?.[1]
      return (
        on !== undefined && (branches.includes(on) || (on === '(no branch)' && detachedAt.has(parents.split(' ')[0]!)))
      )
    })
    .map(([oid = '', , subject = '']) => ({ oid, subject: subject.slice(0, 1000).trim() }))
}
