import { render } from 'ink'
import { App, type Terminal } from './App.tsx'
import type { ConsoleOptions } from './console-options.ts'
import { makeDesk } from './desk.ts'
import { startRefresh } from './refresh.ts'
import { makeStore } from './store.ts'

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
  const store = makeStore(options.connection.core.clock())
  let terminal: Terminal | undefined
  const { ready, refresh, stop } = startRefresh(options, store)
  const lend = (what: string, use: () => Promise<void>): void => {
    void terminal
      ?.suspendTerminal(use)
      .then(refresh, (error: unknown) => desk.tell(`${what} could not be opened: ${error instanceof Error ? error.message : String(error)}`, 'refused'))
  }
  const desk = makeDesk(options.connection, store, {
    refresh,
    openShell: (folder) => lend('The shell', () => options.openShell(folder)),
    openEditor: (path) => lend('The editor', () => options.openEditor(path)),
    quit: () => terminal?.exit(),
  })
  options.reports?.((sentence) => desk.tell(sentence, 'bug'))
  if (options.notice !== undefined) desk.tell(options.notice)

  // A terminal that is closed ends the console without a word: nobody is there to read it.
  const gone = (): void => terminal?.exit()
  stdout.on('error', gone)
  stdin.on('end', gone)
  try {
    await ready
    const app = <App store={store} desk={desk} repository={options.repository} colours={!environment['NO_COLOR']} onTerminal={(given) => (terminal = given)} />
    await render(app, { stdin, stdout, alternateScreen: true, incrementalRendering: true, exitOnCtrlC: false, interactive: true, patchConsole: true, maxFps: 250 }).waitUntilExit()
  } finally {
    stop()
    stdin.off('end', gone)
    // Kept on purpose: a last write to a closed terminal may still fail after this.
  }
}
