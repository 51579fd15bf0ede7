import { basename, join } from 'node:path'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Unconfined } from '../../domain/sandbox/unconfined.ts'
import { isReadOnly, isRefusal } from '../../domain/rules/refusal.ts'
import { perform } from '../../operations/perform/perform.ts'
import { enterConsole, releaseLease, takeLease } from '../../operations/supervision/leases.ts'
import type { ConsoleServices } from '../../contracts/console.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { sharedChanges } from '../loops/changes.ts'
import { readConsoleMemory, setBrokenMemoryAside, writeConsoleMemory } from './console-memory.ts'
import { memoryReturner } from '../processes/heap.ts'
import { placeOfSetting } from '../configuration/key-lines.ts'
import { whyHold } from '../loops/capacity.ts'
import { sessionOfConsole } from '../watch/console-session.ts'
import { announcer } from '../watch/announce.ts'
import { configPath, logsFolder } from '../files/paths.ts'
import { environmentAt, type WorktreeEnvironment } from '../worktrees/ports.ts'
import { currentBranch } from '../git/repository.ts'
import type { runOnTerminal } from '../processes/process.ts'
import type { Supervisor } from '../loops/supervisor.ts'
import { startRescue, stopJob } from '../processes/terminal.ts'
import type { World } from '../world.ts'

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
const PLACE_TTL = 30_000

/**
 * Takes one of the places for consoles of a board on a server; refuses if there is none. Returns how to give it back: one
 * that is not given back is free when its term ends.
 */
const takePlace = async ({ core, actor, holder }: World): Promise<() => Promise<void>> => {
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

interface Supervised extends Pick<Supervisor, 'standing' | 'stop'> {
  readonly drawn: () => void
  readonly unconfined: () => Unconfined | null
}

/** Loads and starts the loops after the first frame, because they are the greater part of the program. */
const superviseLater = (world: World): Supervised => {
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
const NOT_CONNECTED = 255

const onTerminal: typeof runOnTerminal = async (...program) =>
  (await import('../processes/process.ts')).runOnTerminal(...program)

/** VISUAL and EDITOR may contain arguments (`code --wait`), so a shell splits them. */
const openEditor = async (path: string, folder: string, environment: WorktreeEnvironment): Promise<void> => {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi'
  await onTerminal('/bin/sh', ['-c', `exec ${editor} "$1"`, 'sh', path], folder, environment)
}

/** An agent may read the folder of the repository but not this file, and nothing of it is left. */
const editText = async (text: string, root: string, environment: WorktreeEnvironment): Promise<string> => {
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
const writeReport = (root: string, sentence: string): void => {
  mkdirSync(logsFolder(root), { recursive: true, mode: 0o700 })
  appendFileSync(join(logsFolder(root), 'supervisor.log'), `${new Date().toISOString()} ${sentence}\n`, { mode: 0o600 })
}
