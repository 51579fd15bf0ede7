import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pty from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { makeOpeners } from '../../src/composition/repositories.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { outsideOf } from '../../src/effects/opening/outside.ts'
import type { Taken } from '../../src/contracts/conversation.ts'
import { LOCAL } from '../../src/domain/host/host.ts'
import { processesMarked } from '../../src/effects/processes/table.ts'
import { startSupervisor } from '../../src/effects/loops/supervisor.ts'
import { createTask } from '../../src/operations/tasks/create.ts'
import { createWorktree } from '../../src/operations/worktrees/create.ts'
import { getTask, type TaskDetail } from '../../src/operations/tasks/detail.ts'
import { act, perform } from '../../src/operations/perform/perform.ts'
import { CLUSTER } from '../support/postgres.ts'
import { binFolder, type Cli, withOwnServer, writeHome } from './clis.ts'

const here = import.meta.dirname
const program = resolve(here, '../../dist/main.js')

/** The server that has the boards; each board is a file without one. */
const server = process.env[CLUSTER]
let boards = 0

/** A step of the scripted model; its format is described at the head of scripted-model.mjs. */
export type Step = Readonly<Record<string, unknown>>

export type Stage = Awaited<ReturnType<typeof openStage>>

export interface StageOptions {
  readonly approvals?: string
  /** Further configuration, and further settings of the persona. */
  readonly config?: string
  readonly persona?: string
  /** True if the person has configured an MCP server of their own for the CLI. */
  readonly ownServer?: boolean
}

/** A real board on a real repository with the real supervisor, on which one CLI works with a model that follows a script. */
export const openStage = async (
  cli: Cli,
  script: readonly Step[],
  { approvals = 'allow-all', config = '', ownServer = false, persona = '' }: StageOptions = {},
) => {
  const folder = mkdtempSync(join(tmpdir(), `aiswarm-${cli.name}-`))
  const [home, root] = [join(folder, 'home'), join(folder, 'shop')]
  // A script waits for files there, also in a sandbox.
  const signals = join(home, 'signals')
  for (const made of [home, root, signals]) mkdirSync(made)
  const model = await startModel(folder, script)
  const mark = join(signals, 'own-server')
  writeHome(
    home,
    ownServer
      ? withOwnServer(cli, cli.home(model.url), process.execPath, [join(here, 'own-server.mjs'), mark])
      : cli.home(model.url),
  )
  Object.assign(process.env, cli.environment(model.url), {
    HOME: home,
    PATH: `${binFolder(cli)}:${process.env['PATH'] ?? ''}`,
  })
  for (const name of Object.keys(process.env))
    if (name.startsWith('XDG_') || name.startsWith('AISWARM_')) delete process.env[name]
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.com')
  writeFileSync(join(root, 'README.md'), 'a shop\n')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Begin')
  mkdirSync(join(root, '.aiswarm'))
  writeFileSync(
    join(root, '.aiswarm', 'config.yaml'),
    `agents:\n  pass: [SCRIPTED_KEY, CI, DO_NOT_TRACK]\n${cli.protocol === undefined ? '' : `  kinds: {${cli.name}: {protocol: ${cli.protocol}}}\n`}  personas:\n    implementer: {kind: ${cli.name}, model: ${cli.model}, approvals: ${approvals}${persona}}\nsandbox: {write: ["~/signals"]${ownServer ? `, read: [${JSON.stringify(here)}, ${JSON.stringify(process.execPath)}]` : ''}}\n${config.includes('lease:') ? '' : 'lease: {ttl: 10s, terminateGrace: 3s}\n'}${config}`,
  )
  const said: string[] = []
  if (server !== undefined) process.env['AISWARM_STORE'] = `${server}&schema=stage_${process.pid}_${++boards}`
  const ended = new AbortController()
  const self = [process.execPath, program]
  const { openWorld } = makeOpeners(resolve(here, '../../migrations'), self, 'test', ended.signal)
  const world = await openWorld(root)
  if (server !== undefined && world.core.host !== LOCAL) throw new Error('the board is not on the server')
  const connection = { core: world.core, actor: person, outside: outsideOf(world) }
  const { path: worktree } = await act(connection, createWorktree, { name: 'auth', branchName: 'feature/auth' })
  const { id } = await perform(
    world.core,
    createTask,
    { title: 'Add the login', description: 'Write login.txt.', personaId: 'implementer', targetWorktree: 'auth' },
    person,
  )
  const supervisor = startSupervisor({ ...world, report: (sentence) => said.push(sentence) }, { maxParallel: 1 })
  const show = (): Promise<TaskDetail> => perform(world.core, getTask, { taskId: id }, person)
  return {
    core: world.core,
    connection,
    folder,
    root,
    worktree,
    id,
    show,
    git,
    said,
    /** Waits until the task satisfies the condition. */
    until: async (
      what: string,
      condition: (task: TaskDetail) => boolean | Promise<boolean>,
      seconds = 150,
    ): Promise<TaskDetail> => {
      for (const end = Date.now() + seconds * 1000; ; await sleep(100)) {
        const task = await show()
        if (await condition(task)) return task
        if (Date.now() > end)
          throw new Error(
            `waited ${seconds} s for ${what}; task ${task.status}, ${task.errorMessage ?? 'no error'}; ${said.join('; ')}`,
          )
      }
    },
    /** Runs a command of the program in a terminal and types `typed` when the command asks. */
    inTerminal: async (args: readonly string[], typed: string): Promise<void> => {
      const terminal = pty.spawn(process.execPath, [program, ...args, '--root', root], { cwd: root, env: process.env })
      let shown = ''
      terminal.onData((text) => {
        if (!shown.includes('Type the') && `${shown}${text}`.includes('Type the')) terminal.write(`${typed}\r`)
        shown += text
      })
      const code = await new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)))
      if (code !== 0) throw new Error(`aiswarm ${args.join(' ')}: exit code ${code}: ${shown}`)
    },
    /** Opens the CLI's own program on a conversation, says `words` there, waits for the `answer`, and leaves it. */
    inProgram: async (
      { terminal: how, environment }: Cli,
      { argv: [command, ...args], folder: cwd, environment: own }: Taken,
      words: string,
      answer: RegExp,
    ): Promise<void> => {
      writeHome(
        home,
        how.trusts((file) => textOf(join(home, file)), cwd),
      )
      const terminal = pty.spawn(command!, args, {
        cwd,
        cols: 120,
        rows: 40,
        env: { ...process.env, ...environment(model.url), ...own, CI: '', TERM: 'xterm-256color' },
      })
      // The program writes only the cells that change, so its words are read from a screen.
      const screen = new xterm.Terminal({ cols: 120, rows: 40, allowProposedApi: true })
      let drawn = 0
      let ended = false
      terminal.onData((text) => {
        drawn += text.length
        screen.write(text)
      })
      const shown = (): string =>
        Array.from({ length: 40 }, (_, row) => screen.buffer.active.getLine(screen.buffer.active.baseY + row))
          .map((line) => line?.translateToString(true) ?? '')
          .join('\n')
      terminal.onExit(() => (ended = true))
      const until = async (what: string, holds: () => boolean): Promise<void> => {
        for (const end = Date.now() + 90_000; !holds(); await sleep(100))
          if (Date.now() > end || (ended && !holds())) {
            terminal.kill('SIGKILL')
            throw new Error(`waited for ${what} in ${command!}: ${shown()}`)
          }
      }
      await until('a first screen', () => drawn > 0)
      // A program that starts drops early words.
      for (const end = Date.now() + 90_000; !shown().includes(words) && Date.now() < end;) {
        await quiet(() => drawn)
        terminal.write(words)
        await quiet(() => drawn)
      }
      terminal.write('\r')
      await until('the answer', () => answer.test(shown()))
      await quiet(() => drawn)
      terminal.write(how.quit)
      await quiet(() => drawn)
      terminal.write('\r')
      await until('its end', () => ended)
    },
    /** Ends the wait of a command for this signal. */
    signal: (name: string): void => writeFileSync(join(signals, name), ''),
    /** True if the person's own MCP server was started. */
    ownStarted: () => existsSync(mark),
    requests: () => readFileSync(join(folder, 'model.jsonl'), 'utf8'),
    output: () => connection.outside.readRawOutput('implementer-1', { tail: 2000 }).then(({ text }) => text),
    leftovers: () => processesMarked({ AISWARM_ROOT: root }),
    close: async (): Promise<void> => {
      await supervisor.stop()
      ended.abort()
      for (const pid of processesMarked({ AISWARM_ROOT: root }))
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // It has ended meanwhile.
        }
      world.core.store.close()
      model.child.kill()
    },
  }
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/** Waits until nothing more is drawn for a while, but not for an animation: a program that starts drops what is typed too early. */
const quiet = async (drawn: () => number): Promise<void> => {
  const end = Date.now() + 20_000
  for (let before = -1; before !== drawn() && Date.now() < end; await sleep(2500)) before = drawn()
}

const startModel = async (folder: string, script: readonly Step[]): Promise<{ child: ChildProcess; url: string }> => {
  const path = join(folder, 'script.json')
  writeFileSync(path, JSON.stringify(script))
  const child = spawn(
    process.execPath,
    [join(here, 'scripted-model.mjs'), '--port', '0', '--script', path, '--log', join(folder, 'model.jsonl')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, url: `http://127.0.0.1:${port.toString().trim()}` }
}
