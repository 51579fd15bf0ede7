import { existsSync } from 'node:fs'
import type { Commits, CommitSummary, Review, ReviewFile } from '../../contracts/review.ts'
import {
  bareRepositories,
  changedScripts,
  type FileFacts,
  risksOf,
  type ScriptChange,
} from '../../domain/integration/file-risks.ts'
import { byRisk } from '../../domain/integration/risk.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { mixedNames } from '../../domain/words/mixed-scripts.ts'
import { hiddenPlaces } from '../../domain/words/safe-text.ts'
import { looksSecret, secretTraces } from '../../domain/words/secrets.ts'
import { type DiffIndex, indexDiff, kindOf } from '../../domain/words/unified-diff.ts'
import { readElsewhere } from '../../operations/hosts/locations.ts'
import { readClaims, readUnconfined } from '../../operations/integration/claims.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'
import { branchRef, commitFormat, commitIn, commitOf, commitsOf as commitsIn } from '../git/commits.ts'
import { gitIn, type ListedFile, listFiles, type ObjectStore, readBlobs, readDiff, readDiffs } from '../git/diff.ts'
import { askGit, git } from '../git/git.ts'
import { decodedName } from '../git/quoted-names.ts'
import { changedPaths } from '../git/working-tree.ts'
import { mapConcurrently } from '../map-concurrently.ts'
import { withSnapshot } from '../radar/snapshot.ts'
import { fetchForReview, type ReviewRefs } from '../remote/tips.ts'
import { touchedElsewhere } from '../worktrees/changes.ts'
import type { World } from '../world.ts'
import { historyOf } from './history.ts'

/** Everything that a person reads before approving an integration: of the merge itself, named by its commits. */
export const reviewOf = async (world: World, name: string): Promise<Review> => {
  const subject = await subjectOf(world, name)
  const { worktree, target } = subject
  const refs = await refsOf(world, subject)
  const [ends, changed] = await Promise.all([
    endsOf(world.core.root, worktree, { ...refs, name: target }),
    refs.isHere && existsSync(worktree.path) ? changedPaths(worktree.path) : [],
  ])
  const uncommitted = changed.map(({ path }) => path)
  return { ...(await readBetween(world, subject, ends, null, uncommitted)), isPresent: false, remark: null }
}

/** The difference of what a worktree holds now, committed or not, to the point where it forked from its target. */
export const presentOf = async (world: World, name: string): Promise<Review> => {
  const subject = await subjectOf(world, name)
  const { worktree, target } = subject
  const { root } = world.core
  return withSnapshot(root, worktree, target, async ({ oid, uncommitted, objects, remark }, head) => {
    const found = { name: target, commit: await commitOf(root, branchRef(target)) }
    const { fork, base } = await forkOf(root, worktree, found, head)
    const ends = { from: fork, to: oid, branch: head, base, candidate: null }
    const paths = [...uncommitted].map((bytes) => decodedName(Buffer.from(bytes, 'latin1')))
    return { ...(await readBetween(world, subject, ends, objects, paths)), isPresent: true, remark }
  })
}

/** The diff of a file that was too large to be read with the others. */
export const readFile = async (
  world: World,
  { worktree: name, from, to, isPresent }: Pick<Review, 'worktree' | 'from' | 'to' | 'isPresent'>,
  file: ReviewFile,
): Promise<DiffIndex> => {
  const { root } = world.core
  if (!isPresent) return readWhole({ root, borrowed: null }, from, to, file)
  const { worktree, target } = await subjectOf(world, name)
  return withSnapshot(root, worktree, target, ({ oid, objects }) => {
    if (oid !== to) throw new Refusal('invalid_state', `${name} has changed since its diff was read. Try again.`)
    return readWhole({ root, borrowed: objects }, from, to, file)
  })
}

const readWhole = async (store: ObjectStore, from: string, to: string, file: ReviewFile): Promise<DiffIndex> => {
  const index = indexDiff(await readDiff(store, from, to, file, false))
  return index.binary && (await isTextAfterAll(store, file))
    ? indexDiff(await readDiff(store, from, to, file, true))
    : index
}

interface Subject {
  readonly worktree: WorktreeView
  readonly others: readonly WorktreeView[]
  readonly target: string
}

const subjectOf = async ({ core, actor }: World, name: string): Promise<Subject> => {
  const worktrees = await perform(core, getWorktreeStatus, {}, actor)
  const worktree = worktrees.find((one) => one.name === name)
  if (!worktree) throw new Refusal('not_found', `There is no worktree ${name}; 'aiswarm worktree list' shows them.`)
  if (worktree.folder === 'gone') throw new Refusal('invalid_state', `Worktree ${name} is already ${worktree.status}.`)
  const target = worktree.integration?.target ?? core.settings.integration.target
  return { worktree, others: worktrees.filter((one) => one.name !== name), target }
}

/** `borrowed`: the folder with the objects of uncommitted work, if that is a part of the diff. */
const readBetween = async (
  { core, actor }: World,
  { worktree: { name }, others, target }: Subject,
  { from, to, branch, base, candidate }: Ends,
  borrowed: string | null,
  uncommitted: readonly string[],
): Promise<Omit<Review, 'isPresent' | 'remark'>> => {
  const store = { root: core.root, borrowed }
  const [files, commits, tasks, unconfined] = await Promise.all([
    filesOf(store, from, to, {
      elsewhere: touchedElsewhere(core.root, target, others),
      uncommitted: new Set(borrowed === null ? [] : uncommitted),
    }),
    commitsOf(core.root, base, branch),
    perform(core, readClaims, { worktreeName: name }, actor),
    perform(core, readUnconfined, { worktreeName: name }, actor),
  ])
  const history = await historyOf(store, { base, branch, commits: commits.length }, files)
  return { worktree: name, target, candidate, from, to, commits, files, history, uncommitted, tasks, unconfined }
}

interface Ends {
  readonly from: string
  readonly to: string
  /** The branch that is merged, and its target. */
  readonly branch: string
  readonly base: string
  readonly candidate: Commits | null
}

interface Refs extends ReviewRefs {
  /** The other host where the worktree lies. */
  readonly host: string | undefined
}

/** The refs that are compared, after it was fetched where the worktree or the target is on another host. */
const refsOf = async (world: World, { worktree, target }: Subject): Promise<Refs> => {
  const { core, actor } = world
  const { name, branchName: branch, integration } = worktree
  const away = core.host === undefined ? {} : (await perform(core, readElsewhere, { worktree: name }, actor)).worktrees
  const host = away[name]
  return { ...(await fetchForReview(world, { name, branch, target, isHere: host === undefined, integration })), host }
}

/** The recorded commits of the merge; without one the branch and its merge base with the target. */
const endsOf = async (
  root: string,
  { name, branchName, integration }: WorktreeView,
  refs: Pick<Refs, 'branch' | 'target' | 'host'> & { readonly name: string },
): Promise<Ends> => {
  const { targetOid, branchOid, mergeOid } = integration ?? {}
  // The merge of a rejected one is not kept after its worktree has been discarded.
  const isKept = async (oid: string) => integration?.status !== 'rejected' || (await commitOf(root, oid)) !== undefined
  if (targetOid && branchOid && mergeOid && (await isKept(mergeOid)))
    return {
      from: targetOid,
      to: mergeOid,
      branch: branchOid,
      base: targetOid,
      candidate: { targetOid, branchOid, mergeOid },
    }
  const found = await commitsIn(root, [refs.branch, refs.target])
  const [branch, commit] = [found.get(refs.branch), found.get(refs.target)]
  if (branch === undefined)
    throw new Refusal(
      'not_found',
      refs.host === undefined
        ? `The branch ${branchName} of ${name} is gone.`
        : `The branch of ${name} is on host ${refs.host}, which has not pushed it yet. Try again in a minute.`,
    )
  const { fork, base } = await forkOf(root, { name, branchName }, { name: refs.name, commit }, branch)
  return { from: fork, to: branch, branch, base, candidate: null }
}

/** The last common commit of a worktree's commit and its target's, which is refused where it is missing. */
const forkOf = async (
  root: string,
  { name, branchName }: Pick<WorktreeView, 'name' | 'branchName'>,
  { name: target, commit: base }: { readonly name: string; readonly commit: string | undefined },
  branch: string,
): Promise<{ readonly fork: string; readonly base: string }> => {
  if (base === undefined) throw new Refusal('not_found', `There is no branch ${target} to compare ${name} with.`)
  const { exitCode, stdout } = await askGit(root, ['merge-base', base, branch], { answers: [1] })
  if (exitCode === 1)
    throw new Refusal(
      'git_failed',
      `${branchName} and ${target} have no commit in common, so there is nothing to compare.`,
    )
  return { fork: stdout.trim(), base }
}

interface Circumstances {
  /** Paths that other worktrees change, with the names of those. */
  readonly elsewhere: Promise<ReadonlyMap<string, readonly string[]>>
  /** Paths of which the diff contains uncommitted work. */
  readonly uncommitted: ReadonlySet<string>
}

const filesOf = async (
  store: ObjectStore,
  from: string,
  to: string,
  { elsewhere, uncommitted }: Circumstances,
): Promise<readonly ReviewFile[]> => {
  const listed = await listFiles(store, from, to)
  const most = largest(listed)
  const diffs = await readDiffs(store, from, to, listed, most)
  const packages = await readBlobs(
    store,
    listed.filter(isPackage).flatMap(({ oldOid, newOid }) => [oldOid, newOid]),
  )
  const others = await elsewhere
  const bare = new Set(bareRepositories(listed.filter(({ newMode }) => newMode !== '000000').map(({ path }) => path)))
  const files = await mapConcurrently(listed, 4, async (file, n): Promise<ReviewFile> => {
    const read = indexDiff(diffs[n]!)
    const forced = read.binary && file.size <= most && (await isTextAfterAll(store, file))
    const index = forced ? indexDiff(await readDiff(store, from, to, file, true)) : read
    const content = !index.binary ? 'text' : file.size > most ? 'unread' : 'binary'
    const touching = [...new Set([file.path, file.from ?? file.path].flatMap((path) => others.get(path) ?? []))]
    const risks = risksOf(
      factsOf(file, index, {
        content,
        forced,
        scripts: scriptsOf(packages, file),
        elsewhere: touching,
        isBare: bare.has(file.path),
      }),
    )
    const lines = content === 'text' ? { added: index.added, removed: index.removed } : { added: null, removed: null }
    const isUncommitted = uncommitted.has(file.path) || uncommitted.has(file.from ?? file.path)
    return { ...file, ...lines, content, diff: content === 'unread' ? null : index, risks, isUncommitted }
  })
  return files.sort(byRisk)
}

/** Bytes of contents that are compared at once, and of the largest single file; larger ones are read on request. */
const AT_ONCE = 48 * 1024 * 1024
const SINGLE = 16 * 1024 * 1024

/** The file size up to which all contents together stay within the limit for one read. */
const largest = (files: readonly ListedFile[]): number => {
  let sum = 0
  let most = 0
  for (const { size } of [...files].sort((a, b) => a.size - b.size)) {
    sum += size
    if (size > SINGLE || sum > AT_ONCE) break
    most = size
  }
  return Math.max(1, most)
}

const commitsOf = async (root: string, base: string, branch: string): Promise<readonly CommitSummary[]> =>
  (await git(root, ['log', '-z', commitFormat, `${base}..${branch}`])).split('\0').filter(Boolean).map(commitIn)

// Finds facts in the lines of a changed file and, for some names, in both of its versions.

/** Facts from the file's name and its lines, combined with `rest`. */
const factsOf = (
  file: ListedFile,
  diff: DiffIndex | null,
  rest: Pick<FileFacts, 'content' | 'forced' | 'scripts' | 'elsewhere' | 'isBare'>,
): FileFacts => ({
  ...file,
  ...rest,
  secrets: diff ? secretLines(diff) : [],
  hidden: diff ? hiddenCharacters(diff) : 0,
  pointer: diff !== null && isPointer(diff),
  mixed: [
    ...mixedNames(file.path, FINDINGS).map(({ name, scripts }) => ({ line: null, name, scripts })),
    ...(diff && !diff.isPlain ? mixedLines(diff) : []),
  ],
  link: file.newMode === LINK && diff !== null ? linkIn(diff) : undefined,
})

const LINK = '120000'

/** The names in added lines whose letters are of several scripts. */
const mixedLines = (index: DiffIndex): FileFacts['mixed'] => {
  const { text, placeOf } = addedTo(index)
  return mixedNames(text, FINDINGS).map(({ name, at, scripts }) => ({
    line: index.numbers[lineAt(index, placeOf(at))]!,
    name,
    scripts,
  }))
}

/** The content of a link is where it points. */
const linkIn = (index: DiffIndex): string | undefined => addedTo(index).text.slice(1) || undefined

/**
 * The most findings reported for one file, and the number of characters around a trace of a secret that are searched.
 */
const FINDINGS = 20
const HIDDEN = 1000
const ROUND = 200

/** The numbers of added lines that look like a secret. */
const secretLines = (index: DiffIndex): readonly number[] => {
  const found = new Set<number>()
  const { text, placeOf } = addedTo(index)
  for (const trace of secretTraces(text)) {
    const place = placeOf(trace)
    const line = lineAt(index, place)
    if (found.has(index.numbers[line]!)) continue
    const [start, end] = [index.starts[line]! + 1, index.ends[line]!]
    if (looksSecret(index.text.slice(Math.max(start, place - ROUND), Math.min(end, place + 2 * ROUND))))
      found.add(index.numbers[line]!)
    if (found.size >= FINDINGS) break
  }
  return [...found]
}

/** The added lines alone, and where a position in them is in the diff: a search of all lines takes several times as long. */
const addedTo = (index: DiffIndex): { readonly text: string; readonly placeOf: (at: number) => number } => {
  const runs: string[] = []
  // Where each run begins among the added lines, and in the diff.
  const [offsets, places]: [number[], number[]] = [[], []]
  let length = 0
  for (let line = 0; line < index.count; line++) {
    if (kindOf(index, line) !== 'added') continue
    const start = index.starts[line]!
    while (line + 1 < index.count && kindOf(index, line + 1) === 'added') line++
    offsets.push(length)
    places.push(start)
    runs.push(index.text.slice(start, index.ends[line]))
    length += index.ends[line]! - start + 1
  }
  return {
    text: runs.join('\n'),
    placeOf: (at) => {
      const run = lastAtMost(offsets, at)
      return places[run]! + at - offsets[run]!
    },
  }
}

/** The number of the line that contains a position of the text; -1 before the first. */
const lineAt = ({ starts }: DiffIndex, place: number): number => lastAtMost(starts, place)

/** The place of the last of ascending numbers that is not above `most`; -1 if all are. */
const lastAtMost = (numbers: ArrayLike<number>, most: number): number => {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! <= most) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Counts characters in added lines that must be spelt out to be visible. */
const hiddenCharacters = (index: DiffIndex): number =>
  index.isPlain
    ? 0
    : hiddenPlaces(index.text, HIDDEN).filter((place) => {
        const line = lineAt(index, place)
        return line !== -1 && kindOf(index, line) === 'added'
      }).length

/** True for a pointer of Git LFS: three short lines, the first of which names it. */
const isPointer = ({ text }: DiffIndex): boolean =>
  /^[+ ]version https:\/\/git-lfs\.github\.com\/spec\//m.test(text.slice(0, 2000))

/** Largest package.json that is read (bytes). */
const PACKAGE = 1024 * 1024

const isNamedPackage = ({ path }: ListedFile): boolean => /(^|\/)package\.json$/i.test(path)

/** True for a package.json that is read. */
const isPackage = (file: ListedFile): boolean =>
  isNamedPackage(file) &&
  file.size <= PACKAGE &&
  ![file.oldMode, file.newMode].some((mode) => mode === '120000' || mode === '160000')

/** The scripts of a package.json that changed, none for any other file; undefined if it is not read. */
const scriptsOf = (contents: ReadonlyMap<string, string>, file: ListedFile): readonly ScriptChange[] | undefined => {
  if (!isNamedPackage(file)) return []
  if (!isPackage(file)) return undefined
  const [before, after] = [
    [file.oldMode, file.oldOid],
    [file.newMode, file.newOid],
  ].map(([mode, oid]) => (mode === '000000' ? null : contents.get(oid!)))
  return before === undefined || after === undefined ? undefined : changedScripts(before, after)
}

/** The largest content that is checked for being text (bytes). */
const PROBED = 1024 * 1024

/**
 * True if git treats the file as binary although most of it is readable: its attributes say so, or it contains a few
 * NULs.
 */
const isTextAfterAll = async (store: ObjectStore, file: ListedFile): Promise<boolean> => {
  if (file.size > PROBED) return false
  const content =
    (await contentIn(store, file.newMode, file.newOid)) ?? (await contentIn(store, file.oldMode, file.oldOid)) ?? ''
  const strange = content.match(unreadable)?.length ?? 0
  return content !== '' && strange <= content.length / 100
}

// Characters that text does not contain: control characters except tabs, line endings and escapes, and bytes that are
// not UTF-8.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const unreadable = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g

const contentIn = async (store: ObjectStore, mode: string, oid: string): Promise<string | null> =>
  mode === '000000' || mode === '160000' ? null : gitIn(store, ['cat-file', 'blob', oid])
