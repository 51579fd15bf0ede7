import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { AgentKind, Launch } from '../../agents/kind/kind.ts'
import { configuredServers } from '../../agents/kind/other-servers.ts'
import { knownClis } from '../../agents/kinds.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import type { Mount } from '../../domain/sandbox/policy.ts'
import { doesNotStart, startsUnconfined } from '../../domain/sandbox/unconfined.ts'
import type { McpServer, SandboxMode } from '../../domain/settings/agent-settings.ts'
import { kindFor, limitsFor } from '../../domain/settings/persona-settings.ts'
import { COMMAND_KIND } from '../../domain/task/startable.ts'
import { isWithin } from '../../domain/worktree/worktree.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { runPath } from '../files/paths.ts'
import { readRegular } from '../files/regular-file.ts'
import { which } from '../processes/programs.ts'
import type { World } from '../world.ts'
import { importBranch } from '../worktree-git/branch.ts'
import { administrationOf, branchIn, isMade, worktreeGitOf } from '../worktree-git/folder.ts'
import { confine, type Confinement, confinementOf, prepareOwnGit, realOf, releaseOwnGit } from './confinement.ts'
import { HOST, type ImportedGit, type Start, withHost } from './entry.ts'
import { limitsInside, limitsOfRun } from './limits.ts'
import { networkOfAgent, networkWords } from './network.ts'

// The sandbox of a run: what its CLI needs inside, and what is taken over from there.

type Subject = Pick<AgentRun, 'personaId' | 'kind'> & Partial<Pick<AgentRun, 'worktree' | 'folder'>>

/** Whether the program of a run can be confined, or why it is not. Refuses if that is required and impossible. */
export const runCanBeConfined = async (world: World, run: Subject): ReturnType<typeof confinementOf> => {
  const mode = modeOf(world, run.personaId)
  const why = world.kinds.get(run.kind)?.unconfined
  if (mode === 'auto' && why !== undefined) return { off: why, chosen: false }
  const found = await confinementOf(mode)
  const open = 'off' in found || run.worktree !== null ? undefined : whyHomeIsOpen(run.folder ?? world.core.root)
  if (open === undefined) return found
  if (mode === 'auto') return { off: open, chosen: false }
  throw new Refusal('sandbox_unavailable', `The sandbox is required, but ${open}; start the agent in a worktree.`)
}

/** Its working folder is writable inside: if the home folder is in it, nothing of that would be hidden. */
const whyHomeIsOpen = (folder: string): string | undefined =>
  isWithin(realOf(homedir()), realOf(folder)) ? `the home folder is in its working folder ${folder}` : undefined

/** Says that an agent which a person would start now would not be confined, and why; null if it would, or without a kind. */
export const whyUnconfined = async (
  world: World,
  { personaId, kind }: { readonly personaId: string; readonly kind: string | null },
): Promise<string | null> => {
  const configured = kind ?? kindFor(world.core.settings, personaId)
  if (configured === null) return null
  try {
    const found = await runCanBeConfined(world, { personaId, kind: configured })
    return 'off' in found ? startsUnconfined(found.off) : null
  } catch (error) {
    if (isRefusal(error)) return doesNotStart(error.message)
    throw error
  }
}

/** As `runCanBeConfined`, by the configuration alone, on a machine that can confine; undefined if it is confined. */
export const whyChosenUnconfined =
  (core: Pick<World['core'], 'settings'>, kinds: World['kinds']) =>
  ({ personaId, kind }: Pick<AgentRun, 'personaId' | 'kind'>): string | undefined => {
    const mode = modeOf({ core }, personaId)
    if (mode === 'off') return 'the configuration says sandbox: off'
    return mode === 'auto' ? kinds.get(kind)?.unconfined : undefined
  }

/** By the persona first. */
const modeOf = ({ core }: { readonly core: Pick<World['core'], 'settings'> }, personaId: string): SandboxMode =>
  (Object.hasOwn(core.settings.agents.personas, personaId)
    ? core.settings.agents.personas[personaId]!.sandbox
    : undefined) ?? core.settings.sandbox.mode

interface Program extends Pick<Launch, 'files' | 'environment' | 'home'> {
  readonly cwd: string
  /** Absolute path. */
  readonly program: string
}

/** How the program of a run would be confined, and by which mounts. Creates nothing. */
export const confinementOfRun = async (world: World, run: AgentRun, program: Program): Promise<Confinement> => {
  const { core, self, kinds } = world
  const possible = await runCanBeConfined(world, run)
  if ('off' in possible) return { words: [], off: possible.off }
  const inside = runPath(core.root, run.agentId, run.run, 'inside')
  const { state, stateSettings } = stateOf(kinds.get(run.kind), program)
  const main = self.at(-1)!
  return confine(
    world,
    run.kind === COMMAND_KIND ? 'command' : 'agent',
    {
      folder: program.cwd,
      programs: [program.program, ...self, dirname(dirname(main))],
      doors: [runPath(core.root, run.agentId, run.run, 'door')],
      run: [inside, ...ownFiles(program).filter((path) => !path.startsWith(`${inside}/`))],
      state,
      stateSettings,
      environment: program.environment,
    },
    modeOf(world, run.personaId),
    {
      limits: limitsInside(limitsFor(core.settings, run.personaId)),
      network: networkWords(self, runPath(core.root, run.agentId, run.run, 'door'), networkOfAgent(world, run)),
      ref: run.worktree === null ? null : branchOutside(core.root, program.cwd),
    },
  )
}

/** The words before the program of a run, which confine it and limit what it uses; none if it may do both freely. */
export const wordsInside = async (world: World, run: AgentRun, program: Program): Promise<readonly string[]> => {
  const { core, self, kinds } = world
  const limited = await limitsOfRun(world, run, program)
  const possible = await runCanBeConfined(world, run)
  if ('off' in possible) {
    if (run.worktree !== null) await releaseOwnGit(world, program.cwd)
    return limited.words
  }
  const inside = runPath(core.root, run.agentId, run.run, 'inside')
  const { folders, needs } = stateOf(kinds.get(run.kind), program)
  const door = runPath(core.root, run.agentId, run.run, 'door')
  for (const folder of [inside, door, ...folders]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const [path, text] of needs) if (!existsSync(path)) writeFileSync(path, text)
  const git = run.worktree === null ? undefined : await prepareOwnGit(world, program.cwd, modeOf(world, run.personaId))
  const confined = await confinementOfRun(world, run, program)
  if ('off' in confined) return limited.words
  const { network, hosts } = networkOfAgent(world, run)
  const notes = hiddenServersOf(world, run, program, confined.mounts)
  const start: Start = {
    words: [...limited.words, ...confined.words],
    door,
    root: core.root,
    self,
    folder: program.cwd,
    git: git === undefined ? null : { ...git, ref: branchOutside(core.root, program.cwd), note: noteOf(run) },
    ...(limited.watched === undefined ? {} : { watched: limited.watched }),
    ...(network === 'allowlist' ? { hosts } : {}),
    ...(notes.length === 0 ? {} : { notes }),
  }
  const path = runPath(core.root, run.agentId, run.run, 'sandbox')
  writeFileSync(path, JSON.stringify(start), { mode: 0o600 })
  const host = [...self, HOST, path]
  return 'bubblewrap' in possible && possible.bubblewrap.restoresSignals
    ? [...withHost(host, start), ...start.words]
    : host
}

/** Sentences about MCP servers of the person, or of the persona, that the sandbox hides. */
export const hiddenServersOf = (
  { core }: Pick<World, 'core'>,
  { personaId, kind }: Pick<AgentRun, 'personaId' | 'kind'>,
  { cwd, environment }: Pick<Program, 'cwd' | 'environment'>,
  mounts: readonly Mount[],
): readonly string[] => {
  const { personas } = core.settings.agents
  const mcp = Object.hasOwn(personas, personaId) ? personas[personaId]!.mcp : undefined
  return hiddenServers(kind, {
    mounts,
    root: core.root,
    folder: cwd,
    environment,
    given: typeof mcp === 'object' ? mcp.servers : {},
    keepsOwn: mcp !== 'only-aiswarm',
  })
}

/**
 * Imports what a run that has ended has committed: its own process outside does so, unless it was killed. Can be repeated.
 */
export const importRest = async (world: World, run: AgentRun): Promise<void> => {
  const git = gitOfRun(world, run)
  if (git === undefined || git.ref === null) return
  const said = await importBranch(git, git.ref, git.note)
  if (said !== undefined) world.report(said)
}

/** The git in which a run has worked, if that is the worktree's own. */
export const gitOfRun = ({ core }: Pick<World, 'core'>, run: AgentRun): ImportedGit | undefined => {
  const path = runPath(core.root, run.agentId, run.run, 'sandbox')
  if (!existsSync(path)) return undefined
  const { git } = JSON.parse(readFileSync(path, 'utf8')) as Start
  return git !== null && isMade(git.own) ? git : undefined
}

/** Names a run in the log of its branch. */
const noteOf = ({ agentId, run }: AgentRun): string => `aiswarm: commits of ${agentId}.${run}`

/** The files that are written for the run, and the home that stands for the person's. */
const ownFiles = ({ files, home }: Program): readonly string[] => [
  ...files.map(({ path }) => path),
  ...(home === undefined ? [] : [home.path]),
]

/** The branch of a worktree as the repository has it; null with a detached HEAD. */
const branchOutside = (root: string, folder: string): string | null => {
  const own = worktreeGitOf(root, folder)
  return own === undefined ? null : branchIn(administrationOf(own))
}

/** Where the CLI keeps its login and its sessions; a command line of one's own that starts a known CLI has the same. */
export const stateOf = (
  kind: AgentKind | undefined,
  { program, environment }: Pick<Program, 'program' | 'environment'>,
) => {
  const known = kind?.state ?? knownClis.find((cli) => cli.program?.binary === basename(program))?.state
  const home = homedir()
  const moved = (known?.variables ?? []).flatMap((name) => environment[name] ?? [])
  const folders = [...(known?.folders ?? []).map((name) => join(home, name)), ...moved]
  return {
    folders,
    state: [...folders, ...(known?.files ?? []).map((name) => join(home, name))],
    stateSettings: settingsIn(home, known?.settings ?? [], known?.folders ?? [], moved),
    needs: Object.entries(known?.needs ?? {}).map(([name, text]) => [join(home, name), text] as const),
  }
}

/** The settings of a CLI in the home, and in each folder to which a variable has moved one of its folders. */
const settingsIn = (
  home: string,
  names: readonly string[],
  folders: readonly string[],
  moved: readonly string[],
): readonly string[] =>
  names.flatMap((name) => {
    const folder = folders.find((one) => name.startsWith(`${one}/`))
    const elsewhere = folder === undefined ? [] : moved.map((place) => join(place, name.slice(folder.length + 1)))
    return [join(home, name), ...elsewhere].filter(isOwnSetting)
  })

/**
 * False for a link that a program inside may have made: it would bring what it names into the next start. A link of a
 * person's, as managers of dotfiles make them, leads to a file or a folder of the same name.
 */
export const isOwnSetting = (path: string): boolean => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isSymbolicLink())
    return found === undefined || found.isFile() || found.isDirectory()
  const target = realOf(path)
  const there = lstatSync(target, { throwIfNoEntry: false })
  return basename(target) === basename(path) && (there?.isFile() === true || there?.isDirectory() === true)
}

// A person's own MCP server may lie in a folder that the sandbox hides. Its command does not open that folder by
// itself: an agent may write some of the files that name commands, and would choose what its next run can read.

interface ServerStart {
  readonly mounts: readonly Mount[]
  readonly root: string
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  /** Servers of the persona's configuration. */
  readonly given: Readonly<Record<string, McpServer>>
  readonly keepsOwn: boolean
}

/** Why a configured MCP server cannot be started inside, as a sentence for each. */
export const hiddenServers = (kind: string, start: ServerStart): readonly string[] => {
  const { environment, given, keepsOwn, root } = start
  const own = keepsOwn ? configuredServers(kind, environment, root, readRegular) : {}
  const ofPersona = Object.entries(given).flatMap(([name, server]) =>
    'command' in server ? [[name, [server.command, ...server.args]] as const] : [],
  )
  return Object.entries({ ...own, ...Object.fromEntries(ofPersona) }).flatMap(([name, words]) => {
    const hidden = filesOf(words, start).find((path) => !isVisible(path, start.mounts))
    return hidden === undefined
      ? []
      : [
          `The MCP server ${name} cannot start in the sandbox, which hides ${hidden}. List ${dirname(hidden)} in sandbox.read, or the file alone if it needs no other.`,
        ]
  })
}

/** The program, and each file among its arguments. */
const filesOf = (
  [command = '', ...args]: readonly string[],
  { folder, environment }: ServerStart,
): readonly string[] => [
  ...[which(command, folder, environment['PATH'] ?? '') ?? command].filter((path) => path.startsWith('/')),
  ...args.filter((word) => word.startsWith('/') && existsSync(word)),
]

/** By the last mount that holds it, with the file to which it leads. */
const isVisible = (path: string, mounts: readonly Mount[]): boolean =>
  [path, realOf(path)].every((one) => {
    const { access } = mounts.findLast((mount) => isWithin(one, mount.path)) ?? {}
    return access !== undefined && access !== 'private' && access !== 'hidden'
  })

/** Files in which a person names a registry of packages, and the sign that one does. */
const registries = [
  { tool: 'npm', path: '.npmrc', sign: /^\s*(?:@[^:\s]+:)?registry\s*=|:_auth(?:Token)?\s*=/m },
  { tool: 'Yarn', path: '.yarnrc.yml', sign: /^\s*npmRegistryServer\s*:/m },
  { tool: 'pip', path: '.config/pip/pip.conf', sign: /^\s*(?:extra-)?index-url\s*=/m },
  { tool: 'pip', path: '.pip/pip.conf', sign: /^\s*(?:extra-)?index-url\s*=/m },
  { tool: 'Maven', path: '.m2/settings.xml', sign: /<(?:mirror|repository)>/ },
] as const

/** Which registries of the person a program inside does not know, as a sentence for each. */
export const hiddenRegistries = (mounts: readonly Mount[], home: string = homedir()): readonly string[] =>
  registries.flatMap(({ tool, path, sign }) => {
    const file = join(home, path)
    return sign.test(readRegular(file) ?? '') && !isVisible(file, mounts)
      ? [`The sandbox hides ~/${path}, so ${tool} inside does not use its registry. List ~/${path} in sandbox.read.`]
      : []
  })
