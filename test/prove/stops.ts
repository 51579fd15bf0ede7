import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../../src/domain/agent/actor.ts'
import type { World } from '../../src/effects/world.ts'
import { approveIntegration } from '../../src/operations/integration/decisions.ts'
import { createWorktree } from '../../src/operations/worktrees/create.ts'
import { discardWorktree } from '../../src/operations/worktrees/discard.ts'
import { getWorktreeStatus } from '../../src/operations/worktrees/status.ts'
import type { Wish } from '../../src/contracts/outside.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { requestIntegration } from '../../src/operations/integration/request.ts'
import { restoreWorktree } from '../../src/operations/worktrees/restore.ts'
import type { Proof } from './proof.ts'
import { randomFrom } from './random.ts'
import { sideBySide } from './side-by-side.ts'
import { openAlone } from './world.ts'
import { connectionOf } from '../support/store.ts'

/** Concurrent tries: a supervisor that has lost its role waits for it more than it computes. */
const LANES = 4

/**
 * A process is stopped before one of its steps, its roles expire as after a minute, another process does the work, a
 * person works in the result, and the first process resumes. After any step, the person's file stays.
 */
export const stops: Proof = {
  name: 'stops',
  shows:
    'A supervisor, an integrator or a command that is stopped before any of its steps and continues when another process has finished loses no file.',
  run: async (share) => {
    const cases = jobs.flatMap((job) => (['command', 'supervisor'] as const).map((as) => ({ job, as })))
    const counts = { stops: 0, 'finished by the other process': 0, 'ended before the stop': 0 }
    const violations: string[] = []
    const random = randomFrom(1)
    const steps = new Map<string, number>()
    await sideBySide([...Array(share.of(500)).keys()], LANES, async (at) => {
      const { job, as } = cases[at % cases.length]!
      const key = `${job.name} as ${as}`
      const stopAt = 1 + random(steps.get(key) ?? job.steps)
      if (process.env['ONLY'] && process.env['ONLY'] !== `${key} ${stopAt}`) return
      const seen = await tryOnce(job, as, stopAt).catch((error: unknown) => {
        if (process.env['PROVE_STACKS']) console.error(`${key}, stopped before step ${stopAt}:`, error)
        return {
          steps: undefined,
          finished: false,
          violations: [`it threw: ${error instanceof Error ? error.message : String(error)}`],
        }
      })
      if (seen.steps !== undefined) steps.set(key, seen.steps)
      counts.stops += seen.steps === undefined ? 1 : 0
      counts['ended before the stop'] += seen.steps === undefined ? 0 : 1
      counts['finished by the other process'] += seen.finished ? 1 : 0
      violations.push(...seen.violations.map((violation) => `${key}, stopped before step ${stopAt}: ${violation}`))
    })
    return { counts, violations }
  },
}

/** The operation in which a process is stopped, and the person's expectation afterwards. */
interface Job {
  readonly name: string
  readonly wish: Wish
  /** The approximate number of its steps. */
  readonly steps: number
  /** Prepares everything up to the point where only the wish is left. */
  readonly prepare: (site: Site) => Promise<void>
  /** The person's action once the other process has finished; returns what must be true at the end. */
  readonly goOn: (site: Site) => Promise<Expected>
}

interface Expected {
  /** Files that must exist, with their text. */
  readonly files: Readonly<Record<string, string>>
  /** The required state of the worktree `auth`. */
  readonly worktree: { readonly folder: string; readonly status: string } | null
}

interface Site {
  readonly root: string
  readonly world: World
  readonly git: (folder: string, ...args: readonly string[]) => string
  readonly carryOut: (wish: Wish) => Promise<void>
}

const worktreeOf = ({ root }: Site): string => resolve(root, '../auth')

const canary = (folder: string): Record<string, string> => {
  const path = join(folder, 'canary')
  writeFileSync(path, 'an hour of work')
  return { [path]: 'an hour of work' }
}

const build = async (site: Site): Promise<void> => {
  await perform(site.world.core, createWorktree, { name: 'auth', branchName: 'feature/auth' }, person)
  await site.carryOut({ kind: 'build_worktree', worktree: 'auth' })
}

const withCommit = async (site: Site): Promise<void> => {
  await build(site)
  writeFileSync(join(worktreeOf(site), 'feature'), 'a feature')
  site.git(worktreeOf(site), 'add', '--all')
  site.git(worktreeOf(site), 'commit', '--quiet', '--message', 'A feature')
  await perform(site.world.core, requestIntegration, { worktreeName: 'auth' }, person)
}

const jobs: readonly Job[] = [
  {
    name: 'building a worktree',
    wish: { kind: 'build_worktree', worktree: 'auth' },
    steps: 45,
    prepare: async ({ world }) =>
      void (await perform(world.core, createWorktree, { name: 'auth', branchName: 'feature/auth' }, person)),
    goOn: async (site) => ({ files: canary(worktreeOf(site)), worktree: { folder: 'ready', status: 'active' } }),
  },
  {
    name: 'removing a discarded worktree',
    wish: { kind: 'remove_worktree', worktree: 'auth' },
    steps: 60,
    prepare: async (site) => {
      await build(site)
      writeFileSync(join(worktreeOf(site), 'uncommitted'), 'u')
      await perform(site.world.core, discardWorktree, { worktreeName: 'auth', reason: 'r' }, person)
    },
    // The hardest case: a person restores it at once and works in it.
    goOn: async (site) => {
      await perform(site.world.core, restoreWorktree, { worktreeName: 'auth' }, person)
      await site.carryOut({ kind: 'restore_worktree', worktree: 'auth' })
      return {
        files: { ...canary(worktreeOf(site)), [join(worktreeOf(site), 'uncommitted')]: 'u' },
        worktree: { folder: 'ready', status: 'active' },
      }
    },
  },
  {
    name: 'restoring a worktree',
    wish: { kind: 'restore_worktree', worktree: 'auth' },
    steps: 60,
    prepare: async (site) => {
      await build(site)
      writeFileSync(join(worktreeOf(site), 'uncommitted'), 'u')
      await perform(site.world.core, discardWorktree, { worktreeName: 'auth', reason: 'r' }, person)
      await site.carryOut({ kind: 'remove_worktree', worktree: 'auth' })
      await perform(site.world.core, restoreWorktree, { worktreeName: 'auth' }, person)
    },
    goOn: async (site) => ({
      files: { ...canary(worktreeOf(site)), [join(worktreeOf(site), 'uncommitted')]: 'u' },
      worktree: { folder: 'ready', status: 'active' },
    }),
  },
  {
    name: 'preparing an integration',
    wish: { kind: 'prepare_integration', worktree: 'auth' },
    steps: 40,
    prepare: withCommit,
    goOn: async (site) => ({ files: canary(worktreeOf(site)), worktree: { folder: 'ready', status: 'active' } }),
  },
  {
    name: 'landing an integration',
    wish: { kind: 'land_integration', worktree: 'auth' },
    steps: 120,
    prepare: async (site) => {
      await withCommit(site)
      await site.carryOut({ kind: 'prepare_integration', worktree: 'auth' })
      const { integration } = (await perform(site.world.core, getWorktreeStatus, { worktreeName: 'auth' }, person))[0]!
      const { targetOid, branchOid, mergeOid, verification } = integration!
      const exactly = {
        targetOid: targetOid!,
        branchOid: branchOid!,
        mergeOid: mergeOid!,
        verificationId: verification?.id ?? null,
      }
      await perform(site.world.core, approveIntegration, { worktreeName: 'auth', ...exactly }, person)
    },
    goOn: async (site) => {
      const files = canary(site.root)
      site.git(site.root, 'commit', '--quiet', '--allow-empty', '--message', 'A later one')
      return { files: { ...files, [join(site.root, 'feature')]: 'a feature' }, worktree: null }
    },
  },
]

const tryOnce = async (job: Job, as: 'command' | 'supervisor', stopAt: number) => {
  const folder = realpathSync(mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'aiswarm-stops-')))
  const site = await openSite(folder)
  let stopped: ChildProcess | undefined
  try {
    await job.prepare(site)
    const { child, ended, said } = start(site.root, as, job.wish, stopAt)
    stopped = child
    const steps = await Promise.race([ended, untilStopped(child)])
    if (steps !== undefined && steps < 0)
      return { steps: undefined, finished: false, violations: [`it failed: ${said()}`] }
    // A process that is stopped in a transaction blocks all other writers until it resumes.
    const finished = letLeasesLapse(site) && (steps !== undefined || (await within(3000, site.carryOut(job.wish))))
    const expected = finished ? await job.goOn(site) : undefined
    child.kill('SIGCONT')
    const end = await ended
    const violations = end < 0 ? [`it failed when it went on: ${said()}`] : []
    await site.carryOut(job.wish)
    const atLast = expected ?? (await job.goOn(site))
    violations.push(...check(site, atLast), ...(await checkRow(site, atLast)))
    return { steps, finished: finished && steps === undefined, violations }
  } finally {
    stopped?.kill('SIGKILL')
    site.world.core.store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Simulates a minute: no lease of the stopped process is valid any more. */
const letLeasesLapse = ({ world }: Site): boolean => {
  try {
    connectionOf(world.core.store).exec('DELETE FROM leases')
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return false
    throw error
  }
}

const environment = {
  ...{
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  },
  // Each process strips the types of the same sources.
  NODE_COMPILE_CACHE: join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'aiswarm-prove-cache'),
  ...{
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
  },
}

const openSite = async (folder: string): Promise<Site> => {
  const root = join(folder, 'shop')
  const git = (at: string, ...args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd: at,
      encoding: 'utf8',
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd()
  mkdirSync(root)
  git(root, 'init', '--quiet', '--initial-branch=main')
  git(root, 'config', 'user.name', 'Ada')
  git(root, 'config', 'user.email', 'ada@example.com')
  writeFileSync(join(root, 'README.md'), 'a shop\n')
  writeFileSync(join(root, '.gitignore'), 'canary\n')
  mkdirSync(join(root, '.aiswarm'))
  // A supervisor that has lost its role asks for it again after a third of that time.
  writeFileSync(join(root, '.aiswarm', 'config.yaml'), 'lease: {ttl: 2000ms, heartbeat: 500ms}\n')
  git(root, 'add', '--all')
  git(root, 'commit', '--quiet', '--message', 'Begin')
  const { world, connection } = await openAlone(root)
  return { root, world, git, carryOut: (wish) => connection.outside.carryOut(wish) }
}

/** The stopped process; `ended` returns its steps, -1 if it had to be killed. */
const start = (
  root: string,
  as: string,
  wish: Wish,
  stopAt: number,
): { readonly child: ChildProcess; readonly ended: Promise<number>; readonly said: () => string } => {
  const args = [resolve(import.meta.dirname, '../fixtures/stopping.ts'), root, as, wish.kind, 'auth', String(stopAt)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = new Promise<number>((done) => {
    const limit = setTimeout(() => child.kill('SIGKILL'), 90_000)
    child.once('close', () => {
      clearTimeout(limit)
      done(Number(/steps (\d+)/.exec(said)?.[1] ?? -1))
    })
  })
  return { child, ended, said: () => said.replaceAll('\n', ' ').slice(0, 700) }
}

const untilStopped = async ({ pid }: ChildProcess): Promise<undefined> => {
  const state = (): string => {
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] ?? 'X'
    } catch {
      return 'X'
    }
  }
  while (state() !== 'T' && state() !== 'X') await sleep(5)
  return state() === 'T' ? undefined : new Promise(() => {})
}

/** True if the work was done within that time (ms); a stopped process may hold git's own lock, and then it is not done. */
const within = async (ms: number, work: Promise<void>): Promise<boolean> => {
  work.catch(() => {})
  return Promise.race([
    work.then(
      () => true,
      () => false,
    ),
    sleep(ms).then(() => false),
  ])
}

const check = (site: Site, { files }: Expected): readonly string[] => {
  const missing = Object.entries(files).filter(
    ([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text,
  )
  return missing.map(([path]) => `${path.slice(resolve(site.root, '..').length + 1)} is gone or changed`)
}

const checkRow = async (site: Site, expected: Expected): Promise<readonly string[]> => {
  const row = (await perform(site.world.core, getWorktreeStatus, { worktreeName: 'auth' }, person))[0]
  if (expected.worktree === null) {
    const merged = site.git(site.root, 'log', '--format=%s', 'main').split('\n')
    const wrong =
      row?.status === 'integrated' && merged.filter((subject) => subject.startsWith('Integrate')).length === 1
        ? []
        : [`the integration is ${row?.status}, main has ${merged.join(' / ')}`]
    return [
      ...wrong,
      ...(site.git(site.root, 'status', '--porcelain') === '' ? [] : ['the main checkout is not clean']),
    ]
  }
  if (row?.folder !== 'ready' || row.status !== 'active')
    return [`the worktree is ${row?.status} and its folder ${row?.folder}`]
  try {
    site.git(worktreeOf(site), 'rev-parse', 'HEAD')
    return site.git(worktreeOf(site), 'symbolic-ref', '--short', 'HEAD') === 'feature/auth'
      ? []
      : ['it is on another branch']
  } catch (error) {
    return [`git does not work there: ${(error as Error).message.split('\n')[1] ?? ''}`]
  }
}
