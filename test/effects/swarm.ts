import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { person } from '../../src/domain/agent/actor.ts'
import { launch } from '../../src/effects/runs/launcher.ts'
import { jobsOf } from '../../src/effects/loops/jobs.ts'
import { wishesOf } from '../../src/effects/wishes.ts'
import { dispatchTasks } from '../../src/effects/loops/dispatcher.ts'
import { openWorld } from '../../src/effects/opening/open-core.ts'
import { outsideOf } from '../../src/effects/opening/outside.ts'
import { runPath } from '../../src/effects/files/paths.ts'
import { settle } from '../../src/effects/runs/termination.ts'
import type { World } from '../../src/effects/world.ts'
import { createTask, type TaskDraft } from '../../src/operations/tasks/create.ts'
import { createWorktree } from '../../src/operations/worktrees/create.ts'
import { getAgent } from '../../src/operations/agents/list.ts'
import { getTask } from '../../src/operations/tasks/detail.ts'
import { getWorktreeStatus } from '../../src/operations/worktrees/status.ts'
import type { Connection } from '../../src/operations/perform/core.ts'
import { act, perform } from '../../src/operations/perform/perform.ts'
import { recordCandidate } from '../../src/operations/integration/merge.ts'
import { requestIntegration } from '../../src/operations/integration/request.ts'
import type { AgentRun } from '../../src/operations/supervision/wishes.ts'
import { temporaryFolder } from '../support/core.ts'
import { endProcessesOf } from '../support/processes.ts'
import { boardOf, openBoardOf } from '../support/board-of-test.ts'
import { initialised } from '../support/template.ts'
import { connectionOf } from '../support/store.ts'

/** The built program, because its source takes a process twice as long to load. */
const main = resolve(import.meta.dirname, '../../dist/main.js')

/** The person's git, without any configuration of this machine. */
export const gitEnvironment = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
}

/** Runs git as a person would; returns its output without the last line end. */
export const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    env: gitEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd()

/** Runs a few lines of sh in a folder, for steps with several git commands. */
export const sh = (folder: string, script: string): string =>
  execFileSync('/bin/sh', ['-ec', script], {
    cwd: folder,
    encoding: 'utf8',
    env: gitEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd()

export const write = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

export const read = (...path: readonly string[]): string => readFileSync(join(...path), 'utf8')

/** Writes files and commits them; returns the commit. */
export const commit = (folder: string, files: Readonly<Record<string, string>>, message = 'A change'): string => {
  write(folder, files)
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--message', message)
  return git(folder, 'rev-parse', 'HEAD')
}

/** A repository `shop` on branch main with one commit, in a folder of its own. */
export const repository = (files: Readonly<Record<string, string>> = { 'README.md': 'a shop\n' }): string => {
  const root = join(realpathSync(temporaryFolder()), 'shop')
  initialised(root)
  write(root, files)
  git(root, 'add', '--all')
  git(root, 'commit', '--quiet', '--message', 'Begin')
  return root
}

/** Waits until `condition` returns a value; it polls, because the awaited event happens in other processes. */
export const until = async <T>(
  what: string,
  condition: () => Promise<T | undefined | false | null> | T | undefined | false | null,
  limit = 60_000,
): Promise<T> => {
  for (const end = Date.now() + limit; ;) {
    const found = await condition()
    if (found !== undefined && found !== false && found !== null) return found
    if (Date.now() > end) throw new Error(`waited ${limit / 1000} s for ${what}`)
    await sleep(15)
  }
}

export type Swarm = Awaited<ReturnType<typeof openSwarm>>

/** aiswarm on a repository: the real world outside, and helpers for common steps of the tests. Nothing runs by itself. */
export const openSwarm = async ({
  config = '',
  files,
  root = repository(files),
}: { config?: string; files?: Readonly<Record<string, string>>; root?: string } = {}) => {
  const store = boardOf({ onTestFinished }, root)
  // Its programs get the environment of this process.
  Object.assign(process.env, store)
  if (config !== '') write(root, { '.aiswarm/config.yaml': config })
  const warnings: string[] = []
  const open = async (): Promise<World> => {
    const world = await openWorld(root, {
      openStore: (path) => openBoardOf(root, path),
      self: [process.execPath, main],
      warn: (sentence) => warnings.push(sentence),
    })
    onTestFinished(() => world.core.store.close())
    return world
  }
  const world = await open()
  onTestFinished(() => endProcessesOf(root))
  const { core, actor } = world
  const connection: Connection = { core, actor: person, outside: outsideOf(world) }
  const agent = (agentId: string) => perform(core, getAgent, { agentId }, actor)
  const runs = async (): Promise<readonly AgentRun[]> => (await wishesOf(world)).runs
  const run = async (agentId: string): Promise<AgentRun> => (await runs()).find((one) => one.agentId === agentId)!
  const launched = async (agentId: string): Promise<AgentRun> => {
    await launch(world, await run(agentId))
    return run(agentId)
  }
  const ended = (one: AgentRun): Promise<true> =>
    until(`the end of ${one.agentId}`, () => existsSync(runPath(root, one.agentId, one.run, 'exit')))
  const dispatched = async (): Promise<string> => (await dispatchTasks(world, 10)).started[0]!.agentId
  return {
    world,
    core,
    root,
    warnings,
    connection,
    open,
    agent,
    run,
    runs,
    launched,
    ended,
    dispatched,
    task: (draft: Partial<TaskDraft>) =>
      perform(core, createTask, { title: 'a task', personaId: 'implementer', ...draft }, person),
    show: (taskId: number) => perform(core, getTask, { taskId }, person),
    worktree: async (name: string) => (await perform(core, getWorktreeStatus, { worktreeName: name }, person))[0]!,
    /** Creates a worktree with its folder; returns its path. */
    build: async (name: string, branchName = `feature/${name}`): Promise<string> =>
      (await act(connection, createWorktree, { name, branchName })).path,
    /** Records a merge of a worktree like the loops, without a verification. */
    candidate: async (
      name: string,
      candidate: { targetOid: string; branchOid: string; mergeOid: string },
    ): Promise<void> => {
      const { integration } = await perform(core, requestIntegration, { worktreeName: name }, person)
      await perform(core, recordCandidate, { id: integration!.id, candidate, approval: 'human' }, actor)
    },
    /** Starts the next task and returns its run. */
    begin: async (): Promise<AgentRun> => launched(await dispatched()),
    /** Creates a task with a command and lets it run to its end; returns the task. */
    carryOut: async (command: string, draft: Partial<TaskDraft> = {}) => {
      const { id } = await perform(
        core,
        createTask,
        { title: 'a task', personaId: 'implementer', ...draft, command },
        person,
      )
      const one = await launched(await dispatched())
      await ended(one)
      await settle(world, one, 'ended')
      return perform(core, getTask, { taskId: id }, person)
    },
    /** Moves every end of a run, and every heartbeat of an ended agent, more than a minute into the past. */
    minutesPass: (): void => {
      connectionOf(core.store)
        .prepare("UPDATE agent_runs SET ended_at = '2026-01-01T00:00:00.000Z' WHERE ended_at IS NOT NULL")
        .run()
      connectionOf(core.store)
        .prepare(
          "UPDATE agents SET ended_at = '2026-01-01T00:00:00.000Z', last_heartbeat = '2026-01-01T00:00:00.000Z' WHERE status IN ('offline', 'terminated')",
        )
        .run()
    },
    /** Does all work that the rows request, once. */
    turn: async (): Promise<void> => {
      const jobs = jobsOf(world, await wishesOf(world), new Map(), performance.now())
      await Promise.all(jobs.map((job) => job.run()))
    },
    path: (...parts: readonly string[]): string => join(root, ...parts),
  }
}
