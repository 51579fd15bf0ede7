import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { makeObjects, type Scratch } from './scratch.ts'

/** Two commits to be merged as a trial. */
export interface Merge {
  readonly ours: string
  readonly theirs: string
}

export type Merged =
  | { readonly clean: true; readonly tree: string }
  | { readonly clean: false; readonly files: readonly string[] }
  | { readonly problem: string }

/** The number of merges for one process, so that stopping need not wait for all of them. */
const BATCH = 150

/** More processes at once would take the CPU from the agents. */
const LANES = Math.min(2, availableParallelism())

/**
 * Merges each pair, in the given order; `alternates` are folders with the objects of uncommitted work. A pair that git
 * refuses to merge gets the reason; undefined marks those not reached when `stopped` returned true.
 */
export const mergeAll = async (
  scratch: Scratch,
  merges: readonly Merge[],
  alternates: readonly string[],
  stopped: () => boolean,
): Promise<readonly (Merged | undefined)[]> => {
  const results = Array.from<Merged | undefined>({ length: merges.length })
  let next = 0
  const lane = async (name: string): Promise<void> => {
    // Merging writes trees and files that no process reads: they are kept apart and deleted at once.
    const objects = makeObjects(join(scratch.folder, `merges-${name}`), [scratch.objects, ...alternates])
    try {
      while (next < merges.length && !stopped()) {
        const from = next
        next = Math.min(merges.length, from + BATCH)
        const batch = await mergeBatch(scratch, merges.slice(from, next), objects)
        batch.forEach((result, at) => (results[from + at] = result))
      }
    } finally {
      await rm(objects, { recursive: true, force: true })
    }
  }
  await Promise.all(Array.from({ length: LANES }, (_, at) => lane(String(at))))
  return results
}

/** Runs one process for all of them; if it ends at a pair, another starts after that pair. */
const mergeBatch = async (scratch: Scratch, merges: readonly Merge[], objects: string): Promise<readonly Merged[]> => {
  const results: Merged[] = []
  while (results.length < merges.length) {
    const rest = merges.slice(results.length)
    const input = rest.map(({ ours, theirs }) => `${ours} ${theirs}\n`).join('')
    const { exitCode, stdout, stderr } = await scratch.run(
      ['merge-tree', '--stdin', '--name-only', '--no-messages'],
      { GIT_OBJECT_DIRECTORY: objects },
      { input, answers: [1, 128, 129] },
    )
    // git 2.38 merges one pair per process.
    if (exitCode === 129) return Promise.all(merges.map((merge) => mergeOne(scratch, merge, objects)))
    const read = answersIn(stdout).slice(0, rest.length)
    results.push(...read)
    if (read.length < rest.length) results.push({ problem: problemIn(stderr) })
  }
  return results
}

const mergeOne = async (scratch: Scratch, { ours, theirs }: Merge, objects: string): Promise<Merged> => {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs]
  const { exitCode, stdout, stderr } = await scratch.run(args, { GIT_OBJECT_DIRECTORY: objects }, { answers: [1, 128] })
  const [tree = '', ...files] = stdout.split('\0').filter(Boolean)
  if (exitCode > 1) return { problem: problemIn(stderr) }
  return exitCode === 0 ? { clean: true, tree } : { clean: false, files: [...new Set(files)] }
}

/** `1` and the tree for a clean merge; `0`, a tree and names of files for a conflict; each ends with an empty field. */
const answersIn = (stdout: string): readonly Merged[] => {
  const fields = stdout.split('\0')
  const answers: Merged[] = []
  for (let at = 0; at + 2 < fields.length;) {
    const end = fields.indexOf('', at)
    if (end < 0) break
    const [state, tree = '', ...files] = fields.slice(at, end)
    answers.push(state === '1' ? { clean: true, tree } : { clean: false, files: [...new Set(files)] })
    at = end + 1
  }
  return answers
}

const problemIn = (stderr: string): string =>
  /refusing to merge unrelated histories/.test(stderr)
    ? 'they have no commit in common'
    : (stderr.trim().split('\n').at(-1) ?? '').replace(/^(fatal|error): /, '') || 'git printed no error'
