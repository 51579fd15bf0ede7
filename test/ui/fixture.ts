import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { indexDiff } from '../../src/domain/unified-diff.ts'
import { openStore } from '../../src/db/open.ts'
import { person, system } from '../../src/domain/actor.ts'
import { defaultSettings } from '../../src/domain/settings.ts'
import { instant } from '../../src/domain/time.ts'
import { beginSession } from '../../src/operations/begin-session.ts'
import { createTask, type TaskDraft } from '../../src/operations/create-task.ts'
import { createWorktree } from '../../src/operations/create-worktree.ts'
import type { Census } from '../../src/operations/kernel/census.ts'
import type { Core } from '../../src/operations/kernel/core.ts'
import type { Connection, GitCommandView, Outside, Radar, Wish } from '../../src/operations/kernel/outside.ts'
import type { Review } from '../../src/operations/kernel/review.ts'
import type { FileMemories } from '../../src/operations/kernel/memories.ts'
import type { AgentInspection, WorktreeContents } from '../../src/operations/kernel/inspection.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { recordCandidate } from '../../src/operations/record-candidate.ts'
import { recordVerification } from '../../src/operations/record-verification.ts'
import { recordWorktree } from '../../src/operations/record-worktree.ts'
import { requestIntegration } from '../../src/operations/request-integration.ts'
import { syncPersonas } from '../../src/operations/sync-personas.ts'
import { emptyCensus } from '../support/census.ts'
import { reviewOfDiff } from '../support/review.ts'

/** A world outside that lives in memory: what was wished for, and what it shows. */
export interface World extends Outside {
  readonly wishes: Wish[]
  readonly output: Map<string, string>
  /** What the radar sees. */
  seen: Radar
  review: Review
  verification: string
  /** What a worktree holds. */
  held: Census
  commands: GitCommandView[]
  /** What an agent's processes and a worktree's branch look like when they are opened, and what was kept of the logs. */
  inspection: AgentInspection
  contents: WorktreeContents
  readonly saved: { name: string; text: string }[]
  /** What the files of the memories hold. */
  files: FileMemories
}

export const noMemories: FileMemories = { working: [], workingProblem: null, decisions: { decisions: [], problems: [] }, timeline: { entries: [], problems: [] } }

export const makeWorld = (): World => {
  const world: World = {
    wishes: [],
    files: noMemories,
    output: new Map(),
    seen: { worktrees: [], pairs: [], order: [], steps: [] },
    review: reviewOfDiff('diff --git a/src/login.ts b/src/login.ts\n@@ -1 +1,2 @@\n-old\n+new\n+newer\n'),
    verification: 'all is well\n',
    held: emptyCensus,
    commands: [],
    inspection: { command: null, folder: null, environment: null, processes: null },
    contents: { target: 'main', commits: [], more: false, files: [], moreFiles: false },
    saved: [],
    carryOut: async (wish) => void world.wishes.push(wish),
    observeWorktrees: async () => [{ name: 'user-auth', ahead: 3, behind: 0, dirty: 1, added: 312, removed: 20 }],
    absentWorktrees: async () => [],
    observeProcesses: async () => [],
    measureWorktrees: async (names = []) => names.map((name) => ({ name, bytes: 3 * 1024 * 1024, complete: true })),
    radar: async () => world.seen,
    reviewWorktree: async () => world.review,
    readReviewFile: async () => indexDiff(''),
    readVerification: async () => ({ text: world.verification, next: world.verification.length, size: world.verification.length }),
    nextChange: async () => {},
    census: async () => world.held,
    gitCommands: async () => world.commands,
    whyNoLogin: async () => undefined,
    memories: { read: async () => world.files, forget: () => {} },
    inspectAgent: async () => world.inspection,
    worktreeContents: async () => world.contents,
    saveLog: async (name, text) => {
      world.saved.push({ name, text })
      return join('/shop/.aiswarm/logs/saved', `${name}.log`)
    },
    readRawOutput: (agentId, from) => world.readOutput(agentId, from),
    readOutput: async (agentId, from) => {
      const whole = Buffer.from(world.output.get(agentId) ?? '')
      const begin = 'offset' in from ? from.offset : Math.max(0, whole.length - from.tail)
      return { text: whole.subarray(begin).toString(), next: whole.length, size: whole.length }
    },
  }
  return world
}

export interface Fixture {
  readonly core: Core
  readonly world: World
  readonly connection: Connection
  readonly folder: string
  addTask(title: string, draft?: Partial<TaskDraft>): Promise<number>
  addWorktree(name: string): Promise<void>
  /** An integration that waits for a person, with its three commits. */
  makeReady(name: string): Promise<{ targetOid: string; branchOid: string; mergeOid: string }>
  close(): void
}

/** A real database in a temporary folder, real operations, and a world in memory. */
export const openFixture = async (): Promise<Fixture> => {
  const folder = mkdtempSync(join(tmpdir(), 'aiswarm-ui-'))
  const store = await openStore(join(folder, 'coordination.db'), { migrations: new URL('../../migrations', import.meta.url).pathname })
  const core: Core = {
    store,
    root: join(folder, 'shop'),
    clock: () => instant(Date.now()),
    settings: { ...defaultSettings, agents: { ...defaultSettings.agents, default: 'claude' } },
    kinds: ['claude', 'codex', 'command'],
    allowRules: () => [],
    newToken: () => 'token',
    memoryUser: 'default_user',
    launchToken: (agentId, run) => `${agentId}-${run}`,
  }
  const world = makeWorld()
  const asPerson = { core, actor: person, outside: world }
  await perform(core, syncPersonas, { files: [] }, system())
  await perform(core, beginSession, {}, person)
  return {
    core,
    world,
    connection: asPerson,
    folder,
    addTask: async (title, draft = {}) => (await perform(core, createTask, { personaId: 'implementer', ...draft, title }, person)).id,
    addWorktree: async (name) => {
      await perform(core, createWorktree, { name, branchName: `feature/${name}` }, person)
      await perform(core, recordWorktree, { name, baseOid: 'a'.repeat(40), error: null }, system())
    },
    makeReady: async (name) => {
      const candidate = { targetOid: 'a'.repeat(40), branchOid: 'b'.repeat(40), mergeOid: 'c'.repeat(40) }
      const { integration } = await perform(core, requestIntegration, { worktreeName: name }, person)
      await perform(core, recordCandidate, { id: integration!.id, candidate, approval: 'human' }, system())
      await perform(
        core,
        recordVerification,
        {
          id: integration!.id,
          mergeOid: candidate.mergeOid,
          verification: { id: 1, command: 'npm test', exitCode: 0, log: '', tail: '', startedAt: core.clock(), endedAt: core.clock() },
        },
        system(),
      )
      return candidate
    },
    close: () => {
      store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
