import { render } from 'ink'
import { App } from './screen/App.tsx'
import { changingPreferences } from './core/state.ts'
import { keepPreferences } from './preferences/store.ts'
import { keepView } from './preferences/stored-view.ts'
import type { Background } from './core/theme.ts'
import { type ConsoleOptions, type Controller, sentenceOf } from './core/controller.ts'
import { keptOf } from './core/console-memory.ts'
import { type ConsoleStreams, openConsole, type Opened } from './open-console.ts'
import { askBackground } from './terminal/background.ts'
import { pressMouse } from './mouse/press.ts'
import type { Terminal } from './terminal/lending.ts'
import { useMouse } from './terminal/mouse.ts'

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
const beginController = (options: ConsoleOptions, { controller, store }: Opened): void => {
  controller.change((state) => ({ ...state, kept: keptOf(options.memory?.read() ?? {}) }))
  if (options.memory) keepPreferences(controller, store, options.memory)
  if (options.memory) keepView(controller, store, options.memory)
  options.reports?.((sentence, isGood) => controller.tell(sentence, isGood ? 'told' : 'bug'))
  if (options.notice !== undefined) controller.tell(options.notice)
}

/** Draws until the console is quit. */
const drawConsole = async (options: ConsoleOptions, opened: Opened, environment: NodeJS.ProcessEnv): Promise<void> => {
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

const howToRender = {
  alternateScreen: true,
  // The output tap compares frames line by line and writes only the lines that differ, each at its place.
  incrementalRendering: false,
  exitOnCtrlC: false,
  interactive: true,
  patchConsole: true,
  maxFps: 250,
} as const

const loadCommands = async (options: ConsoleOptions, controller: Controller): Promise<void> => {
  try {
    const commands = (await options.commands?.()) ?? []
    controller.change((state) => ({ ...state, commands }))
  } catch (error) {
    controller.tell(sentenceOf(error), 'bug')
  }
}
