import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { approveIntegration, undoIntegration } from '../../src/operations/integration/decisions.ts'
import { requestIntegration } from '../../src/operations/integration/request.ts'
import type { Connection } from '../../src/operations/perform/core.ts'
import { act, perform } from '../../src/operations/perform/perform.ts'
import { createWorktree } from '../../src/operations/worktrees/create.ts'
import { discardWorktree } from '../../src/operations/worktrees/discard.ts'
import { restoreWorktree } from '../../src/operations/worktrees/restore.ts'
import { getWorktreeStatus } from '../../src/operations/worktrees/status.ts'
import { changesBetween, fingerprint, type Fingerprint } from '../matrix/fingerprint.ts'
import { git, personEnvironment, sh } from './git-as-person.ts'
import { type Proof, requirePrograms } from './proof.ts'
import { hookLog, type RealShape, realShapes, type Size } from './real-shapes.ts'
import { openAlone } from './world.ts'

/** Commits and files of a real public repository of medium size. */
const full = { commits: 1500, files: 1500 }

export const repositories: Proof = {
  name: 'repositories',
  shows:
    'Repositories of real shape (hooks of husky, submodules, large files by pointer, paths of 400 characters, SHA-256) through discard, restore, integrate and undo: the trees, files and index are those that plain git makes.',
  run: async (share) => {
    requirePrograms('git', 'git-lfs', 'iconv', 'sha256sum')
    // Neither the person's configuration nor that of the machine is used.
    Object.assign(process.env, { HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' })
    const counts = { repositories: 0, commits: 0, 'compared files': 0 }
    const violations: string[] = []
    for (const shape of realShapes()) {
      const place = realpathSync(mkdtempSync(join(tmpdir(), 'aiswarm-prove-')))
      try {
        const found = await takeThrough(place, shape, { commits: share.of(full.commits), files: share.of(full.files) })
        counts.repositories++
        counts.commits += found.commits
        counts['compared files'] += found.files
        violations.push(...found.violations.map((violation) => `${shape.name}: ${violation}`))
      } finally {
        rmSync(place, { recursive: true, force: true })
      }
    }
    return { counts, violations }
  },
}

interface Passed {
  readonly commits: number
  /** The number of files of the main checkout that were compared with those of a clone. */
  readonly files: number
  readonly violations: readonly string[]
}

/**
 * Takes one repository through creating, discarding, restoring, integrating and undoing, and compares each step with
 * plain git on the same commits.
 */
export const takeThrough = async (place: string, shape: RealShape, size: Size): Promise<Passed> => {
  shape.make(place, size)
  const root = join(place, 'shop')
  shape.own(root)
  const { world, connection } = await openAlone(root)
  try {
    const pass = new Pass(place, shape, connection)
    await pass.run()
    return {
      commits: Number(git(root, 'rev-list', '--count', '--all')),
      files: pass.files,
      violations: pass.violations,
    }
  } finally {
    world.core.store.close()
  }
}

class Pass {
  readonly violations: string[] = []
  files = 0
  readonly #place: string
  readonly #root: string
  readonly #worktree: string
  readonly #shape: RealShape
  readonly #connection: Connection

  constructor(place: string, shape: RealShape, connection: Connection) {
    this.#place = place
    this.#root = join(place, 'shop')
    this.#worktree = join(place, 'auth')
    this.#shape = shape
    this.#connection = connection
  }

  async run(): Promise<void> {
    await this.#create()
    await this.#discardAndRestore()
    const merge = await this.#integrate()
    await this.#undo(merge)
    const said = this.#fsck()
    if (said !== '') this.violations.push(`git fsck says: ${said}`)
  }

  async #create(): Promise<void> {
    const before = fingerprint(this.#root, ours)
    await this.#quietly('create', () =>
      act(this.#connection, createWorktree, { name: 'auth', branchName: 'feature/auth' }),
    )
    this.#same('creating a worktree changed the main checkout', before, fingerprint(this.#root, ours))
    this.#same('a new worktree differs from a clone', contentOf(this.#clone('main')), contentOf(this.#worktree))
    this.#shape.work(this.#worktree)
  }

  async #discardAndRestore(): Promise<void> {
    this.#shape.unfinished(this.#worktree)
    const main = fingerprint(this.#root)
    const before = fingerprint(this.#worktree)
    await this.#quietly('discard', () =>
      act(this.#connection, discardWorktree, { worktreeName: 'auth', reason: 'not needed' }),
    )
    if (existsSync(this.#worktree)) this.violations.push('a discarded worktree still stands')
    await this.#quietly('restore', () => act(this.#connection, restoreWorktree, { worktreeName: 'auth' }))
    this.#same('a restored worktree is not as it was', before, fingerprint(this.#worktree))
    this.#same('discard and restore changed the main checkout', main, fingerprint(this.#root))
    git(this.#worktree, 'reset', '--hard', '--quiet')
    git(this.#worktree, 'clean', '-ffdxq')
  }

  async #integrate(): Promise<string> {
    rmSync(hookLog(this.#root), { force: true })
    this.#shape.meanwhile(this.#root)
    if (this.#shape.hooks && !existsSync(hookLog(this.#root)))
      this.violations.push('the hooks do not even run for a person, so this shows nothing')
    const own = this.#ownChanges()
    const plain = this.#clone('main')
    git(plain, 'fetch', '--quiet', 'origin', 'feature/auth')
    git(plain, 'merge', '--quiet', '--no-ff', '--no-edit', 'FETCH_HEAD')
    const merge = await this.#land('auth')
    for (const part of ['^{tree}', '^1', '^2']) {
      if (git(this.#root, 'rev-parse', `${merge}${part}`) !== git(plain, 'rev-parse', `HEAD${part}`))
        this.violations.push(`the part ${part} of the merge is not that of git merge`)
    }
    this.#same('integrating left other files than git merge', own, this.#ownChanges())
    return merge
  }

  /** It comes after a later commit, so that the revert is a merge of its own. */
  async #undo(merge: string): Promise<void> {
    commitAlone(this.#root, 'later.txt')
    const own = this.#ownChanges()
    const plain = this.#clone('main')
    git(plain, 'revert', '--no-edit', '-m', '1', merge)
    await this.#quietly('undo', () => act(this.#connection, undoIntegration, {}))
    await this.#land('undo-auth')
    if (git(this.#root, 'rev-parse', 'main^{tree}') !== git(plain, 'rev-parse', 'HEAD^{tree}'))
      this.violations.push('an undo is not what git revert makes')
    const left = git(this.#root, 'diff-tree', '-r', '--name-only', `${merge}^1`, 'main')
    if (left !== 'later.txt') this.violations.push(`after the undo these differ from before: ${left}`)
    this.#same('undoing left other files than git revert', own, this.#ownChanges())
  }

  /** Requests and approves exactly what is shown; returns the merge commit. */
  async #land(worktreeName: string): Promise<string> {
    await this.#quietly(`request of ${worktreeName}`, () => act(this.#connection, requestIntegration, { worktreeName }))
    const { integration } = (
      await perform(this.#connection.core, getWorktreeStatus, { worktreeName }, this.#connection.actor)
    )[0]!
    if (integration?.status !== 'ready')
      throw new Error(
        `the integration of ${worktreeName} is ${integration?.status}: ${integration?.problem ?? integration?.conflicts.join(', ')}`,
      )
    const { targetOid, branchOid, mergeOid, verification } = integration
    const exactly = {
      targetOid: targetOid!,
      branchOid: branchOid!,
      mergeOid: mergeOid!,
      verificationId: verification?.id ?? null,
    }
    await this.#quietly(`approval of ${worktreeName}`, () =>
      act(this.#connection, approveIntegration, { worktreeName, ...exactly }),
    )
    if (git(this.#root, 'rev-parse', 'main') !== mergeOid)
      this.violations.push(`main is not at the approved merge of ${worktreeName}`)
    if (existsSync(join(this.#place, worktreeName))) this.violations.push(`the folder of ${worktreeName} still stands`)
    return mergeOid!
  }

  /**
   * The differences between the main checkout and a fresh clone: the person's files there. Everything else must be as
   * git itself checks it out.
   */
  #ownChanges(): Fingerprint {
    const clone = contentOf(this.#clone('main'))
    const main = contentOf(this.#root)
    this.files += [...clone.keys()].filter((key) => key.startsWith('file ')).length
    return new Map(changesBetween(clone, main).map((key) => [key, main.get(key) ?? 'missing']))
  }

  #clone(branch: string): string {
    const folder = join(this.#place, 'clone')
    rmSync(folder, { recursive: true, force: true })
    const config = ['user.name=Ada', 'user.email=ada@example.com', ...this.#shape.cloneConfig(this.#place)].flatMap(
      (setting) => ['--config', setting],
    )
    git(this.#place, 'clone', '--quiet', '--branch', branch, ...config, this.#root, folder)
    return folder
  }

  /** Runs it; no hook of the repository may run meanwhile. */
  async #quietly<Done>(what: string, run: () => Promise<Done>): Promise<Done> {
    rmSync(hookLog(this.#root), { force: true })
    const done = await run()
    if (existsSync(hookLog(this.#root))) this.violations.push(`${what} ran a hook of the repository`)
    return done
  }

  #same(otherwise: string, before: Fingerprint, after: Fingerprint): void {
    const changes = changesBetween(before, after)
    if (changes.length > 0)
      this.violations.push(
        `${otherwise}: ${changes.slice(0, 5).join('; ')}${changes.length > 5 ? ` and ${changes.length - 5} more` : ''}`,
      )
  }

  #fsck(): string {
    try {
      return execFileSync('git', ['fsck', '--full', '--no-dangling', '--no-progress'], {
        cwd: this.#root,
        encoding: 'utf8',
        env: personEnvironment,
        stdio: 'pipe',
      }).trim()
    } catch (error) {
      return String((error as { stderr?: string }).stderr)
    }
  }
}

/** Branches that aiswarm itself creates. */
const ours = ['feature/auth', 'aiswarm/undo-auth']

/** Only files and index, because a clone has other refs and another configuration. */
const contentOf = (folder: string): Fingerprint =>
  new Map([...fingerprint(folder)].filter(([key]) => /^(?:file|index) /.test(key) && key !== 'file .git'))

const commitAlone = (root: string, path: string): void => {
  sh(root, `echo later > ${path}; git add ${path}; git commit -qm Later -- ${path}`)
}
