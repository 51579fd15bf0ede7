#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Services } from './cli/call/services.ts'
import type { Elsewhere } from './cli/run/run-cli.ts'
import { loadConsole, openConsole, startFirst, unlessLeft } from './composition/console.ts'
import { serveMcp } from './composition/serve-mcp.ts'
import { emptyPlace } from './composition/boards.ts'
import { flushed, interrupt, stdout, streams } from './composition/streams.ts'
import { closeDatabases, connect, makeOpeners, worldOf } from './composition/repositories.ts'
import type { World } from './effects/world.ts'
import { RELAY } from './effects/talk/journal-entry.ts'
import { isServer, WORKER } from './effects/doorway/entry.ts'
import { DOORWAY, FORWARD, HOST, SERVE } from './effects/sandbox/entry.ts'
import { endWithStarter, growFast, isNewEnough, pinnedNode, runAgainOn, tooOld } from './effects/opening/runtime.ts'

// The composition root. All but the runtime check is imported on demand: native code crashes on an old Node silently.

/** `migrations/` is beside the built program, and beside `src`. */
const migrations = fileURLToPath(new URL('../migrations', import.meta.url))
const self = [process.execPath, fileURLToPath(import.meta.url)]
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const { openWorld, ...stores } = makeOpeners(migrations, self, version, interrupt.signal)

const main = async (): Promise<number> => {
  if (!isNewEnough()) {
    const node = pinnedNode(import.meta.url)
    if (node !== undefined) return runAgainOn(node, import.meta.url, process.argv.slice(2))
    process.stderr.write(`${tooOld()}.\n`)
    return 1
  }
  if (process.argv[2] === RELAY) return (await import('./effects/talk/relay.ts')).relay(process.argv.slice(3))
  if (process.argv[2] === HOST) return (await import('./effects/sandbox/host.ts')).host(process.argv.slice(3))
  if (process.argv[2] === FORWARD)
    return (await import('./effects/sandbox/forwarder.ts')).forwardLoopback(process.argv.slice(3))
  const elsewhere = await elsewhereHere(process.argv.slice(2))
  if (elsewhere === 'served') return 0
  module.enableCompileCache()
  if (process.argv[2] === SERVE)
    return (await import('./composition/doorway.ts')).serveDoorway(() => openWorld(process.cwd()), interrupt.signal)
  endWithStarter(() => process.exit(129))
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => interrupt.abort())
  const words = process.argv.slice(2)
  const code =
    (elsewhere === undefined ? await openAtOnce(words) : undefined) ??
    (await (await import('./cli/run/run-cli.ts')).runCli(words, streams, services, process.env, elsewhere))
  closeDatabases()
  return code
}

/**
 * How an agent's command line has its operations performed; undefined for anyone else. An agent's MCP server is piped
 * here, to its end.
 */
const elsewhereHere = async (words: readonly string[]): Promise<Elsewhere | 'served' | undefined> => {
  if (!process.env[DOORWAY] && !process.env[WORKER]) return undefined
  const { askForTools, placeHere, wake } = await import('./effects/doorway/ask.ts')
  const place = placeHere()
  if (place === undefined) return undefined
  if (isServer(words, process.env['AISWARM_ROOT'] ?? ''))
    return (await askForTools(place, stdout)) ? 'served' : undefined
  wake(place)
  return (await import('./composition/doorway.ts')).elsewhereOf(place, Boolean(process.env[DOORWAY]))
}

/** Opens the console if there are no other words; the commands are then loaded after the first frame. */
const openAtOnce = async (words: readonly string[]): Promise<number | undefined> => {
  if (words.length > 1 || (words[0] ?? 'tui') !== 'tui') return undefined
  growFast()
  const { whyNoScreen } = await import('./cli/call/screen.ts')
  if (whyNoScreen(streams.stdinIsTerminal && streams.stdoutIsTerminal, process.env)) return undefined
  try {
    await services.openConsole(process.cwd())
    return 0
  } catch (error) {
    return (await import('./cli/run/run-cli.ts')).report(error, false, streams)
  }
}

/** The board of a worker, which waits for its server as the loops do; undefined if it was ended meanwhile. */
const openWhenThere = async (folder: string, line: (text: string) => void): Promise<World | undefined> => {
  const { findRepository } = await import('./effects/git/repository.ts')
  const { whenThere } = await import('./effects/hosts/outage.ts')
  const { root } = await findRepository(folder)
  return whenThere(root, () => openWorld(folder), { report: line, signal: interrupt.signal })
}

const services: Services = {
  version,
  open: async (root) => connect(await openWorld(root)),
  ...stores,
  initialise: async (folder, { bmad = false, answers } = {}) => {
    const { findRepository } = await import('./effects/git/repository.ts')
    const { initialise } = await import('./effects/starting/initialise.ts')
    const { writeBmadProgram } = await import('./effects/memories/bmad.ts')
    const { root } = await findRepository(folder)
    return [...(bmad ? writeBmadProgram(root, self) : []), ...(await initialise(root, answers))]
  },
  proposeStart: async (folder) => {
    const { findRepository } = await import('./effects/git/repository.ts')
    const { proposeStart } = await import('./effects/starting/proposal.ts')
    return proposeStart((await findRepository(folder)).root, process.env)
  },
  configurationFor: async (answers) => (await import('./effects/starting/initialise.ts')).configurationText(answers),
  repositoryRoot: async (folder) => (await import('./effects/git/repository.ts')).findCheckout(folder),
  fileLock: async () => (await import('./db/sqlite/file-lock.ts')).withFileLock,
  openConsole: async (root) => {
    const world = await unlessLeft(openWorld(root, loadConsole, (found) => startFirst(found, services)))
    if (world) await openConsole(world, root, services)
  },
  supervise: async (root, options) => {
    const { superviseHeadless } = await import('./effects/loops/headless.ts')
    const world = await openWorld(root)
    await connect(world)
    return superviseHeadless(world, { ...options, signal: interrupt.signal })
  },
  work: async (root, options) => {
    const { work } = await import('./effects/loops/headless.ts')
    const world = options.once ? await openWorld(root) : await openWhenThere(root, options.line)
    if (world === undefined) return
    await connect(world)
    return work(world, { ...options, signal: interrupt.signal })
  },
  runTasks: async (connection, { taskIds, ...options }) => {
    const { runTasks } = await import('./effects/loops/headless.ts')
    await runTasks(worldOf(connection), taskIds, { ...options, signal: interrupt.signal })
  },
  exportSession: async (connection, folder) =>
    (await import('./effects/session-files/export.ts')).exportSession(worldOf(connection), folder),
  demo: async ({ json, line }) => {
    const demo = await import('./effects/demo/demo.ts')
    const { whyNoScreen } = await import('./cli/call/screen.ts')
    const inConsole = !json && !whyNoScreen(streams.stdinIsTerminal && streams.stdoutIsTerminal, process.env)
    const root = await demo.makeDemoRepository(inConsole ? 'human' : 'auto')
    const world = await openWorld(root)
    await connect(world)
    if (!inConsole) return demo.runDemoPiped(world, line, interrupt.signal)
    await demo.fillDemoBoard(world)
    await openConsole(
      world,
      root,
      services,
      `Demo: its agents are shell commands. When ${demo.firstWorktree} is done, select it and press i: one claim is false on purpose.`,
    )
    line(`Open the demo again: ${demo.openAgain(root)}`)
    return 0
  },
  serveMcp: (root, options) => serveMcp(() => openWorld(root), services.version, options),
  listMcpTools: async ({ core, actor }, { planner }) => {
    const { client } = await import('./domain/agent/actor.ts')
    return (await import('./mcp/server/tool-costs.ts')).toolCosts({
      core,
      actor: actor.kind !== 'person' || !planner ? actor : client('planner'),
    })
  },
  metricsText: async (metrics) => (await import('./effects/metrics/metrics.ts')).metricsText(metrics),
  serveMetrics: async (connection, options) =>
    (await import('./effects/metrics/server.ts')).serveMetrics(connection, { ...options, signal: interrupt.signal }),
  diagnose: async (root) => {
    const { diagnoseFolder } = await import('./effects/opening/doctor.ts')
    const open = async () => {
      const world = await openWorld(root)
      await connect(world)
      return world
    }
    return diagnoseFolder(root, open, emptyPlace)
  },
  dryRun: async (connection, request) => {
    const { dryRun } = await import('./effects/runs/dry-run.ts')
    return dryRun(worldOf(connection), request)
  },
  adoptArchive: async (connection, worktree) =>
    (await import('./effects/archive/adopt.ts')).adoptFromRefs(worldOf(connection), worktree),
  sweepTrash: async (connection) => (await import('./effects/archive/trash.ts')).sweepTrash(worldOf(connection)),
  nextChange: async ({ core }, ms) => {
    const { nextChange } = await import('./effects/loops/changes.ts')
    await nextChange(core.store, core.store.version(), ms, interrupt.signal)
  },
  lendTo: async (taken) => (await import('./composition/run-on-terminal.ts')).lendTo(taken),
  settingsOf: ({ core }) => core.settings,
}

for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
const code = await main()
await Promise.all([flushed(stdout), flushed(process.stderr)])
process.exit(code)
