import { appendFileSync, existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { type Mount, mountsFor, type Places, type Purpose } from '../../domain/sandbox/policy.ts'
import type { Unconfined } from '../../domain/sandbox/unconfined.ts'
import type { SandboxMode, SandboxSettings } from '../../domain/settings/agent-settings.ts'
import { isWithin } from '../../domain/worktree/worktree.ts'
import type { Core } from '../../operations/perform/core.ts'
import { commonFolder, placeOf } from '../files/git-dir.ts'
import { runFolder } from '../files/paths.ts'
import { readRegular } from '../files/regular-file.ts'
import { branchRef } from '../git/commits.ts'
import { encloseGit } from '../git/git.ts'
import { importBranch, prepareGit, releaseGit } from '../worktree-git/branch.ts'
import {
  branchIn,
  isMade,
  mountedGit,
  type Opened,
  type WorktreeGit,
  worktreeGitAt,
  worktreeGitOf,
} from '../worktree-git/folder.ts'
import type { World } from '../world.ts'
import { filterFile, insideOf, type LimitsInside } from './bubblewrap.ts'
import { type Confiner, machine, type Machine } from './machine.ts'
import { forwarderPrograms, networkWords, proxyFolder } from './network.ts'
import { insideSeatbelt, UNTRIED } from './seatbelt.ts'

// How one program is confined on this machine, or why it is not: the words before its own, and the paths that it
// sees.

/** How one program is started: words before its own, or why it is not confined. */
export type Confinement =
  | { readonly words: readonly string[]; readonly mounts: readonly Mount[] }
  | { readonly words: readonly []; readonly off: string }

/**
 * The confinement of one start. `mode` is that of the configuration or of the persona. Refuses if it is required and
 * this machine cannot confine.
 */
export const confine = async (
  { core }: Pick<World, 'core'>,
  purpose: Purpose,
  inside: Inside & { readonly environment: Readonly<Record<string, string>> },
  mode: SandboxMode = core.settings.sandbox.mode,
  more: {
    readonly limits?: LimitsInside
    readonly network?: readonly string[] | null
    /** The branch on which it commits, where it has no copy of the refs. */
    readonly ref?: string | null
  } = {},
): Promise<Confinement> => {
  const found = await confinementOf(mode)
  if ('off' in found) return { words: [], off: found.off }
  const path = inside.environment['PATH'] ?? process.env['PATH'] ?? ''
  // Where no folder can be put over another, a program works in the repository's git.
  const own = 'bubblewrap' in found && purpose !== 'look' ? worktreeGitOf(core.root, inside.folder) : undefined
  const places = placesOf(core.root, core.settings.sandbox, path, inside, own && mountedGit(own))
  const mounts = mountsFor(purpose, places).filter(
    // A worktree's git of its own may be made later.
    ({ path: one, from, made }) => made === true || from !== undefined || existsSync(one),
  )
  const network = more.network ?? null
  if ('seatbelt' in found) {
    const near = runFolder(core.root)
    const refs = (more.ref ?? null) === null ? [] : ['', 'logs/'].map((at) => join(places.gitFolder, at + more.ref!))
    const start = { ...inside, folder: places.folder, near, listed: places.write, refs, sockets: inside.doors ?? [] }
    const reach = network === null ? 'open' : network.length === 0 ? 'none' : 'proxied'
    return { words: insideSeatbelt(found.seatbelt, mounts, { ...start, network: reach, words: network ?? [] }), mounts }
  }
  const filter = filterFile(runFolder(core.root))
  // The git of aiswarm is ended by a signal, as everywhere; a program of a run has its grace period.
  const how =
    purpose === 'git' || purpose === 'look' ? { ...found.bubblewrap, restoresSignals: false } : found.bubblewrap
  return {
    words: insideOf(how, filter, mounts, {
      ...inside,
      folder: places.folder,
      listed: places.write,
      ...(more.limits === undefined ? {} : { limits: more.limits }),
      network,
    }),
    mounts,
  }
}

/** The words that start aiswarm's git on the git of a worktree; undefined where that is the repository's own. */
export const openOwnGit = async (
  world: Pick<World, 'core'>,
  own: WorktreeGit | undefined,
  mode: SandboxMode = 'auto',
): Promise<Opened | undefined> => {
  if (own === undefined || !('bubblewrap' in (await confinementOf(mode)))) return undefined
  const start = { folder: own.worktree, programs: [], environment: {} }
  const { words } = await confine(world, 'git', start, mode, { network: [] })
  return { own, inside: words }
}

/** Makes the git of a worktree for a confined start there, or brings it to what the repository is now. */
export const prepareOwnGit = async (
  world: Pick<World, 'core'>,
  folder: string,
  mode: SandboxMode,
): Promise<Opened | undefined> => {
  const opened = await openOwnGit(world, worktreeGitOf(world.core.root, folder), mode)
  if (opened !== undefined) await prepareGit(opened)
  return opened
}

/** How long the words that start git in a worktree are believed (ms): a person may install a program meanwhile. */
const KNOWN = 10_000

/**
 * From now on aiswarm's git runs inside in each worktree in which something confined has run: on the repository's git
 * folder, as a person sees the worktree, and without writing there.
 */
export const encloseWorktrees = (world: Pick<World, 'core'>): void => {
  const { root } = world.core
  const known = new Map<string, { readonly at: number; readonly words: Promise<readonly string[]> }>()
  encloseGit(root, async (administration) => {
    const own = worktreeGitAt(root, administration)
    if (own === undefined || !isMade(own)) return undefined
    let found = known.get(administration)
    if (found === undefined || performance.now() - found.at > KNOWN) {
      const start = { folder: own.worktree, programs: [], environment: {} }
      const words = confine(world, 'look', start, 'auto', { network: [] }).then((confined) => confined.words)
      found = { at: performance.now(), words }
      known.set(administration, found)
    }
    const words = await found.words
    return words.length === 0 ? undefined : words
  })
}

/** Imports what is committed in a worktree now, before something is made of its branch. Says why that was not possible. */
export const importOwnGit = async (world: Pick<World, 'core' | 'report'>, branch: string): Promise<void> => {
  const { root } = world.core
  const common = commonFolder(root)
  const ref = branchRef(branch)
  const administration =
    common === undefined ? undefined : administrationsOf(common).find((one) => branchIn(one) === ref)
  const own = administration === undefined ? undefined : worktreeGitAt(root, administration)
  if (own === undefined || !isMade(own)) return
  const opened = await openOwnGit(world, own)
  const said = opened && (await importBranch(opened, ref, 'aiswarm: commits of a run'))
  if (said !== undefined) world.report(said)
}

const administrationsOf = (common: string): readonly string[] => {
  const records = join(common, 'worktrees')
  return existsSync(records) ? readdirSync(records).map((name) => join(records, name)) : []
}

/** Ends the git of a worktree's own before something unconfined starts there, which gets what was imported. */
export const releaseOwnGit = async (world: Pick<World, 'core' | 'report'>, folder: string): Promise<void> => {
  const own = worktreeGitOf(world.core.root, folder)
  if (own === undefined || !isMade(own)) return
  const opened = await openOwnGit(world, own)
  if (opened === undefined) return
  const left = await releaseGit(opened)
  if (left !== undefined) world.report(`${left.why}; the worktree's git stays in ${left.place} until you delete it.`)
}

/**
 * Runs a step of the configuration confined, with the network that the configuration gives to all. `use` gets the words
 * before its own, and why it is not confined, if so; what the proxy refuses is said in its log.
 */
export const confinedStep = async <T>(
  world: Pick<World, 'core' | 'self'>,
  purpose: Purpose,
  step: Pick<Inside, 'folder'> & { readonly environment: Readonly<Record<string, string>>; readonly log: string },
  use: (words: readonly string[], unconfined: string | null) => Promise<T>,
): Promise<T> => {
  const { core, self } = world
  await prepareOwnGit(world, step.folder, core.settings.sandbox.mode)
  const { network, hosts } = core.settings.sandbox
  const inside = { folder: step.folder, environment: step.environment, programs: [] }
  const proxied = network === 'allowlist' && !('off' in (await confinementOf(core.settings.sandbox.mode)))
  if (!proxied) {
    const given = networkWords(self, '', { network, hosts })
    const confined = await confine(world, purpose, inside, undefined, { network: given })
    return use(confined.words, 'off' in confined ? confined.off : null)
  }
  // Only where it is used: Node loads its HTTP for it.
  const { serveProxy } = await import('./proxy.ts')
  const { folder, end } = proxyFolder(core.root)
  const who = { root: core.root, who: purpose }
  const close = serveProxy(folder, hosts, who, (sentence) => appendFileSync(step.log, `${sentence}\n`))
  try {
    const given = networkWords(self, folder, { network, hosts })
    const visible = { ...inside, programs: forwarderPrograms(self), doors: [folder] }
    return await use((await confine(world, purpose, visible, undefined, { network: given })).words, null)
  } finally {
    close()
    end()
  }
}

/**
 * Whether programs are confined in this mode on this machine. Refuses if that is required and impossible. `chosen`: a
 * person switched it off.
 */
export const confinementOf = async (
  mode: SandboxMode,
  find: () => Promise<Machine> = machine,
): Promise<Confiner | { readonly off: string; readonly chosen: boolean }> => {
  if (mode === 'off') return { off: 'the configuration says sandbox: off', chosen: true }
  if (mode === 'auto' && process.env['AISWARM_SANDBOX'] === 'off')
    return { off: 'the environment variable AISWARM_SANDBOX says off', chosen: true }
  const found = await find()
  if ('seatbelt' in found && mode === 'auto') return { off: UNTRIED, chosen: false }
  if (!('why' in found)) return found
  if (mode === 'auto') return { off: found.why, chosen: false }
  throw new Refusal('sandbox_unavailable', `The sandbox is required, but ${found.why}.`)
}

/** How often a machine that confines nothing is tried again (ms): a person may install what is missing. */
const AGAIN = 60_000

/** Why nothing is confined now, as far as it is known; null if programs are, or if that was not tried yet. */
export const makeStanding = (core: Pick<Core, 'settings'>): (() => Unconfined | null) => {
  const standing = makeTriedStanding(core)
  return () => standing() ?? null
}

/** The same; undefined if it was not tried yet. */
export const makeTriedStanding = ({ settings }: Pick<Core, 'settings'>): (() => Unconfined | null | undefined) => {
  let standing: Unconfined | null | undefined
  let askedAt = -Infinity
  return () => {
    if (performance.now() - askedAt >= AGAIN) {
      askedAt = performance.now()
      void standingOf(settings).then(
        (found) => (standing = found),
        () => {},
      )
    }
    return standing
  }
}

/** A persona that is confined nevertheless makes the sentence untrue. */
export const standingOf = async ({ sandbox, agents }: Core['settings']): Promise<Unconfined | null> => {
  if (sandbox.mode === 'off' && Object.values(agents.personas).some((one) => (one.sandbox ?? 'off') !== 'off'))
    return null
  if (sandbox.mode === 'required') {
    const found = await machine()
    return 'why' in found ? { why: found.why, chosen: false, refused: true } : null
  }
  const found = await confinementOf(sandbox.mode)
  return 'off' in found ? { why: found.off, chosen: found.chosen } : null
}

interface Inside {
  /** Absolute path of the working folder. */
  readonly folder: string
  /** Absolute paths that must be readable: the program, and aiswarm itself. */
  readonly programs: readonly string[]
  /** Absolute paths of the folders of its sockets. */
  readonly doors?: readonly string[]
  /** Absolute paths of the run's own files. */
  readonly run?: readonly string[]
  readonly state?: readonly string[]
  readonly stateSettings?: readonly string[]
}

/** The places of one start as they are on this machine now, without links. */
export const placesOf = (
  root: string,
  settings: SandboxSettings,
  path: string,
  { folder, programs, doors = [], run = [], state = [], stateSettings = [] }: Inside,
  git: Places['git'] = null,
): Places => {
  const gitFolder = commonFolder(root) ?? join(root, '.git')
  const gitDir = placeOf(folder)?.gitDir
  const administration = gitDir === undefined || realOf(gitDir) === gitFolder ? null : realOf(gitDir)
  const home = homeFolder()
  const temporary = unique(['/tmp', '/var/tmp', tmpdir()].filter((one) => existsSync(one)).map(realOf))
  const hidden = [...temporary, ...(home === null ? [] : [home])]
  return {
    folder: realOf(folder),
    root: realOf(root),
    gitFolder,
    administration,
    worktrees: linkedFolders(gitFolder).filter((one) => one !== realOf(folder)),
    othersHidden: settings.others === 'hide',
    home,
    temporary,
    sockets: unique(['/run', '/var/run'].filter((one) => existsSync(one)).map(realOf)),
    programs: [
      ...resolverFiles(),
      ...unique([
        ...path.split(delimiter).flatMap(programFolders),
        ...path.split(delimiter).flatMap(linkedPrograms),
        ...programs.flatMap(withTarget),
      ]).filter((one) => isAmong(one, hidden)),
    ],
    state,
    stateSettings,
    doors,
    run,
    git,
    write: settings.write.map((one) => expanded(one, home)),
    read: settings.read.map((one) => expanded(one, home)),
    hide: settings.hide.map((one) => expanded(one, home)),
  }
}

/** A folder that contains a hidden one would open that. */
const isAmong = (path: string, hidden: readonly string[]): boolean =>
  hidden.some((place) => isWithin(path, place)) && !hidden.some((place) => isWithin(place, path))

const homeFolder = (): string | null => {
  const home = homedir()
  return home.startsWith('/') && existsSync(home) && realOf(home) !== '/' ? realOf(home) : null
}

const expanded = (path: string, home: string | null): string =>
  realOf(path.replace(/^~(?=\/|$)/, home ?? '/nonexistent'))

/** Name resolution reads files that lie among the sockets; so do the programs of NixOS. */
const resolverFiles = (): readonly string[] => {
  const target = existsSync('/etc/resolv.conf') ? dirname(realOf('/etc/resolv.conf')) : '/etc'
  return [
    ...(target.startsWith('/run/') ? [target] : []),
    ...['/run/current-system', '/run/opengl-driver'].filter((one) => existsSync(one)),
  ]
}

/** A folder on PATH, and the libraries beside it. Never a folder of everything. */
const programFolders = (folder: string): readonly string[] =>
  !folder.startsWith('/') || !existsSync(folder) || folder.split('/').length < 4
    ? []
    : [realOf(folder), ...(basename(folder) === 'bin' ? beside(realOf(folder), ['lib', 'libexec', 'share']) : [])]

const beside = (folder: string, names: readonly string[]): readonly string[] =>
  // Beside ~/.local/bin lies everything that the person's programs keep.
  basename(dirname(folder)) === '.local'
    ? []
    : names.map((name) => join(dirname(folder), name)).filter((one) => existsSync(one))

/** Programs to which links in a folder on PATH lead. Only what can be executed: a link must not open a person's file. */
const linkedPrograms = (folder: string): readonly string[] => {
  if (!folder.startsWith('/')) return []
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink() && isProgram(join(folder, entry.name)))
      .flatMap(({ name }) => withTarget(join(folder, name)))
  } catch {
    return []
  }
}

const isProgram = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && (found.mode & 0o111) !== 0
}

/** A program, and the package or the folder in which it lies. */
const withTarget = (path: string): readonly string[] => {
  if (!existsSync(path)) return []
  const real = realOf(path)
  const packaged = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(real)?.[1]
  return packaged === undefined ? [real] : [packaged, dirname(packaged)]
}

/** The folders of all linked worktrees that git knows. */
const linkedFolders = (gitFolder: string): readonly string[] => {
  return administrationsOf(gitFolder).flatMap((administration) => {
    const dotGit = readRegular(join(administration, 'gitdir'))
    const folder = dotGit === undefined ? undefined : dirname(resolve(administration, dotGit.trim()))
    return folder !== undefined && existsSync(folder) ? [realOf(folder)] : []
  })
}

export const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

const unique = (paths: readonly string[]): readonly string[] => [...new Set(paths)]
