#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Services, Streams } from './cli/call/services.ts'
import type { Actor } from './domain/agent/actor.ts'
import { reserveStdout } from './mcp/protocol/stdout.ts'
import { endWithStarter, isNewEnough, pinnedNode, runAgainOn, tooOld } from './effects/opening/runtime.ts'
import type { World } from './effects/world.ts'
import type { Store } from './db/open/open.ts'
import type { Connection } from './contracts/outside.ts'

// The composition root. All but the runtime check is imported on demand: native code crashes on an old Node silently.

/** `migrations/` is beside the built program, and beside `src`. */
const migrations = fileURLToPath(new URL('../migrations', import.meta.url))
const self = [process.execPath, fileURLToPath(import.meta.url)]
const opened = new Map<Connection, World>()
/** Databases that were opened without a world. */
const stores: Store[] = []
/** An MCP client reads standard output as protocol, so only protocol messages may be written to it. */
const stdout = process.argv.includes('mcp') ? reserveStdout() : process.stdout
const interrupt = new AbortController()

const main = async (): Promise<number> => {
  if (!isNewEnough()) {
    const node = pinnedNode(import.meta.url)
    if (node !== undefined) return runAgainOn(node, import.meta.url, process.argv.slice(2))
    process.stderr.write(`${tooOld()}.\n`)
    return 1
  }
  module.enableCompileCache()
  endWithStarter(() => process.exit(129))
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => interrupt.abort())
  const code = (await openAtOnce(process.argv.slice(2))) ?? (await (await import('./cli/run/run-cli.ts')).runCli(process.argv.slice(2), streams, services, process.env))
  for (const { core } of opened.values()) core.store.close()
  for (const store of stores) store.close()
  return code
}

/** Opens the console if there are no other words; the commands are then loaded after the first frame. */
const openAtOnce = async (words: readonly string[]): Promise<number | undefined> => {
  const { whyNoScreen } = await import('./cli/call/screen.ts')
  if (words.length > 1 || (words[0] ?? 'tui') !== 'tui' || whyNoScreen(streams.stdinIsTerminal && streams.stdoutIsTerminal, process.env)) return undefined
  try {
    await services.openConsole(process.cwd())
    return 0
  } catch (error) {
    return (await import('./cli/run/run-cli.ts')).report(error, false, streams)
  }
}

const streams: Streams = {
  out: (text) => void stdout.write(text),
  err: (text) => void process.stderr.write(text),
  stdinIsTerminal: process.stdin.isTTY === true,
  stdoutIsTerminal: process.stdout.isTTY === true,
  readInput: async () => {
    const chunks: Buffer[] = []
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
    return (await import('./memory/session-files/decode.ts')).utf8(Buffer.concat(chunks), 'standard input')
  },
  ask: async (question, above) => {
    const { createInterface } = await import('node:readline/promises')
    const { terminalOutput } = await import('./effects/processes/terminal-output.ts')
    const output = terminalOutput()
    output.write(above)
    const terminal = createInterface({ input: process.stdin, output })
    try {
      return await terminal.question(question, { signal: interrupt.signal })
    } finally {
      terminal.close()
      if (output !== process.stderr) output.destroy()
    }
  },
  signal: interrupt.signal,
}

const warn = (sentence: string): void => void process.stderr.write(`aiswarm: ${sentence}\n`)

/** The repository that contains `root`, and its open database. `meanwhile` runs while git searches. */
const openWorld = async (root: string, meanwhile: () => void = () => {}): Promise<World> => {
  const { findRepository } = await import('./effects/git/repository.ts')
  const repository = findRepository(root)
  repository.catch(() => {})
  setImmediate(meanwhile)
  const { openStore } = await import('./db/open/open.ts')
  const effects = await import('./effects/opening/open-core.ts')
  return effects.openWorld((await repository).root, { openStore: (path) => openStore(path, { migrations, warn }), self, warn })
}

/** Only the database of the repository that contains `root`. */
const openDatabase = async (root: string): Promise<{ store: Store }> => {
  const repository = await (await import('./effects/git/repository.ts')).findRepository(root)
  const { databasePath } = await import('./effects/files/places.ts')
  const { openStore } = await import('./db/open/open.ts')
  const store = await openStore(databasePath(repository.root), { migrations, warn })
  stores.push(store)
  return { store }
}

const restoreDatabase = async (folder: string, file: string): ReturnType<Services['restoreDatabase']> => {
  const { root } = await (await import('./effects/git/repository.ts')).findRepository(folder)
  const { restoreBoard } = await import('./effects/opening/restore-board.ts')
  return restoreBoard(root, file, { open: () => openWorld(root), report: warn })
}

const connect = async (world: World): Promise<Connection> => {
  const { identityOf } = await import('./effects/opening/identity.ts')
  const { outsideOf } = await import('./effects/opening/outside.ts')
  const connection = { core: world.core, actor: await identityOf(world, process.env), outside: outsideOf(world) }
  opened.set(connection, world)
  return connection
}

const worldOf = (connection: Connection): World => opened.get(connection)!

const loadConsole = (): void =>
  void Promise.all([import('./db/open/open.ts'), import('./effects/opening/open-core.ts'), import('./effects/opening/console-world.ts'), import('./ui/console.tsx')]).catch(
    () => {},
  )

const openConsole = async (world: World, from: string, notice?: string): Promise<void> => {
  const { runWithConsole } = await import('./effects/opening/console-world.ts')
  const connection = await connect(world)
  await refuseConsoleOfAgent(connection.actor)
  const { runConsole } = await import('./ui/console.tsx')
  const commands = async () =>
    (await import('./cli/run/for-console.ts')).commandsForConsole(connection, services, process.env, from === process.cwd() ? undefined : world.core.root)
  await runWithConsole(world, connection, (options) => runConsole({ ...options, commands, ...(notice === undefined ? {} : { notice }) }))
}

/** The person at the console approves; an agent that opens its own terminal is not a person. */
const refuseConsoleOfAgent = async (actor: Actor): Promise<void> => {
  if (actor.kind === 'person') return
  const [{ nameOf }, { Refusal }] = await Promise.all([import('./domain/agent/actor.ts'), import('./domain/rules/refusal.ts')])
  throw new Refusal('not_allowed', `${actor.kind === 'agent' ? `Agent ${actor.id}` : nameOf(actor)} started this console, and only a person may use it.`)
}

/** The same refusals as for every command; a client on standard input and output receives them in its own protocol. */
const openForClient = async (root: string, onStdio: boolean): Promise<{ world: World; own: Connection }> => {
  try {
    const world = await openWorld(root)
    return { world, own: await connect(world) }
  } catch (error) {
    const { isRefusal } = await import('./domain/rules/refusal.ts')
    if (onStdio && isRefusal(error)) await (await import('./mcp/transport/refuse.ts')).refuseStdio(error.message, { output: stdout, signal: interrupt.signal })
    throw error
  }
}

const services: Services = {
  version: (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version,
  open: async (root) => connect(await openWorld(root)),
  openDatabase,
  restoreDatabase,
  initialise: async (folder, { bmad = false } = {}) => {
    const { findRepository } = await import('./effects/git/repository.ts')
    const { initialise } = await import('./effects/opening/initialise.ts')
    const { writeBmadProgram } = await import('./effects/session-files/bmad.ts')
    const { root } = await findRepository(folder)
    return [...(bmad ? writeBmadProgram(root, self) : []), ...(await initialise(root))]
  },
  repositoryRoot: async (folder) => (await import('./effects/git/repository.ts')).findCheckout(folder),
  fileLock: async () => (await import('./db/engine/file-lock.ts')).withFileLock,
  openConsole: async (root) => openConsole(await openWorld(root, loadConsole), root),
  supervise: async (root, options) => {
    const { superviseHeadless } = await import('./effects/loops/headless.ts')
    const world = await openWorld(root)
    await connect(world)
    return superviseHeadless(world, { ...options, signal: interrupt.signal })
  },
  runTasks: async (connection, { taskIds, ...options }) => {
    const { runTasks } = await import('./effects/loops/run-tasks.ts')
    await runTasks(worldOf(connection), taskIds, { ...options, signal: interrupt.signal })
  },
  exportSession: async (connection, folder) => (await import('./effects/session-files/export.ts')).exportSession(worldOf(connection), folder),
  demo: async ({ json, line }) => {
    const demo = await import('./effects/demo/demo.ts')
    const { whyNoScreen } = await import('./cli/call/screen.ts')
    const inConsole = !json && !whyNoScreen(streams.stdinIsTerminal && streams.stdoutIsTerminal, process.env)
    const root = await demo.makeDemoRepository(inConsole ? 'human' : 'auto')
    const world = await openWorld(root)
    await connect(world)
    if (!inConsole) return demo.runDemoPiped(world, line, interrupt.signal)
    await demo.fillDemoBoard(world)
    await openConsole(world, root, `Demo: when ${demo.firstWorktree} is done, select it and press i. Its agents are shell commands in ${root}.`)
    line(`The demo's repository is at ${root}; '${demo.openAgain(root)}' opens it again.`)
    return 0
  },
  serveMcp: async (root, { planner, http, listening }) => {
    const { world, own } = await openForClient(root, http === null && !streams.stdinIsTerminal)
    const { client } = await import('./domain/agent/actor.ts')
    const report = (sentence: string): void => void process.stderr.write(`aiswarm mcp: ${sentence}\n`)
    // A caller without an identity represents a person, but is not the person.
    const connection = own.actor.kind === 'person' ? { ...own, actor: client(planner ? 'planner' : 'person') } : own
    if (planner && connection.actor.kind === 'client' && connection.actor.role !== 'planner') report('an agent started this server, so it does not serve as a planner')
    const common = { version: services.version, report, signal: interrupt.signal }
    // A person started it to have plans carried out; a server bound to an agent never supervises.
    const supervisor =
      connection.actor.kind === 'client' && connection.actor.role === 'planner'
        ? (await import('./effects/loops/supervisor.ts')).startSupervisor({ ...world, report }, { maxParallel: world.core.settings.session.maxParallel })
        : undefined
    try {
      if (http === null) return await (await import('./mcp/transport/serve.ts')).serveStdio(connection, { ...common, output: stdout })
      const { serveHttp } = await import('./mcp/transport/http.ts')
      const token = process.env['AISWARM_MCP_TOKEN'] ?? world.core.newToken()
      return await serveHttp({ ...common, connection, port: http, token, listening: (url) => listening({ url, token }) })
    } finally {
      await supervisor?.stop()
    }
  },
  listMcpTools: async ({ core, actor }, { planner }) => {
    const { client } = await import('./domain/agent/actor.ts')
    return (await import('./mcp/server/tool-costs.ts')).toolCosts({ core, actor: actor.kind !== 'person' || !planner ? actor : client('planner') })
  },
  metricsText: async (metrics) => (await import('./effects/metrics/metrics.ts')).metricsText(metrics),
  serveMetrics: async (connection, options) => (await import('./effects/metrics/server.ts')).serveMetrics(connection, { ...options, signal: interrupt.signal }),
  diagnose: async (root) => {
    const { diagnoseFolder } = await import('./effects/opening/doctor.ts')
    return diagnoseFolder(root, async () => {
      const world = await openWorld(root)
      await connect(world)
      return world
    })
  },
  dryRun: async (connection, request) => {
    const { dryRun } = await import('./effects/runs/dry-run.ts')
    return dryRun(worldOf(connection), request)
  },
  adoptArchive: async (connection, worktree) => (await import('./effects/archive/adopt.ts')).adoptFromRefs(worldOf(connection), worktree),
  sweepTrash: async (connection) => (await import('./effects/archive/trash.ts')).sweepTrash(worldOf(connection)),
  nextChange: async ({ core }, ms) => {
    const { nextChange } = await import('./effects/loops/changes.ts')
    await nextChange(core.store, core.store.version(), ms, interrupt.signal)
  },
  settingsOf: ({ core }) => core.settings,
}

/**
 * Resolves when a pipe has accepted the output, which exiting earlier would truncate. A closed reader is not an error.
 */
const flushed = (stream: NodeJS.WriteStream): Promise<void> => new Promise((resolve) => void stream.write('', () => resolve()))

for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
const code = await main()
await Promise.all([flushed(stdout), flushed(process.stderr)])
process.exit(code)
