import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { ConsoleServices } from '../../contracts/console.ts'
import { person } from '../../domain/agent/actor.ts'
import { isReadOnly, isRefusal } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import type { Unconfined } from '../../domain/sandbox/unconfined.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { beginSession } from '../../operations/sessions/begin-session.ts'
import { enterConsole, releaseLease, takeLease } from '../../operations/supervision/leases.ts'
import { placeOfSetting } from '../configuration/key-lines.ts'
import { aiswarmFolder, configPath, logsFolder } from '../files/paths.ts'
import { replaceFile } from '../files/replace-file.ts'
import { currentBranch } from '../git/repository.ts'
import { whyHold } from '../loops/capacity.ts'
import { sharedChanges } from '../loops/changes.ts'
import type { Supervisor } from '../loops/supervisor.ts'
import { memoryReturner } from '../processes/heap.ts'
import type { runOnTerminal } from '../processes/process.ts'
import { startRescue, stopJob } from '../processes/terminal.ts'
import { environmentAt, type WorktreeEnvironment } from '../worktrees/ports.ts'
import type { World } from '../world.ts'
import { announcer } from './notifications.ts'

/** All that a console is given, except its commands, which are the command line's. */
export type ConsoleSurroundings = Required<Omit<ConsoleServices, 'commands' | 'notice'>> &
  Pick<ConsoleServices, 'notice'> & { readonly connection: Connection }

/** Runs a console with a supervisor until the person quits. Agents continue without both. */
export const runWithConsole = async (
  world: World,
  connection: Connection,
  runConsole: (surroundings: ConsoleSurroundings) => Promise<void>,
): Promise<void> => {
  const { core } = world
  let told: (sentence: string, isGood: boolean) => void = () => {}
  const report = (sentence: string, isGood = false): void => {
    writeReport(core.root, sentence)
    told(sentence.split('\n')[0]!, isGood)
  }
  const [branch, leave, session] = await Promise.all([
    currentBranch(core.root),
    takePlace(world),
    sessionOfConsole({ ...world, report }),
  ])
  const notice = session.closed() ?? setBrokenMemoryAside(core.root)
  const supervisor = superviseLater({ ...world, report })
  try {
    await runConsole({
      connection,
      repository: { name: basename(core.root), branch },
      watch: sharedChanges(core.store),
      supervisor: () => ({
        ...supervisor.standing(),
        // Nothing runs in a checkout that has not joined.
        hold: core.host === null ? null : (whyHold(world) ?? null),
        closed: supervisor.standing().closed ?? session.closed() ?? null,
        unconfined: supervisor.unconfined(),
      }),
      drawn: supervisor.drawn,
      resting: memoryReturner(),
      reports: (listener) => (told = listener),
      ...(notice === undefined ? {} : { notice }),
      memory: { read: () => readConsoleMemory(core.root), write: (patch) => writeConsoleMemory(core.root, patch) },
      placeOf: (keys) => placeOfSetting(configPath(core.root), keys),
      announce: announcer(core.root, () => core.settings.notify.command, report),
      rescue: startRescue,
      stopJob,
      openShell: async (folder) => {
        await onTerminal(process.env['SHELL'] || '/bin/sh', [], folder, await environmentAt(world, folder))
      },
      openTaken: async ({ argv: [program, ...args], folder, environment }) => {
        const exitCode = await onTerminal(program!, args, folder, environment)
        if (program === 'ssh' && exitCode === NOT_CONNECTED)
          throw new Error(`it ended with exit code ${exitCode}. Try 'ssh ${args[1]}' in a shell.`)
      },
      openEditor: async (path) => openEditor(path, core.root, await environmentAt(world, path)),
      editText: async (text) => editText(text, core.root, await environmentAt(world, core.root)),
    })
  } finally {
    session.stop()
    await supervisor.stop()
    await leave()
  }
}

/** The term of the place of a console (ms); it is renewed. */
export const PLACE_TTL = 30_000

/**
 * Takes one of the places for consoles of a board on a server; refuses if there is none. Returns how to give it back: one
 * that is not given back is free when its term ends.
 */
export const takePlace = async ({ core, actor, holder }: World): Promise<() => Promise<void>> => {
  if (core.store.engine === 'SQLite') return async () => {}
  const mine = { holder, pid: process.pid, ttl: PLACE_TTL }
  const enter = async (): Promise<string> => (await perform(core, enterConsole, mine, actor)).role
  let role = await enter().catch((error: unknown) => {
    // A console that only reads a board needs no place on it.
    if (!isRefusal(error) || !isReadOnly(error)) throw error
    return undefined
  })
  const renew = async (): Promise<void> => {
    const granted = role !== undefined && (await perform(core, takeLease, { name: role, ...mine }, actor)).granted
    // Another console took it while the server was away.
    if (!granted) role = await enter()
  }
  // An open console stays open, whatever the server says.
  const timer = setInterval(() => void renew().catch(() => {}), PLACE_TTL / 3).unref()
  return async () => {
    clearInterval(timer)
    if (role !== undefined) await perform(core, releaseLease, { name: role, holder }, actor).catch(() => {})
  }
}

export interface Supervised extends Pick<Supervisor, 'standing' | 'stop'> {
  readonly drawn: () => void
  readonly unconfined: () => Unconfined | null
}

/** Loads and starts the loops after the first frame, because they are the greater part of the program. */
export const superviseLater = (world: World): Supervised => {
  let draw: () => void
  const drawn = new Promise<void>((resolve) => (draw = resolve))
  let supervisor: Supervisor | undefined
  let unconfined: () => Unconfined | null = () => null
  let stopped = false
  const begin = async (): Promise<void> => {
    await drawn
    if (stopped) return
    // Also loads modules that are needed only when a key is pressed, because an upgrade deletes the files of this
    // version.
    const [{ startSupervisor }, { makeStanding }] = await Promise.all([
      import('../loops/supervisor.ts'),
      import('../sandbox/confinement.ts'),
      import('./outside-later.ts'),
      import('../processes/process.ts'),
    ])
    unconfined = makeStanding(world.core)
    if (!stopped) supervisor = startSupervisor(world, { maxParallel: null })
  }
  const begun = begin().catch((error: unknown) =>
    world.report(`supervisor: ${error instanceof Error ? error.stack : String(error)}`),
  )
  return {
    drawn: () => draw(),
    // Before the first try for the lease there is nothing to report to a person.
    standing: () => supervisor?.standing() ?? { here: true, pid: null },
    unconfined: () => unconfined(),
    stop: async () => {
      stopped = true
      draw()
      await begun
      await supervisor?.stop()
    },
  }
}

/** The exit code of ssh for an error of its own; every other one is that of the program there. */
export const NOT_CONNECTED = 255

export const onTerminal: typeof runOnTerminal = async (...program) =>
  (await import('../processes/process.ts')).runOnTerminal(...program)

/** VISUAL and EDITOR may contain arguments (`code --wait`), so a shell splits them. */
export const openEditor = async (path: string, folder: string, environment: WorktreeEnvironment): Promise<void> => {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi'
  await onTerminal('/bin/sh', ['-c', `exec ${editor} "$1"`, 'sh', path], folder, environment)
}

/** An agent may read the folder of the repository but not this file, and nothing of it is left. */
export const editText = async (text: string, root: string, environment: WorktreeEnvironment): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'aiswarm-'))
  try {
    const path = join(folder, 'text.md')
    writeFileSync(path, text, { mode: 0o600 })
    await openEditor(path, root, environment)
    return readFileSync(path, 'utf8').trimEnd()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The screen has room for one line; the whole text goes to a file. */
export const writeReport = (root: string, sentence: string): void => {
  mkdirSync(logsFolder(root), { recursive: true, mode: 0o700 })
  appendFileSync(join(logsFolder(root), 'supervisor.log'), `${new Date().toISOString()} ${sentence}\n`, { mode: 0o600 })
}

/** How often a board that takes no writes is asked again (ms). */
const AGAIN = 2000

interface ConsoleSession {
  /** Why the board takes no writes now; undefined if it does. */
  readonly closed: () => string | undefined
  /** Asks no more. */
  readonly stop: () => void
}

/**
 * Begins the session of a console, or continues it. A board that this program may only read (a replica, the board of a newer
 * aiswarm) is shown all the same, and its session begins when the board takes writes.
 */
const sessionOfConsole = async ({ core, report }: World): Promise<ConsoleSession> => {
  let timer: NodeJS.Timeout | undefined
  let closed: string | undefined
  const begin = async (): Promise<void> => {
    await perform(core, beginSession, {}, person)
    closed = undefined
  }
  const later = (): void => {
    timer = setTimeout(
      () =>
        void begin().catch((error: unknown) =>
          // A server that is away meanwhile is the matter of all that read from it.
          asRefusal(error) ? later() : report(`session: ${error instanceof Error ? error.stack : String(error)}`),
        ),
      AGAIN,
    )
    timer.unref()
  }
  const stop = (): void => clearTimeout(timer)
  try {
    await begin()
    return { closed: () => closed, stop }
  } catch (error) {
    if (!isRefusal(error) || !isReadOnly(error)) throw error
    closed = error.message
    later()
    return { closed: () => closed, stop }
  }
}

/** The state that consoles keep between runs, by part: each part reads only its own key. */
type ConsoleMemory = Readonly<Record<string, unknown>>

/** The saved state; empty if the file is missing or unreadable. */
export const readConsoleMemory = (root: string): ConsoleMemory => {
  try {
    const kept: unknown = JSON.parse(readFileSync(consoleMemoryPath(root), 'utf8'))
    return typeof kept === 'object' && kept !== null && !Array.isArray(kept) ? (kept as ConsoleMemory) : {}
  } catch {
    // A console starts without it, and the next write replaces it.
    return {}
  }
}

/**
 * Writes the keys of `patch` and keeps all others in the file; a function receives the current content, so that two
 * consoles can both add to a list. The read and the write are synchronous: of two processes within the same
 * microseconds the later wins.
 */
export const writeConsoleMemory = (
  root: string,
  patch: ConsoleMemory | ((kept: ConsoleMemory) => ConsoleMemory),
): void => {
  const kept = readConsoleMemory(root)
  replaceFile(
    consoleMemoryPath(root),
    `${JSON.stringify({ ...kept, ...(typeof patch === 'function' ? patch(kept) : patch) }, null, 2)}\n`,
  )
}

/**
 * Renames a file that cannot be parsed, so that the next write does not replace it, and returns a sentence about it.
 */
export const setBrokenMemoryAside = (root: string): string | undefined => {
  const path = consoleMemoryPath(root)
  if (!existsSync(path)) return undefined
  try {
    const kept: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof kept === 'object' && kept !== null && !Array.isArray(kept)) return undefined
  } catch (error) {
    if (!(error instanceof SyntaxError)) return undefined
  }
  renameSync(path, `${path}.broken`)
  return "The console's saved state for this project could not be read; it is kept as .aiswarm/console.json.broken."
}

const consoleMemoryPath = (root: string): string => join(aiswarmFolder(root), 'console.json')
