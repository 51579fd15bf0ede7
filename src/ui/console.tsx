import { render } from 'ink'
import { noticeBytes } from '../domain/notices.ts'
import { App, type Terminal } from './App.tsx'
import { comforting } from './comfort/arrangement.ts'
import { beginComfort } from './comfort/begin.ts'
import { keepComfort } from './comfort/keep.ts'
import type { Background } from './comfort/theme.ts'
import type { ConsoleOptions } from './console-options.ts'
import { makeDesk } from './desk.ts'
import { startAnnouncer } from './inbox/announcer.ts'
import { startGauge } from './gauge/feed.ts'
import { makeMeter } from './gauge/meter.ts'
import { keptOf } from './kept.ts'
import { copySequence } from './palette/copy.ts'
import { isPlain } from './plots/state.ts'
import { startRefresh } from './refresh.ts'
import { makeStore } from './store.ts'
import { askBackground } from './terminal/background.ts'
import { pressMouse } from './terminal/hits.ts'
import { tapInput } from './terminal/input.ts'
import { letGo, useMouse } from './terminal/lend.ts'

export interface ConsoleStreams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly environment: NodeJS.ProcessEnv
}

/** The console until it is quit, or its terminal is gone. Agents go on either way. */
export const runConsole = async (
  options: ConsoleOptions,
  { stdin, stdout, environment }: ConsoleStreams = { stdin: process.stdin, stdout: process.stdout, environment: process.env },
): Promise<void> => {
  const comfort = beginComfort(options, environment)
  const store = makeStore(options.connection.core.clock())
  store.setState({ comfort, plots: { ...store.getState().plots, plain: isPlain(environment) } })
  const tap = tapInput(stdin)
  const { mouse: mouseWanted } = options.connection.core.settings.console
  let terminal: Terminal | undefined
  let lent = false
  let mouse: ReturnType<typeof useMouse> | undefined
  const meter = makeMeter(() => options.connection.core.store.waits())
  const stopGauge = startGauge(meter, store)
  const { ready, refresh, stop } = startRefresh(options, store, meter.refreshing)
  const lend = (what: string, use: () => Promise<void>): void => {
    void terminal
      ?.suspendTerminal(async () => {
        lent = true
        await letGo(stdin)
        await (mouse ? mouse.without(use) : use()).finally(() => (lent = false))
      })
      .then(refresh, (error: unknown) => desk.tell(`${what} could not be opened: ${error instanceof Error ? error.message : String(error)}`, 'refused'))
  }
  // Between two frames of Ink, which are written whole; while another program has the terminal only the command tells.
  const stopAnnouncing = startAnnouncer(store, options.connection.core.settings.notify, (text) => {
    if (!lent && stdout.writable && !stdout.writableNeedDrain) stdout.write(noticeBytes(text, options.connection.core.settings.notify, { tmux: Boolean(environment['TMUX']) }))
    options.announce?.(text)
  })
  const desk = makeDesk(options.connection, store, {
    refresh,
    openShell: (folder) => lend('The shell', () => options.openShell(folder)),
    openEditor: (path) => lend('The editor', () => options.openEditor(path)),
    quit: () => terminal?.exit(),
    ...(options.memory ? { memory: options.memory } : {}),
    copy: (text) => void stdout.write(copySequence(text, environment)),
  })
  desk.change((state) => ({ ...state, commands: options.commands ?? [], kept: keptOf(options.memory?.read() ?? {}) }))
  if (options.memory) keepComfort(desk, store, options.memory)
  options.reports?.((sentence) => desk.tell(sentence, 'bug'))
  if (options.notice !== undefined) desk.tell(options.notice)

  // A terminal that is closed ends the console without a word: nobody is there to read it.
  const gone = (): void => terminal?.exit()
  stdout.on('error', gone)
  stdin.on('end', gone)
  try {
    const onBackground = (background: Background | undefined): void => desk.change(comforting(({ theme }) => ({ theme: { ...theme, background } })))
    const [background] = await Promise.all([askBackground(tap, stdout, environment, onBackground), ready])
    onBackground(background)
    tap.onMouse = (event) => pressMouse(desk, event)
    // Whoever listens to the screen points at nothing. What is given back here is given back at a signal as well.
    const take = (given: Terminal): (() => void) => {
      terminal = given
      const own = useMouse(stdout, mouseWanted && !comfort.spoken)
      mouse = own
      return own.end
    }
    const app = <App store={store} desk={desk} repository={options.repository} onKey={meter.keyArrived} onTerminal={take} />
    await render(app, {
      stdin: tap.stdin,
      stdout: meter.measured(stdout),
      alternateScreen: true,
      incrementalRendering: true,
      exitOnCtrlC: false,
      interactive: true,
      patchConsole: true,
      maxFps: 250,
      isScreenReaderEnabled: comfort.spoken,
    }).waitUntilExit()
  } finally {
    mouse?.end()
    // Ink gives back what it has taken; before its first frame only the question for the background has.
    if (!terminal && stdin.isTTY) stdin.setRawMode(false)
    stop()
    stopAnnouncing()
    stopGauge()
    stdin.off('end', gone)
    // Kept on purpose: a last write to a closed terminal may still fail after this.
  }
}
