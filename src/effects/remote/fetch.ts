import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { nameOn, worktreeOfRef } from '../../domain/host/remote.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { refusalOfWords } from '../../domain/rules/system-error.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import { commitsOf } from '../git/commits.ts'
import { firstLineOf, git, type GitAnswer } from '../git/git.ts'
import { listed, onRemote, type Remote, type Run, unreachable } from './exchange.ts'

/**
 * Fetches refs of the remote into refs of the clone, and returns their commits. One that is not on the remote is left out,
 * and so is its ref here. Nothing is transferred for a ref that is here as it is there. A ref with commits that git refuses,
 * which any agent can write, keeps none of the others away: `refused` is called for it, or it is thrown at the end. So is
 * the reason of a transfer that failed otherwise, which says nothing about the commits: another try may succeed.
 */
export const fetchRefs = async (
  remote: Remote,
  wanted: ReadonlyMap<string, string>,
  refused: (ref: string, why: Refusal) => void = (_, why) => {
    throw why
  },
): Promise<ReadonlyMap<string, string>> => {
  const { found, bad, failed } = await fetchEach(remote, wanted)
  for (const [ref, why] of bad) refused(ref, why)
  if (failed) throw failed
  return found
}

/** The refs whose commits git refuses, and why the transfer of another one failed. */
interface Untransferred {
  readonly bad: ReadonlyMap<string, Refusal>
  readonly failed?: Refusal
}

const fetchEach = (
  remote: Remote,
  wanted: ReadonlyMap<string, string>,
): Promise<Untransferred & { readonly found: ReadonlyMap<string, string> }> =>
  onRemote(remote, true, async (run, folder) => {
    const there = await listed(run, remote, [...wanted.keys()])
    const present = [...wanted].filter(([ref]) => there.has(ref))
    const before = await commitsOf(
      remote.root,
      present.map(([, here]) => here),
    )
    const isHere = ([ref, here]: readonly [string, string]): boolean => before.get(here) === there.get(ref)
    const changed = present.filter((one) => !isHere(one))
    const found = new Map(present.filter(isHere).map(([ref]) => [ref, there.get(ref)!] as const))
    const updates: string[] = []
    let untransferred: Untransferred = { bad: new Map() }
    if (changed.length > 0) {
      untransferred = await transfer(
        run,
        remote,
        changed.map(([ref]) => ref),
      )
      const { stdout } = await run(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/got'])
      const got = new Map(stdout.split('\n').map((line) => line.split(' ') as [string, string]))
      changed.forEach(([ref, here], n) => {
        const oid = got.get(`refs/got/${n}`)
        if (oid === undefined) return
        found.set(ref, oid)
        updates.push(`update ${here} ${oid}\n`)
      })
      rmSync(join(folder, 'packed-refs'), { force: true })
    }
    for (const [ref, here] of wanted) if (!there.has(ref)) updates.push(`delete ${here}\n`)
    if (updates.length > 0) await git(remote.root, ['update-ref', '--stdin'], { input: updates.join('') })
    return { found, ...untransferred }
  })

/** Transfers refs as `refs/got/0` and so on. If that fails and the remote still answers, each ref is transferred alone. */
const transfer = async (run: Run, remote: Remote, refs: readonly string[]): Promise<Untransferred> => {
  const fetch = (ones: readonly string[]): Promise<GitAnswer> =>
    run(
      [
        ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--end-of-options'],
        remote.url,
        ...ones.map((ref) => `+${nameOn(remote.refs ?? 'own', ref)}:refs/got/${refs.indexOf(ref)}`),
      ],
      [1, 128],
    )
  const all = await fetch(refs)
  const bad = new Map<string, Refusal>()
  if (all.exitCode === 0) return { bad }
  // If it is away, this says so, and it is left alone for a while.
  await listed(run, remote, refs)
  let failed: Refusal | undefined
  for (const ref of refs) {
    const { exitCode, stderr } = refs.length === 1 ? all : await fetch([ref])
    if (exitCode === 0) continue
    if (VERDICT.test(stderr)) bad.set(ref, refusedCommits(remote, ref, stderr))
    else failed ??= refusalOfWords(stderr, 'git fetch') ?? unreachable(remote.url, firstLineOf(stderr))
  }
  return failed ? { bad, failed } : { bad }
}

/** The words with which git refuses what it was sent. A full disk or a broken connection ends a transfer too. */
const VERDICT = /\bfsck\b|^error: object [0-9a-f]{40,64}: /m

const refusedCommits = ({ url }: Remote, ref: string, said: string): Refusal => {
  const subject = worktreeOfRef(ref) === undefined ? ref : `worktree ${worktreeOfRef(ref)}`
  const lines = said.split('\n')
  const reason = firstLineOf(lines.find((line) => VERDICT.test(line)) ?? said)
  return new Refusal(
    'git_failed',
    `Git does not take the commits of ${subject} from the git remote ${url}: ${maskSecrets(reason, [])}. Only they are left out; they must be made again there.`,
  )
}
