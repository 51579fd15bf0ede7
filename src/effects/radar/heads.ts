import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { workRef } from '../../domain/host/remote.ts'
import { isRefusal } from '../../domain/rules/refusal.ts'
import type { Core } from '../../operations/perform/core.ts'
import type { RadarSubject } from '../../operations/worktrees/radar-subjects.ts'
import { stampsOf } from '../files/file-stamps.ts'
import { placeOf } from '../files/git-dir.ts'
import { readRegular } from '../files/regular-file.ts'
import { branchRef, commitsOf } from '../git/commits.ts'
import { git } from '../git/git.ts'
import { fetchRefs, remoteOf } from '../remote/tips.ts'
import type { World } from '../world.ts'

// The commits of worktrees and targets: read here, and fetched where another host has pushed them.

/** A commit and its tree. */
export interface Tip {
  readonly oid: string
  readonly tree: string
}

export interface Heads {
  /**
   * By worktree name: the commit that its folder has checked out, or its branch's if that cannot be read; for one of
   * another host, the pushed commit. Missing if it is not here.
   */
  readonly worktrees: ReadonlyMap<string, Tip>
  /** By branch name. */
  readonly targets: ReadonlyMap<string, Tip>
}

/**
 * A stamp that differs if a tip may have moved, from the files in which git keeps them: HEAD of each worktree, the
 * branch that it names, the packed refs, and the tables of a repository with the reftable format.
 */
export const headsPrint = (common: string, subjects: readonly RadarSubject[]): string => {
  const files = subjects.flatMap(({ name, branch, path, pushed, target }) => {
    if (pushed !== null) return [join(common, workRef(name)), join(common, branchRef(target))]
    const head = headFile(common, path)
    return [
      ...(head === undefined ? [] : [head, ...namedIn(common, head)]),
      join(common, branchRef(branch)),
      join(common, branchRef(target)),
    ]
  })
  return stampsOf([join(common, 'packed-refs'), join(common, 'reftable', 'tables.list'), ...new Set(files)])
}

/** Reads all tips with two processes, however many there are. */
export const readHeads = async (
  root: string,
  subjects: readonly Pick<RadarSubject, 'name' | 'branch' | 'path' | 'pushed' | 'target'>[],
): Promise<Heads> => {
  const checkedOut = headsOf(await git(root, ['worktree', 'list', '--porcelain', '-z']))
  const revisions = new Set<string>()
  const wanted = subjects.map(({ name, path, branch, pushed }) => ({
    name,
    head: pushed ?? checkedOut.get(realOf(path)),
    ref: pushed ?? branchRef(branch),
  }))
  for (const { head, ref } of wanted) revisions.add(head ?? ref).add(ref)
  for (const { target } of subjects) revisions.add(branchRef(target))
  const tips = await tipsOf(root, [...revisions])
  return {
    worktrees: new Map(
      wanted.flatMap(({ name, head, ref }) =>
        pairOf(name, (head === undefined ? undefined : tips.get(head)) ?? tips.get(ref)),
      ),
    ),
    targets: new Map(subjects.flatMap(({ target }) => pairOf(target, tips.get(branchRef(target))))),
  }
}

const pairOf = <V>(key: string, value: V | undefined): [string, V][] => (value === undefined ? [] : [[key, value]])

const headFile = (common: string, path: string): string | undefined => {
  try {
    const gitDir = placeOf(path)?.gitDir
    return gitDir !== undefined && dirname(dirname(gitDir)) === common ? join(gitDir, 'HEAD') : undefined
  } catch {
    // Its `.git` is misleading, which a snapshot of it reports.
    return undefined
  }
}

const namedIn = (common: string, head: string): readonly string[] => {
  const ref = /^ref: (refs\/.+)\n?$/.exec(readRegular(head) ?? '')?.[1]
  return ref === undefined || ref.includes('..') ? [] : [join(common, ref)]
}

/** The commit of each checkout; those without a first commit are left out. */
const headsOf = (listed: string): ReadonlyMap<string, string> =>
  new Map(
    listed.split('\0\0').flatMap((entry): [string, string][] => {
      const value = (key: string): string | undefined =>
        entry
          .split('\0')
          .find((line) => line.startsWith(`${key} `))
          ?.slice(key.length + 1)
      const [path, head] = [value('worktree'), value('HEAD')]
      return path === undefined || head === undefined || /^0+$/.test(head) ? [] : [[realOf(path), head]]
    }),
  )

const tipsOf = async (root: string, revisions: readonly string[]): Promise<ReadonlyMap<string, Tip>> => {
  const lines = revisions.flatMap((revision) => [`${revision}^{commit}`, `${revision}^{tree}`])
  const answers = (
    await git(root, ['cat-file', '--batch-check=%(objectname)'], { input: `${lines.join('\n')}\n` })
  ).split('\n')
  return new Map(
    revisions.flatMap((revision, at) => {
      const [oid = '', tree = ''] = answers.slice(2 * at, 2 * at + 2)
      return isOid(oid) && isOid(tree) ? ([[revision, { oid, tree }]] as const) : []
    }),
  )
}

const isOid = (text: string): boolean => /^[0-9a-f]{40,64}$/.test(text)

const realOf = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

/** From one fetch to the next (ms): a commit that the remote does not have may never come. */
const PAUSE = 10_000

/** The pushed commits that are in this clone, or that git refuses, and when it last fetched. */
const known = new WeakMap<Core, { readonly here: Set<string>; fetchedAt: number }>()

/**
 * Fetches what other hosts have pushed of their worktrees, so that the radar can compare it. If the remote does not
 * answer, the others are compared.
 */
export const fetchPushed = async (
  world: Pick<World, 'core' | 'actor' | 'report'>,
  subjects: readonly Pick<RadarSubject, 'name' | 'pushed'>[],
): Promise<void> => {
  const { core } = world
  const seen = known.get(core) ?? { here: new Set<string>(), fetchedAt: -Infinity }
  known.set(core, seen)
  const news = subjects.flatMap(({ name, pushed }) =>
    pushed === null || seen.here.has(pushed) ? [] : [{ name, pushed }],
  )
  if (news.length === 0) return
  const found = await commitsOf(
    core.root,
    news.map(({ pushed }) => pushed),
  )
  for (const oid of found.keys()) seen.here.add(oid)
  const missing = news.filter(({ pushed }) => !found.has(pushed))
  if (missing.length === 0 || performance.now() - seen.fetchedAt < PAUSE) return
  const remote = await remoteOf(world)
  if (remote === undefined) return
  seen.fetchedAt = performance.now()
  try {
    await fetchRefs(remote, new Map(missing.map(({ name }) => [workRef(name), workRef(name)])), (ref, why) => {
      seen.here.add(missing.find(({ name }) => workRef(name) === ref)!.pushed)
      world.report(why.message)
    })
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
}
