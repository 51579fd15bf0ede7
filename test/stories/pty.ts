import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import pty from '@lydell/node-pty'
import xterm from '@xterm/headless'
import type { TestContext } from 'vitest'
import { person } from '../../src/domain/agent/actor.ts'
import { openWorld } from '../../src/effects/opening/open-core.ts'
import { outsideOf } from '../../src/effects/opening/outside.ts'
import type { Connection } from '../../src/operations/perform/core.ts'
import { act, perform } from '../../src/operations/perform/perform.ts'
import type { TaskDraft } from '../../src/operations/tasks/create.ts'
import { importTasks } from '../../src/operations/tasks/import.ts'
import { createWorktree } from '../../src/operations/worktrees/create.ts'
import { boardOf, openBoardOf } from '../support/board-of-test.ts'
import { endProcess, endProcessesOf } from '../support/processes.ts'

// The real program in a real terminal: press, expect, wait. Boards are set up by the operations that the command
// line runs, without a process for each of them.

/** The built program, the result of `npm run build`. */
const main = resolve(import.meta.dirname, '../../dist/main.js')

/** The command that starts it. */
export const programCommand: readonly string[] = [process.execPath, main]

/** Milliseconds that any step may take; this is not a measurement. */
const LIMIT = 90_000

/** The time that a whole story may take on a busy machine. */
export const generous = { timeout: 600_000 }

/** The screen without durations, times and spinners, which change continuously; placeholders keep their width. */
export const timeless = (shown: string): string =>
  shown.replace(/<?\d+[smhd]\d*|\d\d:\d\d:\d\d/g, (time) => ' '.repeat(time.length)).replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏](?= )/g, '●')

export const enter = '\r'
export const escape = '\u001b'
export const tab = '\t'
export const right = '\u001b[C'

export interface Size {
  readonly columns: number
  readonly rows: number
  /** The terminal's answer to the question for its background, such as `rgb:ffff/ffff/ffff`; without it, none. */
  readonly background?: string
  /** Milliseconds that each piece takes in each direction. */
  readonly delay?: number
  /** Variables in addition to those of every story. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface Screen {
  readonly pid: number
  /** The text that a person sees now. */
  text(): string
  /** Every byte of output, unchanged. */
  written(): string
  /** Types; several letters arrive as one piece, as with fast typing. */
  press(keys: string): void
  /** Pastes like a terminal: in brackets if the program asked for them. */
  paste(text: string): void
  resize(columns: number, rows: number): void
  /** Clicks on a text on the screen. */
  click(text: string): void
  /** True while the program receives mouse events. */
  mouse(): boolean
  /** True while the alternate screen is shown, not the one that the shell scrolls. */
  isAlternate(): boolean
  /** Stops or resumes reading the program's output. */
  reads(on: boolean): void
  /** Closes the terminal, like a closed window. */
  close(): void
  /** Waits until the screen shows it; returns the match of a pattern and its groups. */
  until(what: string | RegExp): Promise<readonly string[]>
  /** Waits until the screen no longer shows it. */
  lacks(what: string | RegExp): Promise<void>
  /** Waits until the whole screen is as expected. */
  shows(what: string, holds: (text: string) => boolean): Promise<void>
  /** Waits until the program accepts keys: the first frame appears a moment earlier. */
  listens(): Promise<void>
  /** Waits for the end of the program; returns its exit code. */
  ended(): Promise<number>
  /** Kills it in a way that no program can prepare for. */
  kill(): Promise<void>
}

interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Shop {
  readonly root: string
  /** The folder of the repository, its worktrees and the story's temporary files. */
  readonly folder: string
  /** The variables that name its board, if that is not the database file. */
  readonly store: Readonly<Record<string, string>>
  /** Runs one command line of the program to its end, without a terminal. */
  run(...args: readonly string[]): Promise<Said>
  /** Like `run` with --json; returns the value that it printed. */
  answer<T>(...args: readonly string[]): Promise<T>
  /** Creates a task with a command; returns its number. */
  add(title: string, command: string, ...options: readonly string[]): Promise<number>
  /** Creates many tasks at once. */
  addAll(
    tasks: readonly { readonly title: string; readonly command: string; readonly targetWorktree?: string }[],
  ): Promise<void>
  worktree(name: string): Promise<void>
  git(...args: readonly string[]): string
  write(files: Readonly<Record<string, string>>): void
  read(path: string): string
  /** Writes files and commits them on main. */
  commit(files: Readonly<Record<string, string>>, message: string): void
  /** Opens the console and waits until it is ready. */
  console(size?: Partial<Size>): Promise<Screen>
  /** Starts any command of the program in a terminal. */
  start(args: readonly string[], size?: Partial<Size>): Screen
  /** Starts any program in a terminal. */
  startProgram(command: readonly string[], size?: Partial<Size>): Screen
}

/** A repository of the story's own, on branch main with one commit, without a configuration if that is ''. Everything that the story starts ends with it. */
export const openShop = (
  test: TestContext,
  {
    config = '# no key\n',
    files = { 'README.md': 'a shop\n' },
    ownStore = false,
  }: {
    config?: string
    files?: Readonly<Record<string, string>>
    /** Its board begins in the database file on every engine: the story moves it itself. */
    ownStore?: boolean
  } = {},
): Shop => {
  const folder = realpathSync(mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'aiswarm-story-')))
  const root = join(folder, 'shop')
  const store = ownStore ? {} : boardOf(test, root)
  const environment = { ...environmentIn(folder), ...store }
  const screens: Screen[] = []
  test.onTestFinished(async () => {
    for (const screen of screens) await screen.kill()
    await endProcessesOf(root)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  const run: Shop['run'] = (...args) =>
    new Promise((done) => {
      const child = execFile(process.execPath, [main, ...args, '--root', root], { env: environment }, (_, out, err) =>
        done({ code: child.exitCode ?? -1, out, err }),
      )
      child.stdin?.end()
    })
  const answer: Shop['answer'] = async <T>(...args: readonly string[]) => {
    const { code, out, err } = await run(...args, '--json')
    if (code !== 0) throw new Error(`aiswarm ${args.join(' ')}: ${err || `exit code ${code}`}`)
    return JSON.parse(out) as T
  }
  const git: Shop['git'] = (...args) =>
    execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd()
  const write: Shop['write'] = (written) => {
    for (const [path, content] of Object.entries(written)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    }
  }
  const startProgram: Shop['startProgram'] = (
    command,
    { columns = 120, rows = 40, background, delay = 0, environment: more = {} } = {},
  ) => {
    const screen = openScreen(
      command,
      { columns, rows, delay, ...(background === undefined ? {} : { background }) },
      folder,
      { ...environment, ...more },
    )
    screens.push(screen)
    return screen
  }
  const start: Shop['start'] = (args, size) => startProgram([...programCommand, ...args], size)
  const commit: Shop['commit'] = (written, message) => {
    write(written)
    git('add', '--all', '--', ...Object.keys(written))
    git('commit', '--quiet', '--message', message)
  }

  mkdirSync(root)
  git('init', '--quiet', '-b', 'main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.com')
  commit(files, 'Begin')
  if (config !== '' && files['.aiswarm/config.yaml'] === undefined) write({ '.aiswarm/config.yaml': config })

  return {
    root,
    folder,
    store,
    run,
    answer,
    git,
    write,
    commit,
    start,
    startProgram,
    add: async (title, command, ...options) => {
      const draft = draftOf(options)
      if (draft !== undefined) return (await addTasks(root, programCommand, [{ title, command, ...draft }]))[0]!
      return (
        await answer<{ id: number }>('task', 'add', title, '--persona', 'implementer', '--command', command, ...options)
      ).id
    },
    addAll: async (tasks) => void (await addTasks(root, programCommand, tasks)),
    worktree: (name) => addWorktree(root, programCommand, name),
    read: (path) => readFileSync(join(root, path), 'utf8'),
    console: async (size) => {
      const screen = start(['tui', '--root', root], size)
      await screen.until(/1 Board|terminal too small/)
      await screen.listens()
      return screen
    },
  }
}

/**
 * The environment of a person's shell, without the configuration of the machine that runs the tests. CI is left out:
 * if it is set, even to an empty value, Ink prints only the last frame.
 */
const environmentIn = (folder: string): Record<string, string> => ({
  // Stories look at processes by the numbers that these see themselves, and use files beside the repository.
  AISWARM_SANDBOX: 'off',
  // The machine of the tests is busy.
  AISWARM_MAX_LOAD: 'off',
  PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
  HOME: folder,
  TMPDIR: folder,
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
  SHELL: '/bin/sh',
  GIT_CONFIG_NOSYSTEM: '1',
  NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
})

/** Starts a program in a terminal; the caller ends it. */
export const openScreen = (
  [file, ...argv]: readonly string[],
  { columns, rows, background, delay = 0 }: Size,
  cwd: string,
  environment: Record<string, string>,
): Screen => {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const child = pty.spawn(file!, [...argv], { name: 'xterm-256color', cols: columns, rows, cwd, env: environment })
  const watchers = new Set<() => void>()
  const look = (): void => watchers.forEach((watcher) => watcher())
  let written = ''
  let exitCode: number | undefined
  const onItsWay = (arrive: () => void): void => void (delay === 0 ? arrive() : setTimeout(arrive, delay))
  const send = (keys: string): void => onItsWay(() => void (exitCode === undefined && child.write(keys)))
  child.onData((piece) =>
    onItsWay(() => {
      written += piece
      terminal.write(piece, look)
    }),
  )
  // A terminal answers questions.
  terminal.onData(send)
  terminal.parser.registerOscHandler(11, (asked) => {
    if (asked === '?' && background !== undefined) send(`\u001b]11;${background}\u001b\\`)
    return true
  })
  child.onExit((end) =>
    onItsWay(() => {
      exitCode = end.signal ? 128 + end.signal : end.exitCode
      terminal.write('', look)
    }),
  )

  const text = (): string => {
    const { active } = terminal.buffer
    return Array.from(
      { length: terminal.rows },
      (_, row) => active.getLine(active.viewportY + row)?.translateToString(true, 0, terminal.cols) ?? '',
    ).join('\n')
  }
  /** Checks after each piece of output, and once the program has ended. */
  const waitFor = <T>(what: string, found: () => T | undefined): Promise<T> => {
    const late = new Error(`The screen never ${what}`)
    return new Promise((done, fail) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer)
        watchers.delete(watcher)
        settle()
      }
      const giveUp = (): void => {
        late.message = `${late.message}${exitCode === undefined ? '' : `; the program ended with code ${exitCode}`}:\n${text()}`
        end(() => fail(late))
      }
      const watcher = (): void => {
        // The program marks where a frame starts and ends: half a frame is not checked.
        if (terminal.modes.synchronizedOutputMode && exitCode === undefined) return
        const it = found()
        if (it !== undefined) end(() => done(it))
        else if (exitCode !== undefined) giveUp()
      }
      const timer = setTimeout(giveUp, LIMIT)
      watchers.add(watcher)
      watcher()
    })
  }
  const match = (what: string | RegExp): readonly string[] | undefined => {
    const shown = text()
    if (typeof what === 'string') return shown.includes(what) ? [what] : undefined
    return shown.match(what) ?? undefined
  }
  const ended = (): Promise<number> => waitFor('ended', () => exitCode)

  return {
    pid: child.pid,
    text,
    written: () => written,
    press: send,
    paste: (pasted) =>
      send(
        terminal.modes.bracketedPasteMode
          ? `\u001b[200~${pasted.replaceAll('\n', '\r')}\u001b[201~`
          : pasted.replaceAll('\n', '\r'),
      ),
    resize: (width, height) => {
      terminal.resize(width, height)
      child.resize(width, height)
    },
    click: (shown) => {
      const lines = text().split('\n')
      const row = lines.findIndex((line) => line.includes(shown))
      if (row === -1) throw new Error(`There is no '${shown}' to click on:\n${text()}`)
      send(`\u001b[<0;${lines[row]!.indexOf(shown) + 1};${row + 1}M`)
    },
    mouse: () => terminal.modes.mouseTrackingMode !== 'none',
    isAlternate: () => terminal.buffer.active.type === 'alternate',
    reads: (on) => (on ? child.resume() : child.pause()),
    close: () => (child as unknown as { destroy(): void }).destroy(),
    until: (what) => waitFor(`showed ${what}`, () => match(what)),
    lacks: (what) =>
      waitFor(`lost ${what}`, () => (match(what) === undefined ? true : undefined)).then(() => undefined),
    shows: (what, holds) => waitFor(`showed ${what}`, () => (holds(text()) ? true : undefined)).then(() => undefined),
    // Ink asks for bracketed paste after it has put the terminal into raw mode.
    listens: () =>
      waitFor('listened', () => (terminal.modes.bracketedPasteMode ? true : undefined)).then(() => undefined),
    ended,
    kill: async () => {
      // Its end may be on its way to the test.
      if (exitCode === undefined) endProcess(child.pid)
      await ended()
    },
  }
}

// The setup of stories: the operations that the command line runs, without a process for each of them.

/** The options of `task add` that a story may use, with the field that each fills. */
const fields: Readonly<Record<string, (value: string) => Partial<TaskDraft>>> = {
  '--worktree': (targetWorktree) => ({ targetWorktree }),
  '--priority': (priority) => ({ priority: Number(priority) }),
  '--description': (description) => ({ description }),
}

/** The values of options; undefined if the program must read them. */
const draftOf = (options: readonly string[]): Partial<TaskDraft> | undefined => {
  let draft: Partial<TaskDraft> = {}
  for (let at = 0; at < options.length; at += 2) {
    const [field, value] = [fields[options[at]!], options[at + 1]]
    if (field === undefined || value === undefined) return undefined
    draft = { ...draft, ...field(value) }
  }
  return draft
}

/** Creates tasks as a person; returns their numbers. */
const addTasks = (
  root: string,
  self: readonly string[],
  tasks: readonly Partial<TaskDraft>[],
): Promise<readonly number[]> =>
  connected(root, self, async ({ core }) => {
    const added = await perform(
      core,
      importTasks,
      tasks.map((task) => ({ title: 'a task', personaId: 'implementer', ...task })),
      person,
    )
    return added.map(({ id }) => id)
  })

/** Creates a worktree, and waits until its folder exists. */
const addWorktree = (root: string, self: readonly string[], name: string): Promise<void> =>
  connected(
    root,
    self,
    async (connection) => void (await act(connection, createWorktree, { name, branchName: `feature/${name}` })),
  )

/** Opened for each call, like a command: the story's programs find the database as if no other process had it open. */
const connected = async <T>(
  root: string,
  self: readonly string[],
  work: (connection: Connection) => Promise<T>,
): Promise<T> => {
  const world = await openWorld(root, { openStore: (path) => openBoardOf(root, path), self, warn: () => {} })
  try {
    return await work({ core: world.core, actor: person, outside: outsideOf(world) })
  } finally {
    world.core.store.close()
  }
}
