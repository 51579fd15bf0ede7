import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import type { Places } from '../../domain/sandbox/policy.ts'
import type { SandboxSettings } from '../../domain/settings/agent-settings.ts'
import { isWithin } from '../../domain/worktree/worktree.ts'
import { commonFolder, placeOf } from '../files/git-dir.ts'
import { readRegular } from '../files/regular-file.ts'

export interface Inside {
  /** Absolute path of the working folder. */
  readonly folder: string
  /** Absolute paths that must be readable: the program, and aiswarm itself. */
  readonly programs: readonly string[]
  /** Absolute paths of the run's own files. */
  readonly run?: readonly string[]
  /** Folders with copies of the repository's refs and of their logs. */
  readonly copies?: Places['copies']
  readonly state?: readonly string[]
  readonly stateSettings?: readonly string[]
}

/** The places of one start as they are on this machine now, without links. */
export const placesOf = (
  root: string,
  settings: SandboxSettings,
  path: string,
  { folder, programs, run = [], copies = null, state = [], stateSettings = [] }: Inside,
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
    run,
    copies: administration === null ? null : copies,
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
  const records = join(gitFolder, 'worktrees')
  if (!existsSync(records)) return []
  return readdirSync(records).flatMap((name) => {
    const dotGit = readRegular(join(records, name, 'gitdir'))
    const folder = dotGit === undefined ? undefined : dirname(resolve(records, name, dotGit.trim()))
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
