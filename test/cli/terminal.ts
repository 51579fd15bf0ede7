import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { runCli } from '../../src/cli/run/run-cli.ts'
import type { Services } from '../../src/cli/call/services.ts'
import type { Streams } from '../../src/cli/call/streams.ts'
import { type Actor, person, system } from '../../src/domain/agent/actor.ts'
import { defaultSettings } from '../../src/domain/settings/settings.ts'
import type { Connection, Core } from '../../src/operations/perform/core.ts'
import type { Outside } from '../../src/contracts/outside.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { syncPersonas } from '../../src/operations/agents/persona-files.ts'
import { fastFolder } from '../support/fast-folder.ts'
import { openMigrated } from '../support/template.ts'

export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Terminal {
  readonly folder: string
  readonly core: Core
  /** Runs one command line. */
  readonly run: (...argv: string[]) => Promise<Said>
  /** Like `run` with --json; returns the value on standard output. */
  readonly json: <T = unknown>(...argv: string[]) => Promise<T>
  /** Like `run` with --json; returns the exit code and the error on standard error. */
  readonly refused: (...argv: string[]) => Promise<{ exit: number; code: string; message: string }>
}

export interface Given {
  readonly outside?: Partial<Outside>
  readonly services?: Partial<Services>
  readonly streams?: Partial<Streams>
  readonly environment?: Record<string, string>
  readonly actor?: Actor
}

export const now = '2026-01-30T14:22:30.000Z'

/** A command line on a real database in a folder of its own; `given` replaces the world outside. */
export const openTerminal = async (given: Given = {}): Promise<Terminal> => {
  const folder = mkdtempSync(join(fastFolder, 'aiswarm-cli-'))
  mkdirSync(join(folder, 'shop', '.aiswarm'), { recursive: true })
  const store = await openMigrated(join(folder, 'shop', '.aiswarm', 'coordination.db'))
  onTestFinished(() => {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const core: Core = {
    store,
    root: join(folder, 'shop'),
    clock: () => now,
    settings: defaultSettings,
    kinds: ['command', 'claude'],
    allowRules: () => [],
    newToken: () => 'token-1',
    memoryUser: 'default_user',
    launchToken: (agentId, run) => `${agentId}-${run}`,
  }
  await perform(core, syncPersonas, { files: [] }, system())
  const run = (...argv: string[]): Promise<Said> => runOn(core, given, argv)
  return {
    folder,
    core,
    run,
    json: async <T>(...argv: string[]) => {
      const said = await run(...argv, '--json')
      if (said.err !== '') throw new Error(said.err)
      return JSON.parse(said.out) as T
    },
    refused: async (...argv) => {
      const said = await run(...argv, '--json')
      if (said.out !== '') throw new Error(said.out)
      const { error } = JSON.parse(said.err) as { error: { code: string; message: string } }
      return { exit: said.code, code: error.code, message: error.message }
    },
  }
}

const runOn = async (
  core: Core,
  { outside, services, streams, environment = {}, actor = person }: Given,
  argv: readonly string[],
): Promise<Said> => {
  let out = ''
  let err = ''
  const connection: Connection = { core, actor, outside: { ...quietOutside, ...outside } }
  const code = await runCli(
    argv,
    {
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      stdinIsTerminal: false,
      stdoutIsTerminal: false,
      readInput: () => Promise.resolve(''),
      ask: () => Promise.reject(new Error('nobody was to be asked')),
      ...streams,
    },
    {
      ...absentServices,
      open: () => Promise.resolve(connection),
      openDatabase: () => Promise.resolve({ store: core.store }),
      ...services,
    },
    environment,
  )
  return { code, out, err }
}

const notExpected = (): Promise<never> => Promise.reject(new Error('not expected in this test'))

const quietOutside: Outside = {
  carryOut: () => Promise.resolve(),
  observeWorktrees: () => Promise.resolve([]),
  absentWorktrees: () => Promise.resolve([]),
  observeProcesses: () => Promise.resolve([]),
  measureWorktrees: () => Promise.resolve([]),
  radar: () => Promise.resolve({ worktrees: [], pairs: [], order: [], steps: [] }),
  reviewWorktree: () => Promise.reject(new Error('no review was expected')),
  presentWorktree: () => Promise.reject(new Error('no diff was expected')),
  readReviewFile: () => Promise.reject(new Error('no file was expected')),
  readVerification: () => Promise.resolve({ text: '', next: 0, size: 0 }),
  readOutput: () => Promise.resolve({ text: '', next: 0, size: 0 }),
  readRawOutput: () => Promise.resolve({ text: '', next: 0, size: 0 }),
  inspectAgent: () => Promise.resolve({ command: null, folder: null, environment: null, processes: null }),
  refusedHosts: () => Promise.resolve([]),
  worktreeContents: () => Promise.resolve({ target: 'main', commits: [], more: false, files: [], moreFiles: false }),
  conversations: { read: notExpected, find: notExpected, watch: () => () => {} },
  takeOver: notExpected,
  saveLog: () => Promise.resolve(''),
  nextChange: () => Promise.resolve(),
  whyUnconfined: () => Promise.resolve(null),
  census: () => Promise.reject(new Error('no census was expected')),
  readMove: () => Promise.resolve({ text: '', complete: true }),
  gitCommands: () => Promise.resolve([]),
  whyNoLogin: () => Promise.resolve(undefined),
  configurations: { read: notExpected, draft: notExpected, save: notExpected },
  memories: { read: () => Promise.reject(new Error('no memory was expected')), forget: () => {} },
}

const absentServices: Omit<Services, 'open' | 'openDatabase'> = {
  version: '0.1.0',
  findLostMerges: () => Promise.resolve([]),
  restoreDatabase: notExpected,
  copyBoard: notExpected,
  nameStore: notExpected,
  migrateBoard: () => Promise.resolve(),
  joinLine: notExpected,
  joinFleet: notExpected,
  restoreFleet: notExpected,
  renewSecret: notExpected,
  installWorker: notExpected,
  keepNote: notExpected,
  tryRemote: notExpected,
  work: notExpected,
  proposeStart: async () => ({
    root: '/shop',
    path: '/shop/.aiswarm/config.yaml',
    configured: false,
    targets: ['main'],
    verifications: [{ command: 'npm test', setup: 'npm ci', from: 'package.json' }],
    agents: [{ kind: 'claude', loggedIn: true }],
    missing: [],
  }),
  configurationFor: async ({ verify }) => `integration: {verify: ${verify}}\n`,
  initialise: notExpected,
  repositoryRoot: notExpected,
  fileLock: notExpected,
  openConsole: notExpected,
  supervise: notExpected,
  runTasks: notExpected,
  exportSession: notExpected,
  demo: notExpected,
  serveMcp: notExpected,
  listMcpTools: notExpected,
  metricsText: notExpected,
  serveMetrics: notExpected,
  diagnose: notExpected,
  dryRun: notExpected,
  adoptArchive: () => Promise.resolve(false),
  sweepTrash: notExpected,
  nextChange: notExpected,
  lendTo: () => Promise.reject(new Error('no terminal to lend')),
  settingsOf: ({ core }) => core.settings,
}
