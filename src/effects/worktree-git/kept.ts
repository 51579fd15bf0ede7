import { Refusal } from '../../domain/rules/refusal.ts'
import { commitsOf } from '../git/commits.ts'
import { askGit, git } from '../git/git.ts'
import { administrationOf, branchIn, isMade, type Opened, type WorktreeGit } from './folder.ts'
import { importCommits } from './import.ts'

/** Where commits of a run lie that are on no branch of the repository. */
export const keptFolder = ({ id }: WorktreeGit): string => `refs/aiswarm/kept/${id}`

/** With more tips of its own a worktree's git is not removed. */
const MOST = 1000

/**
 * Brings everything that only the worktree's own git has into the repository, below `refs/aiswarm/kept`: other branches and
 * tags, a detached HEAD, stashes, operations in progress, and what is staged. Refuses if something cannot come out.
 */
export const keepTips = async (opened: Opened): Promise<void> => {
  const { own, inside } = opened
  if (!isMade(own)) return
  const tips = [...(await headsInside(opened)), ...(await staged(opened)), ...(await refsInside(opened))]
  const present = await commitsOf(own.root, [...new Set(tips.map(({ oid }) => oid))])
  const reachable = await reachableOutside(own, [...present.keys()])
  const wanted = tips.filter(({ oid }) => !reachable.has(oid))
  if (wanted.length === 0) return
  if (wanted.length > MOST)
    throw new Refusal(
      'import_refused',
      `it has ${wanted.length} branches, tags and stashes of its own, more than ${MOST}`,
    )
  const ref = branchIn(administrationOf(own))
  const known = ref === null ? [] : [...(await commitsOf(own.root, [ref])).values()]
  await importCommits(own, inside, [...new Set(wanted.map(({ oid }) => oid))], known)
  const folder = `${keptFolder(own)}/${stamp()}`
  await git(own.root, ['update-ref', '--no-deref', '--stdin'], {
    input: wanted.map(({ name, oid }) => `update ${folder}/${name} ${oid}\n`).join(''),
  })
}

/** Names are free in a folder of the time: a run may have a branch where an earlier one had a folder of branches. */
const stamp = (): string => new Date().toISOString().replace(/[:.]/g, '-')

/** How long git inside may say nothing (ms). */
const PATIENCE = 30_000

interface TipInside {
  /** Below `refs/aiswarm/kept/<worktree>`. */
  readonly name: string
  readonly oid: string
}

const refsInside = async ({ own, inside }: Opened): Promise<readonly TipInside[]> => {
  const format = '--format=%(objectname) %(refname)'
  const listed = await git(own.worktree, ['for-each-ref', format], { inside, timeout: PATIENCE })
  const entries = await askGit(own.worktree, ['log', '--walk-reflogs', '--format=%H', 'refs/stash', '--'], {
    inside,
    answers: [128],
    timeout: PATIENCE,
  })
  return [
    ...listed
      .split('\n')
      .filter(Boolean)
      .map((line) => ({ oid: line.slice(0, line.indexOf(' ')), name: line.slice(line.indexOf(' ') + 1) }))
      .filter(({ name }) => name.startsWith('refs/') && name !== 'refs/stash')
      .map(({ oid, name }) => ({ oid, name: name.slice('refs/'.length) })),
    ...entries.stdout
      .split('\n')
      .filter(Boolean)
      .map((oid, at) => ({ oid, name: `stash/${at}` })),
  ].filter(({ oid }) => OID.test(oid))
}

const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** Where HEAD is, and the other sides of what is in progress. */
const headsInside = async ({ own, inside }: Opened): Promise<readonly TipInside[]> => {
  const names = ['HEAD', 'ORIG_HEAD', 'MERGE_HEAD', 'REBASE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD']
  const { stdout } = await askGit(own.worktree, ['cat-file', '--batch-check=%(objecttype) %(objectname)'], {
    inside,
    input: names.map((name) => `${name}^{commit}\n`).join(''),
    answers: [128],
    timeout: PATIENCE,
  })
  return stdout.split('\n').flatMap((line, at) => {
    const oid = /^commit (\w+)$/.exec(line)?.[1]
    return oid === undefined || names[at] === undefined ? [] : [{ oid, name: `HEADS/${names[at]}` }]
  })
}

/** A commit of what is staged, if that differs from HEAD. An entry in conflict is left out: its sides are commits. */
const staged = async ({ own, inside }: Opened): Promise<readonly TipInside[]> => {
  const where = { inside, answers: [1, 128], timeout: PATIENCE }
  const same = await askGit(own.worktree, ['diff-index', '--cached', '--quiet', 'HEAD', '--'], where)
  if (same.exitCode !== 1) return []
  const tree = await askGit(own.worktree, ['write-tree'], where)
  if (tree.exitCode !== 0) return []
  const words = ['commit-tree', tree.stdout.trim(), '-p', 'HEAD', '-m', 'What was staged']
  const { exitCode, stdout } = await askGit(own.worktree, words, { ...where, environment: author })
  return exitCode === 0 && OID.test(stdout.trim()) ? [{ oid: stdout.trim(), name: 'HEADS/index' }] : []
}

const author = {
  GIT_AUTHOR_NAME: 'aiswarm',
  GIT_AUTHOR_EMAIL: 'aiswarm@localhost',
  GIT_COMMITTER_NAME: 'aiswarm',
  GIT_COMMITTER_EMAIL: 'aiswarm@localhost',
}

/** Those of these commits of the repository that a branch, a tag or an earlier kept ref reaches there. */
const reachableOutside = async (own: WorktreeGit, oids: readonly string[]): Promise<ReadonlySet<string>> => {
  const reached = new Set<string>()
  if (oids.length === 0) return reached
  const refs = ['--not', '--branches', '--tags', '--remotes', '--glob=refs/aiswarm']
  const loose = await git(own.root, ['rev-list', '--stdin', ...refs], { input: `${oids.join('\n')}\n` })
  const unreached = new Set(loose.split('\n').filter(Boolean))
  for (const oid of oids) if (!unreached.has(oid)) reached.add(oid)
  return reached
}
