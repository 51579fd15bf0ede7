import { noticeBytes } from '../domain/settings/notices.ts'
import { beginPreferences } from './preferences/load.ts'
import { type ConsoleOptions, makeController } from './core/controller.ts'
import { startAnnouncer } from './feeds/announcer.ts'
import { copySequence } from './terminal/clipboard.ts'
import { isPlain } from './terminal/ascii.ts'
import { makeIdle } from './core/timers.ts'
import { startRefresh } from './feeds/refresh.ts'
import { makeStore } from './store.ts'
import { escapeDelay, tapInput } from './terminal/input.ts'
import { makeLender, type Terminal, watchJobs } from './terminal/lending.ts'
import type { useMouse } from './terminal/mouse.ts'
import { tapOutput } from './terminal/output.ts'
import { keepRescue } from './terminal/rescue.ts'
import { consoleText } from '../text/panes.ts'

export interface ConsoleStreams {
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

export type Opened = ReturnType<typeof openConsole>

/** Begins all that needs no frame. What it gives ends it, in order. */
export const openConsole = (options: ConsoleOptions, streams: ConsoleStreams) => {
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
