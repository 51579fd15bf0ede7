import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defaultSettings } from '../../src/domain/settings/settings.ts'
import { confine, prepareOwnGit } from '../../src/effects/sandbox/confinement.ts'
import type { World } from '../../src/effects/world.ts'
import { importBranch } from '../../src/effects/worktree-git/branch.ts'
import { type Opened, removeWorktreeGit, worktreeGitOf } from '../../src/effects/worktree-git/folder.ts'
import { scratch } from '../bench-core.ts'
import { median, ms, type Row } from '../row.ts'

const FILES = 20_000
const REFS = 60_000
const ROUNDS = 9
const BRANCH = 'refs/heads/feature/auth'

/**
 * The git of a worktree's own: making it for a start in a repository of many files and of many refs, against one of
 * neither; and the import of a commit, against the two commands of git by hand that move its objects.
 */
export const worktreeGitCost = async (): Promise<Row> => {
  const small = makeRepository(10)
  const files = makeRepository(FILES)
  const refs = makeRepository(10)
  writeRefs(refs.root)
  const made: Record<'small' | 'files' | 'refs', number[]> = { small: [], files: [], refs: [] }
  const imports: { readonly ours: number[]; readonly byHand: number[] } = { ours: [], byHand: [] }
  for (let round = 0; round <= ROUNDS; round++) {
    const taken = { small: await making(small), files: await making(files), refs: await making(refs) }
    const opened = (await prepareOwnGit(small.world, small.folder, 'required'))!
    const ours = await importing(small, opened, round)
    const byHand = packing(small)
    // The first round fills the caches, and reads the refs.
    if (round === 0) continue
    for (const what of ['small', 'files', 'refs'] as const) made[what].push(taken[what])
    imports.ours.push(ours)
    imports.byHand.push(byHand)
  }
  const ratio = (one: readonly number[], other: readonly number[]): number => median(one) / median(other)
  const [ofFiles, ofRefs] = [ratio(made.files, made.small), ratio(made.refs, made.small)]
  const ofImport = ratio(imports.ours, imports.byHand)
  return {
    what: "a worktree's git of its own",
    measured: [
      [
        'made',
        `${FILES} files ${ofFiles.toFixed(2)}×, ${REFS} refs ${ofRefs.toFixed(2)}× of ${ms(median(made.small))}`,
      ],
      ['import', `${ofImport.toFixed(2)}× of pack-objects | index-pack (${ms(median(imports.ours))})`],
    ],
    target: 'refs ≤ 1.5×, import ≤ 1.5×',
    kept: ofRefs <= 1.5 && ofImport <= 1.5,
  }
}

interface Made {
  readonly root: string
  readonly folder: string
  readonly world: Pick<World, 'core'>
}

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', [...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

const makeRepository = (files: number): Made => {
  const root = join(scratch(), 'bench')
  mkdirSync(root)
  git(root, 'init', '--initial-branch=main')
  git(root, 'config', 'user.name', 'bench')
  git(root, 'config', 'user.email', 'bench@localhost')
  for (let n = 0; n < files; n++) {
    const path = join(root, `src/${n % 200}/file-${n}.txt`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `file ${n}\n`)
  }
  git(root, 'add', '.')
  git(root, 'commit', '--message', 'Begin')
  const folder = join(dirname(root), 'auth')
  git(root, 'worktree', 'add', '-b', 'feature/auth', folder)
  return { root, folder, world: { core: { root, settings: defaultSettings } } as unknown as Pick<World, 'core'> }
}

/** Loose refs, as fetches of a large project leave them. */
const writeRefs = (root: string): void => {
  const oid = git(root, 'rev-parse', 'HEAD')
  mkdirSync(join(root, '.git/refs/remotes/origin'), { recursive: true })
  for (let n = 0; n < REFS; n++) writeFileSync(join(root, '.git/refs/remotes/origin', `branch-${n}`), `${oid}\n`)
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const making = async ({ root, folder, world }: Made): Promise<number> => {
  removeWorktreeGit(worktreeGitOf(root, folder)!)
  return timed(() => prepareOwnGit(world, folder, 'required'))
}

const importing = async ({ folder, world }: Made, opened: Opened, round: number): Promise<number> => {
  const { words } = await confine(world, 'command', { folder, programs: [], environment: {} }, 'required')
  const line = `echo ${round} > src/0/file-0.txt; git commit -qam ${round}`
  execFileSync(words[0]!, [...words.slice(1), '/bin/sh', '-c', line], { cwd: folder, stdio: 'ignore' })
  return timed(() => importBranch(opened, BRANCH, 'bench'))
}

/** The same commit, by the two commands alone. */
const packing = ({ root }: Made): number => {
  const quarantine = join(root, '.git/objects/by-hand')
  mkdirSync(join(quarantine, 'pack'), { recursive: true })
  const [tip, base] = [git(root, 'rev-parse', BRANCH), git(root, 'rev-parse', `${BRANCH}~1`)]
  const began = performance.now()
  execFileSync(
    '/bin/sh',
    [
      '-c',
      'printf "%s\\n^%s\\n" "$1" "$2" | git pack-objects --revs --thin --stdout -q | GIT_OBJECT_DIRECTORY="$3" GIT_ALTERNATE_OBJECT_DIRECTORIES="$4" git index-pack --stdin --fix-thin --strict',
      ...['sh', tip, base, quarantine, join(root, '.git/objects')],
    ],
    { cwd: root, stdio: 'ignore' },
  )
  const took = performance.now() - began
  rmSync(quarantine, { recursive: true, force: true })
  return took
}
