import { render } from 'ink'
import { noticeBytes } from '../domain/notices.ts'
import { App, type Terminal } from './App.tsx'
import { comforting } from './comfort/arrangement.ts'
import { beginComfort } from './comfort/begin.ts'
import { keepComfort } from './comfort/keep.ts'
import { keepView } from './comfort/kept-view.ts'
import type { Background } from './comfort/theme.ts'
import type { ConsoleOptions } from './console-options.ts'
import { type Desk, makeDesk, sentenceOf } from './desk.ts'
import { startAnnouncer } from './inbox/announcer.ts'
import { startGauge } from './gauge/feed.ts'
import { makeMeter } from './gauge/meter.ts'
import { keptOf } from './kept.ts'
import { copySequence } from './palette/copy.ts'
import { isPlain } from './plots/state.ts'
import { makeRest } from './rest.ts'
import { startRefresh } from './refresh.ts'
import { makeStore } from './store.ts'
import { askBackground } from './terminal/background.ts'
import { escapeDelay } from './terminal/escapes.ts'
import { pressMouse } from './terminal/hits.ts'
import { tapInput } from './terminal/input.ts'
import { watchJobs } from './terminal/jobs.ts'
import { makeLender, useMouse } from './terminal/lend.ts'
import { tapOutput } from './terminal/output.ts'
import { keepRescue } from './terminal/rescue.ts'
import { consoleText } from '../text/actions.ts'

export interface ConsoleStreams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr?: NodeJS.WriteStream
  readonly environment: NodeJS.ProcessEnv
}

/** The console until it is quit, or its terminal is gone. Agents go on either way. */
export const runConsole = async (
  options: ConsoleOptions,
  { stdin, stdout, stderr, environment }: ConsoleStreams = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, environment: process.env },
): Promise<void> => {
  const comfort = beginComfort(options, environment)
  const store = makeStore(options.connection.core.clock())
  const plain = isPlain(environment)
  store.setState({ comfort, plots: { ...store.getState().plots, plain } })
  const tap = tapInput(stdin, escapeDelay(environment))
  const { mouse: mouseWanted } = options.connection.core.settings.console
  let terminal: Terminal | undefined
  let drawn = false
  // What the first frame did not need is loaded behind it.
  const onRender = (): void => {
    if (drawn) return
    drawn = true
    options.drawn?.()
    setImmediate(() => void loadCommands(options, desk))
  }
  let mouse: ReturnType<typeof useMouse> | undefined
  const meter = makeMeter(() => options.connection.core.store.waits())
  const stopGauge = startGauge(meter, store)
  const rest = makeRest(() => options.resting?.())
  const { ready, refresh, stop } = startRefresh(options, store, meter.refreshing)
  const output = tapOutput(meter.measured(stdout), stderr?.isTTY ? [stderr] : [], plain)
  const rescuing = keepRescue(options.rescue, output.behind)
  const lender = makeLender({ stdin, output, terminal: () => terminal, mouse: () => mouse, rescue: rescuing.rescue, gone: () => terminal?.exit() })
  const lend = (what: string, use: () => Promise<void>): void =>
    void lender.lend(use).then(refresh, (error: unknown) => desk.tell(consoleText.couldNotOpen(what, error instanceof Error ? error.message : String(error)), 'refused'))
  const jobs = watchJobs(lender, options.stopJob, (sentence) => desk.tell(sentence, 'refused'), refresh)
  // Between two frames of Ink, which are written whole; while another program has the terminal only the command tells.
  const announce = (text: string): void => {
    if (!lender.isLent() && stdout.writable && !output.behind())
      output.stdout.write(noticeBytes(text, options.connection.core.settings.notify, { tmux: Boolean(environment['TMUX']) }))
    options.announce?.(text)
  }
  let touchedAt = performance.now()
  const stopAnnouncing = startAnnouncer(store, options.connection.core.settings.notify, {
    announce,
    // Whoever has the terminal lent, or reads no output, sees no row of it.
    idle: () => (lender.isLent() || output.behind() ? Infinity : performance.now() - touchedAt),
  })
  const desk = makeDesk(options.connection, store, {
    refresh,
    openShell: (folder) => lend(consoleText.theShell, () => options.openShell(folder)),
    openEditor: (path) => lend(consoleText.theEditor, () => options.openEditor(path)),
    suspend: jobs.suspend,
    redraw: output.redraw,
    quit: () => terminal?.exit(),
    ...(options.memory ? { memory: options.memory } : {}),
    copy: (text) => void output.stdout.write(copySequence(text, environment)),
  })
  desk.change((state) => ({ ...state, kept: keptOf(options.memory?.read() ?? {}) }))
  if (options.memory) keepComfort(desk, store, options.memory)
  if (options.memory) keepView(desk, store, options.memory)
  options.reports?.((sentence) => desk.tell(sentence, 'bug'))
  if (options.notice !== undefined) desk.tell(options.notice)

  // A terminal that is closed ends the console without a word: nobody is there to read it.
  const gone = (): void => terminal?.exit()
  stdout.on('error', gone)
  stdin.on('end', gone)
  try {
    const onBackground = (background: Background | undefined): void => desk.change(comforting(({ theme }) => ({ theme: { ...theme, background } })))
    const [background] = await Promise.all([askBackground(tap, output.stdout, environment, onBackground), ready])
    onBackground(background)
    tap.onMouse = (event) => {
      touchedAt = performance.now()
      pressMouse(desk, event)
    }
    // Whoever listens to the screen points at nothing. What is given back here is given back at a signal as well.
    const take = (given: Terminal): (() => void) => {
      terminal = given
      const own = useMouse(output.stdout, mouseWanted && !comfort.spoken)
      mouse = own
      rescuing.begin()
      return () => {
        own.end()
        rescuing.end()
      }
    }
    const onKey = (): void => {
      touchedAt = performance.now()
      meter.keyArrived()
      rest.disturbed()
      output.touch()
    }
    const app = <App store={store} desk={desk} repository={options.repository} onKey={onKey} onTerminal={take} />
    const drawing = render(app, {
      stdin: tap.stdin,
      stdout: output.stdout,
      alternateScreen: true,
      // What differs is found where it is written: line by line, each at its own place.
      incrementalRendering: false,
      exitOnCtrlC: false,
      interactive: true,
      patchConsole: true,
      maxFps: 250,
      isScreenReaderEnabled: comfort.spoken,
      onRender,
    })
    await drawing.waitUntilExit()
  } finally {
    mouse?.end()
    jobs.end()
    rescuing.end()
    output.end()
    // Ink gives back what it has taken; before its first frame only the question for the background has.
    if (!terminal && stdin.isTTY) stdin.setRawMode(false)
    stop()
    stopAnnouncing()
    stopGauge()
    rest.stop()
    stdin.off('end', gone)
    // Kept on purpose: a last write to a closed terminal may still fail after this.
  }
}

const loadCommands = async (options: ConsoleOptions, desk: Desk): Promise<void> => {
  try {
    const commands = (await options.commands?.()) ?? []
    desk.change((state) => ({ ...state, commands }))
  } catch (error) {
    desk.tell(sentenceOf(error), 'bug')
  }
}
