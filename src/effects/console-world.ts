import { basename } from 'node:path'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { person } from '../domain/actor.ts'
import { beginSession } from '../operations/begin-session.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import { perform } from '../operations/kernel/perform.ts'
import { sharedChanges } from './changes.ts'
import { type ConsoleMemory, readConsoleMemory, setBrokenMemoryAside, writeConsoleMemory } from './console-memory.ts'
import { memoryReturner } from './memory-use.ts'
import { placeOfSetting } from './config-place.ts'
import { whyHold } from './holds.ts'
import { announcer } from './announce.ts'
import { configPath, logsFolder } from './places.ts'
import { environmentAt, type WorktreeEnvironment } from './ports.ts'
import { currentBranch } from './repository.ts'
import type { runOnTerminal } from './process.ts'
import type { Supervisor } from './supervisor.ts'
import { type Rescue, startRescue, stopJob } from './terminal.ts'
import type { World } from './world.ts'

/** What a console needs besides the notice; `ui/console-options.ts` gives it its name. */
export interface ConsoleSurroundings {
  readonly connection: Connection
  readonly repository: { readonly name: string; readonly branch: string }
  readonly watch: (changed: () => void) => () => void
  readonly supervisor: () => { readonly here: boolean; readonly pid: number | null; readonly hold: string | null }
  /** Is to be called when the first frame stands: the loops begin behind it. */
  readonly drawn: () => void
  /** Calls back with what the loops have to say, such as a mistake in this program. */
  readonly reports: (told: (sentence: string) => void) => void
  readonly memory: { readonly read: () => ConsoleMemory; readonly write: (patch: (kept: ConsoleMemory) => ConsoleMemory) => void }
  /** What a person should know at the start. */
  readonly notice?: string
  /** `file:line` of a key of the configuration. */
  readonly placeOf: (keys: readonly string[]) => string
  /** Is to be called while nobody presses a key. */
  readonly resting: () => void
  /** Runs the person's command for what has come to wait. */
  readonly announce: (text: string) => void
  /** Starts what gives the terminal back where this process is killed. */
  readonly rescue: (restore: string) => Rescue
  readonly stopJob: typeof stopJob
  readonly openShell: (folder: string) => Promise<void>
  readonly openEditor: (path: string) => Promise<void>
}

/** Runs a console with a supervisor behind it, until it is quit. Agents go on without either. */
export const runWithConsole = async (world: World, connection: Connection, runConsole: (surroundings: ConsoleSurroundings) => Promise<void>): Promise<void> => {
  const { core } = world
  const [branch] = await Promise.all([currentBranch(core.root), perform(core, beginSession, {}, person)])
  let told: (sentence: string) => void = () => {}
  const report = (sentence: string): void => {
    writeReport(core.root, sentence)
    told(sentence.split('\n')[0]!)
  }
  const broken = setBrokenMemoryAside(core.root)
  const supervisor = superviseLater({ ...world, report })
  try {
    await runConsole({
      connection,
      repository: { name: basename(core.root), branch },
      watch: sharedChanges(core.store),
      supervisor: () => ({ ...supervisor.standing(), hold: whyHold(world) ?? null }),
      drawn: supervisor.drawn,
      resting: memoryReturner(),
      reports: (listener) => (told = listener),
      ...(broken === undefined ? {} : { notice: broken }),
      memory: { read: () => readConsoleMemory(core.root), write: (patch) => writeConsoleMemory(core.root, patch) },
      placeOf: (keys) => placeOfSetting(configPath(core.root), keys),
      announce: announcer(core.root, () => core.settings.notify.command, report),
      rescue: startRescue,
      stopJob,
      openShell: async (folder) => onTerminal(process.env['SHELL'] || '/bin/sh', [], folder, await environmentAt(world, folder)),
      openEditor: async (path) => openEditor(path, core.root, await environmentAt(world, path)),
    })
  } finally {
    await supervisor.stop()
  }
}

/** The console draws first: the loops are the greater part of the program, and are not even loaded before. */
const superviseLater = (world: World): Pick<Supervisor, 'standing' | 'stop'> & { readonly drawn: () => void } => {
  let draw: () => void
  const drawn = new Promise<void>((resolve) => (draw = resolve))
  let supervisor: Supervisor | undefined
  let stopped = false
  const begin = async (): Promise<void> => {
    await drawn
    if (stopped) return
    // Also what is needed only when a key is pressed: who installs a newer aiswarm takes the files of this one away.
    const [{ startSupervisor }] = await Promise.all([import('./supervisor.ts'), import('./outside-later.ts'), import('./process.ts')])
    if (!stopped) supervisor = startSupervisor(world, { maxParallel: world.core.settings.session.maxParallel })
  }
  const begun = begin().catch((error: unknown) => world.report(`supervisor: ${error instanceof Error ? error.stack : String(error)}`))
  return {
    drawn: () => draw(),
    // Before the first try for the lease nothing is known that a person should worry about.
    standing: () => supervisor?.standing() ?? { here: true, pid: null },
    stop: async () => {
      stopped = true
      draw()
      await begun
      await supervisor?.stop()
    },
  }
}

const onTerminal: typeof runOnTerminal = async (...program) => (await import('./process.ts')).runOnTerminal(...program)

/** VISUAL and EDITOR may carry arguments (`code --wait`), so a shell splits them. */
const openEditor = (path: string, folder: string, environment: WorktreeEnvironment): Promise<void> => {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi'
  return onTerminal('/bin/sh', ['-c', `exec ${editor} "$1"`, 'sh', path], folder, environment)
}

/** The screen has room for a line; the whole goes to a file. */
const writeReport = (root: string, sentence: string): void => {
  mkdirSync(logsFolder(root), { recursive: true, mode: 0o700 })
  appendFileSync(join(logsFolder(root), 'supervisor.log'), `${new Date().toISOString()} ${sentence}\n`, { mode: 0o600 })
}
