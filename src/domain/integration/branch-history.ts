import { type FileFacts, risksOf } from './file-risks.ts'
import { byRisk, rank, type Risk, type RiskKind } from './risk.ts'

// The content of a branch's commits that its diff does not show: added and removed again, or changed back. All of it is
// pushed, fetched, checked out and run by CI, commit by commit.

/** A file as one commit left it. Modes and ids are git's. */
export interface CommitChange {
  readonly commit: string
  readonly path: string
  readonly oldMode: string
  readonly newMode: string
  readonly oldOid: string
  readonly newOid: string
}

/** A file as only commits in between have it. */
export interface PassingFile {
  readonly path: string
  /** Oldest first, at most ten. */
  readonly commits: readonly string[]
  /** Further commits. */
  readonly more: number
  readonly risks: readonly Risk[]
}

export interface BranchHistory {
  /** The gravest first. */
  readonly files: readonly PassingFile[]
  /** Sentences without their full stop about what was not read; empty if everything was. */
  readonly unread: readonly string[]
}

/** Kinds that count in a commit in between, and those that count there even though the diff has the file too. */
const passing: ReadonlySet<RiskKind> = new Set([
  ...(['secret', 'hidden', 'repository', 'hook', 'ci', 'instructions', 'editor'] as const),
  ...(['submodule', 'symlink', 'tests', 'build'] as const),
])
const grave: ReadonlySet<RiskKind> = new Set([
  'secret',
  'repository',
  'hook',
  'ci',
  'instructions',
  'editor',
  'submodule',
])

/**
 * The changes whose result is neither in the diff nor what the branch began with. `changes` are of all commits, oldest
 * first; `shown` are the files of the diff with the ids of their new contents.
 */
export const unshown = (
  changes: readonly CommitChange[],
  shown: ReadonlyMap<string, string>,
): readonly CommitChange[] => {
  const first = new Map<string, string>()
  for (const { path, oldOid } of changes) if (!first.has(path)) first.set(path, oldOid)
  return changes.filter(
    ({ path, newMode, newOid }) => newMode !== NONE && shown.get(path) !== newOid && first.get(path) !== newOid,
  )
}

/** The files that a person must know of. `secretsIn` has the lines of a change that look like a key or a password. */
export const passingFiles = (
  changes: readonly CommitChange[],
  shown: ReadonlyMap<string, string>,
  secretsIn: (change: CommitChange) => readonly number[],
): readonly PassingFile[] => {
  const files = new Map<string, { readonly commits: string[]; readonly risks: Map<string, Risk> }>()
  for (const change of unshown(changes, shown)) {
    const kinds = shown.has(change.path) ? grave : passing
    const risks = risksOf(factsOf(change, secretsIn(change))).filter(({ kind }) => kinds.has(kind))
    if (risks.length === 0) continue
    const file = files.get(change.path) ?? { commits: [] as string[], risks: new Map<string, Risk>() }
    files.set(change.path, file)
    file.commits.push(change.commit)
    for (const risk of risks) file.risks.set(`${risk.kind} ${risk.reason}`, risk)
  }
  return [...files]
    .map(([path, { commits, risks }]) => ({
      path,
      commits: commits.slice(0, COMMITS),
      more: Math.max(0, commits.length - COMMITS),
      risks: [...risks.values()].sort((a, b) => rank(a) - rank(b)),
    }))
    .sort(byRisk)
}

/** In which commits it is, for a person. */
export const passingWords = ({ commits, more }: PassingFile): string => {
  const named = commits.slice(0, NAMED).map((oid) => oid.slice(0, 8))
  const others = commits.length - named.length + more
  return `only in ${commits.length + more === 1 ? 'commit' : 'commits'} ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}, not in the diff`
}

const COMMITS = 10
const NAMED = 3
const NONE = '000000'

const factsOf = ({ path, oldMode, newMode }: CommitChange, secrets: readonly number[]): FileFacts => ({
  path,
  from: null,
  oldMode,
  newMode,
  content: 'text',
  forced: false,
  secrets,
  hidden: 0,
  pointer: false,
  scripts: [],
  mixed: [],
  link: undefined,
  isBare: false,
  elsewhere: [],
})
