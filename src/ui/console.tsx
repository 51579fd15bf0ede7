import { render } from 'ink'
import { noticeBytes } from '../domain/settings/notices.ts'
import { consoleText } from '../text/panes.ts'
import { keptOf } from './core/console-memory.ts'
import { type ConsoleOptions, type Controller, makeController, sentenceOf } from './core/controller.ts'
import { changingPreferences } from './core/state.ts'
import type { Background } from './core/theme.ts'
import { makeIdle } from './core/timers.ts'
import { startAnnouncer } from './feeds/announcer.ts'
import { startRefresh } from './feeds/refresh.ts'
import { pressMouse } from './mouse.ts'
import { beginPreferences, keepPreferences, keepView } from './preferences.ts'
import { App } from './screen/App.tsx'
import { makeStore } from './store.ts'
import { isPlain } from './terminal/ascii.ts'
import { askBackground } from './terminal/background.ts'
import { copySequence } from './terminal/clipboard.ts'
import { escapeDelay, tapInput } from './terminal/input.ts'
import { makeLender, type Terminal, watchJobs } from './terminal/lending.ts'
import { useMouse } from './terminal/mouse.ts'
import { tapOutput } from './terminal/output.ts'
import { keepRescue } from './terminal/rescue.ts'

/** Runs the console until the person quits, or its terminal is closed. Agents continue either way. */
export const runConsole = async (
  options: ConsoleOptions,
  streams: ConsoleStreams = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
  },
): Promise<void> => {
  const opened = openConsole(options, streams)
  try {
    await drawConsole(options, opened, streams.environment)
  } finally {
    opened.end()
  }
}

/** Restores the state that an earlier console saved, and shows reports and the notice before the first key. */
export const beginController = (options: ConsoleOptions, { controller, store }: Opened): void => {
  controller.change((state) => ({ ...state, kept: keptOf(options.memory?.read() ?? {}) }))
  if (options.memory) keepPreferences(controller, store, options.memory)
  if (options.memory) keepView(controller, store, options.memory)
  options.reports?.((sentence, isGood) => controller.tell(sentence, isGood ? 'told' : 'bug'))
  if (options.notice !== undefined) controller.tell(options.notice)
}

/** Draws until the console is quit. */
export const drawConsole = async (
  options: ConsoleOptions,
  opened: Opened,
  environment: NodeJS.ProcessEnv,
): Promise<void> => {
  const { held, store, preferences, tap, rest, ready, output, rescuing, controller } = opened
  beginController(options, opened)
  const onBackground = (background: Background | undefined): void =>
    controller.change(changingPreferences(({ theme }) => ({ theme: { ...theme, background } })))
  const [background] = await Promise.all([askBackground(tap, output.stdout, environment, onBackground), ready])
  onBackground(background)
  tap.onMouse = (event) => {
    held.touchedAt = performance.now()
    pressMouse(controller, event)
  }
  // With a screen reader there is no mouse. A signal restores the same parts of the terminal as the returned function.
  const take = (given: Terminal): (() => void) => {
    held.terminal = given
    const own = useMouse(output.stdout, options.connection.core.settings.console.mouse && !preferences.spoken)
    held.mouse = own
    rescuing.begin()
    return () => {
      own.end()
      rescuing.end()
    }
  }
  const onKey = (): void => {
    held.touchedAt = performance.now()
    rest.disturbed()
    output.touch()
  }
  let drawn = false
  // Loads everything that the first frame did not need.
  const onRender = (): void => {
    if (drawn) return
    drawn = true
    options.drawn?.()
    setImmediate(() => void loadCommands(options, controller))
  }
  const app = (
    <App store={store} controller={controller} repository={options.repository} onKey={onKey} onTerminal={take} />
  )
  const drawing = render(app, {
    ...howToRender,
    stdin: tap.stdin,
    stdout: output.stdout,
    isScreenReaderEnabled: preferences.spoken,
    onRender,
  })
  await drawing.waitUntilExit()
}

export const howToRender = {
  alternateScreen: true,
  // The output tap compares frames line by line and writes only the lines that differ, each at its place.
  incrementalRendering: false,
  exitOnCtrlC: false,
  interactive: true,
  patchConsole: true,
  maxFps: 250,
} as const

export const loadCommands = async (options: ConsoleOptions, controller: Controller): Promise<void> => {
  try {
    const commands = (await options.commands?.()) ?? []
    controller.change((state) => ({ ...state, commands }))
  } catch (error) {
    controller.tell(sentenceOf(error), 'bug')
  }
}

interface ConsoleStreams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr?: NodeJS.WriteStream
  readonly environment: NodeJS.ProcessEnv
}

/** The state of a running console outside its store. */
interface Held {
  /** Once the screen stands. */
  terminal: Terminal | undefined
  mouse: ReturnType<typeof useMouse> | undefined
  /** When the person last pressed a key or used the mouse. */
  touchedAt: number
}

type Opened = ReturnType<typeof openConsole>

/** Begins all that needs no frame. What it gives ends it, in order. */
const openConsole = (options: ConsoleOptions, streams: ConsoleStreams) => {
  const { stdin, stdout, stderr, environment } = streams
  const held: Held = { terminal: undefined, mouse: undefined, touchedAt: performance.now() }
  const store = makeStore(options.connection.core.clock())
  const preferences = beginPreferences(options, environment, store.getState().table)
  const plain = isPlain(environment)
  store.setState({ preferences, plots: { ...store.getState().plots, plain } })
  const tap = tapInput(stdin, escapeDelay(environment))
  const rest = makeIdle(() => options.resting?.())
  const { ready, refresh, stop } = startRefresh(options, store)
  const output = tapOutput(stdout, stderr?.isTTY ? [stderr] : [], plain)
  const rescuing = keepRescue(options.rescue, output.behind)
  // A closed terminal ends the console without a message, because no person could read it.
  const gone = (): void => held.terminal?.exit()
  const lender = makeLender({
    stdin,
    output,
    terminal: () => held.terminal,
    mouse: () => held.mouse,
    rescue: rescuing.rescue,
    gone,
  })
  const lend = (what: string, use: () => Promise<void>): void =>
    void lender
      .lend(use)
      .then(refresh, (error: unknown) =>
        controller.tell(
          consoleText.couldNotOpen(what, error instanceof Error ? error.message : String(error)),
          'refused',
        ),
      )
  const jobs = watchJobs(lender, options.stopJob, (sentence) => controller.tell(sentence, 'refused'), refresh)
  const stopAnnouncing = announceTo(options, streams, { store, output, isLent: lender.isLent, held })
  const controller = makeController(options.connection, store, {
    refresh,
    openShell: (folder) => lend(consoleText.theShell, () => options.openShell(folder)),
    openEditor: (path) => lend(consoleText.theEditor, () => options.openEditor(path)),
    editText: (text, next) => lend(consoleText.theEditor, async () => next((await options.editText?.(text)) ?? text)),
    openTaken: (taken, next) => lend(taken.argv[0]!, async () => options.openTaken?.(taken).then(next)),
    suspend: jobs.suspend,
    redraw: output.redraw,
    quit: gone,
    ...(options.memory ? { memory: options.memory } : {}),
    copy: (text) => void output.stdout.write(copySequence(text, environment)),
  })
  stdout.on('error', gone)
  stdin.on('end', gone)
  const end = (): void => {
    held.mouse?.end()
    jobs.end()
    rescuing.end()
    output.end()
    // Ink gives back what it has taken; before its first frame only the question for the background has.
    if (!held.terminal && stdin.isTTY) stdin.setRawMode(false)
    for (const each of [stop, stopAnnouncing, rest.stop]) each()
    stdin.off('end', gone)
    // The listener of standard output stays on purpose: a last write to a closed terminal may still fail after this.
  }
  return { held, store, preferences, tap, rest, ready, output, rescuing, controller, end }
}

interface Announced extends Pick<Opened, 'held' | 'store' | 'output'> {
  readonly isLent: () => boolean
}

/** Announces what has come to wait. Gives what stops it. */
const announceTo = (
  options: ConsoleOptions,
  { stdout, environment }: ConsoleStreams,
  { held, store, output, isLent }: Announced,
): (() => void) => {
  const { notify } = options.connection.core.settings
  return startAnnouncer(store, notify, {
    // Between two frames of Ink, which are written whole; while another program has the terminal only the command tells.
    announce: (text) => {
      if (!isLent() && stdout.writable && !output.behind())
        output.stdout.write(noticeBytes(text, notify, { tmux: Boolean(environment['TMUX']) }))
      options.announce?.(text)
    },
    // While the terminal is lent, or does not read its output, the person sees no row of the console.
    idle: () => (isLent() || output.behind() ? Infinity : performance.now() - held.touchedAt),
  })
}
