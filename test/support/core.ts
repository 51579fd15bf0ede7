import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { z } from 'zod'
import { type Actor, person, type Role, system } from '../../src/domain/agent/actor.ts'
import { isRefusal, type Refusal } from '../../src/domain/rules/refusal.ts'
import { defaultSettings, type Settings } from '../../src/domain/settings/settings.ts'
import { instant, later, type Instant } from '../../src/domain/words/time.ts'
import { createTask, type TaskDraft } from '../../src/operations/tasks/create.ts'
import { createWorktree } from '../../src/operations/worktrees/create.ts'
import { getTask } from '../../src/operations/tasks/detail.ts'
import type { Core } from '../../src/operations/perform/core.ts'
import type { Operation } from '../../src/operations/perform/operation.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { listEvents } from '../../src/operations/sessions/sessions.ts'
import { recordWorktree } from '../../src/operations/worktrees/building.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { syncPersonas } from '../../src/operations/agents/persona-files.ts'
import type { SqliteStore } from '../../src/db/sqlite/open.ts'
import { fastFolder } from './fast-folder.ts'
import { openMigrated, shareClock } from './template.ts'

export { migrations } from './template.ts'

/** 30 January 2026, 14:22:33 UTC. */
export const start: Instant = instant(Date.UTC(2026, 0, 30, 14, 22, 33))

export const second = 1000
export const minute = 60 * second

/** An empty folder that is removed after the test; in memory if the system allows it. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(fastFolder, 'aiswarm-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type Sections = { readonly [Section in keyof Settings]?: Partial<Settings[Section]> }

/** The default settings with some of their keys changed; claude is the default agent. */
export const settingsWith = (changes: Sections): Settings => ({
  session: { ...defaultSettings.session, ...changes.session },
  agents: { ...defaultSettings.agents, default: 'claude', ...changes.agents },
  sandbox: { ...defaultSettings.sandbox, ...changes.sandbox },
  limits: { ...defaultSettings.limits, ...changes.limits },
  permissions: { ...defaultSettings.permissions, ...changes.permissions },
  worktrees: { ...defaultSettings.worktrees, ...changes.worktrees },
  integration: { ...defaultSettings.integration, ...changes.integration },
  lease: { ...defaultSettings.lease, ...changes.lease },
  fleet: { ...defaultSettings.fleet, ...changes.fleet },
  mcp: { ...defaultSettings.mcp, ...changes.mcp },
  notify: { ...defaultSettings.notify, ...changes.notify },
  memory: { ...defaultSettings.memory, ...changes.memory },
  budget: { ...defaultSettings.budget, ...changes.budget },
  console: { ...defaultSettings.console, ...changes.console },
  on: { ...defaultSettings.on, ...changes.on },
})

/** A core on a database of its own, with a clock that only `pass` moves, and helpers for common steps of the tests. */
export type World = Awaited<ReturnType<typeof openCore>>

/** A core on a database of its own, or on this one. */
export const openCore = async (changes: Sections = {}, given?: SqliteStore) => {
  const folder = temporaryFolder()
  const root = join(folder, 'repository')
  mkdirSync(root)
  const store = given ?? (await openMigrated(join(folder, 'coordination.db')))
  if (!given) onTestFinished(() => store.close())
  let now = start
  shareClock(store, () => now)
  let ticks = 0
  let boot = 'this boot'
  let tokens = 0
  const core: Core = {
    store,
    root,
    clock: () => now,
    monotonic: () => ({ boot, ms: ticks }),
    settings: settingsWith(changes),
    kinds: ['claude', 'codex', 'command'],
    allowRules: (personaId) => core.settings.agents.personas[personaId]?.allow ?? [],
    newToken: () => `token-${++tokens}`,
    memoryUser: 'default_user',
    launchToken: (agentId, run) => `launch-${agentId}-${run}`,
  }
  const run = <I extends z.ZodType, O extends z.ZodType>(
    operation: Operation<I, O>,
    input: z.input<I>,
    actor: Actor = person,
  ) => perform(core, operation, input, actor)
  await run(syncPersonas, { files: [] }, system())
  return {
    core,
    store,
    folder,
    root,
    now: () => now,
    /** Moves every clock. */
    pass: (ms: number) => {
      now = later(now, ms)
      ticks += ms
    },
    /** Sets the wall clock only. */
    jump: (ms: number) => void (now = later(now, ms)),
    /** Restarts the machine: its monotonic clock starts again. */
    reboot: () => {
      ticks = 0
      boot = `after ${boot}`
    },
    perform: run,
    /** A task, for an implementer by default. */
    task: (draft: Partial<TaskDraft> = {}, actor: Actor = person) =>
      run(createTask, { title: 'a task', personaId: 'implementer', ...draft }, actor),
    show: (taskId: number) => run(getTask, { taskId }),
    /** Registers an agent and returns its actor. */
    agent: async (
      id: string,
      { personaId = 'implementer', worktree }: { personaId?: string; worktree?: string } = {},
    ): Promise<Actor> => {
      await run(registerAgent, { id, personaId, ...(worktree === undefined ? {} : { worktree }) })
      return agentActor(id, personaId === 'planner' ? 'planner' : 'worker', worktree ?? null)
    },
    /** A worktree with its folder. */
    worktree: async (name: string, branchName = `feature/${name}`) => {
      await run(createWorktree, { name, branchName })
      await run(recordWorktree, { name, baseOid: 'a'.repeat(40), error: null }, system())
    },
    /** The operations of the events so far, without the setup. */
    events: async (): Promise<readonly string[]> =>
      (await run(listEvents, { limit: 10_000 })).slice(1).map((event) => event.operation),
  }
}

export const agentActor = (id: string, role: Role = 'worker', worktree: string | null = null): Actor => ({
  kind: 'agent',
  id,
  role,
  worktree,
})

/** The refusal with which `work` ends. */
export const refusal = async (work: Promise<unknown>): Promise<Refusal> => {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome && isRefusal(outcome.error)) return outcome.error
  if ('error' in outcome) throw outcome.error
  throw new Error(`expected a refusal, got ${JSON.stringify(outcome.value)}`)
}

/** The code of the refusal with which `work` ends. */
export const refused = async (work: Promise<unknown>): Promise<string> => (await refusal(work)).code
