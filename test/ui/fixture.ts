import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { indexDiff } from '../../src/domain/words/unified-diff.ts'
import { person, system } from '../../src/domain/agent/actor.ts'
import { defaultSettings } from '../../src/domain/settings/settings.ts'
import { Refusal } from '../../src/domain/rules/refusal.ts'
import { settingsNow, withChanges } from '../../src/effects/configuration/settings.ts'
import { instant } from '../../src/domain/words/time.ts'
import { beginSession } from '../../src/operations/sessions/begin-session.ts'
import { createTask, type TaskDraft } from '../../src/operations/tasks/create.ts'
import { createWorktree } from '../../src/operations/worktrees/create.ts'
import type {
  AgentInspection,
  Census,
  GitCommandView,
  Radar,
  WorktreeContents,
} from '../../src/contracts/observations.ts'
import type { Connection, Core } from '../../src/operations/perform/core.ts'
import type { Outside, Wish } from '../../src/contracts/outside.ts'
import type { TalkPiece } from '../../src/contracts/conversation.ts'
import type { Review } from '../../src/contracts/review.ts'
import type { FileMemories } from '../../src/contracts/memories.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { recordCandidate } from '../../src/operations/integration/merge.ts'
import { recordVerification } from '../../src/operations/integration/verification.ts'
import { recordWorktree } from '../../src/operations/worktrees/building.ts'
import { requestIntegration } from '../../src/operations/integration/request.ts'
import { syncPersonas } from '../../src/operations/agents/persona-files.ts'
import { emptyCensus } from '../support/census.ts'
import { reviewOfDiff } from '../support/review.ts'
import { fastFolder } from '../support/fast-folder.ts'
import { openMigrated } from '../support/template.ts'

/** A world outside in memory: the requested actions, and the facts that it shows. */
export interface World extends Outside {
  readonly wishes: Wish[]
  readonly output: Map<string, string>
  /** The radar's result. */
  seen: Radar
  review: Review
  verification: string
  /** Why the agent of a form would not be confined. */
  unconfined: string | null
  /** The contents of a worktree. */
  held: Census
  commands: GitCommandView[]
  /** The processes of an agent and the branch of a worktree when they are opened, and the saved logs. */
  inspection: AgentInspection
  refused: readonly string[]
  contents: WorktreeContents
  readonly saved: { name: string; text: string }[]
  /** The conversation with every agent. */
  talk: TalkPiece
  /** The configuration file. */
  file: string
  /** The contents of the memory files. */
  files: FileMemories
}

export const noMemories: FileMemories = {
  working: [],
  workingProblem: null,
  decisions: { decisions: [], problems: [] },
  timeline: { entries: [], problems: [] },
}

export const makeWorld = (): World => {
  const world: World = {
    wishes: [],
    file: '',
    files: noMemories,
    output: new Map(),
    seen: { worktrees: [], pairs: [], order: [], steps: [] },
    review: reviewOfDiff('diff --git a/src/login.ts b/src/login.ts\n@@ -1 +1,2 @@\n-old\n+new\n+newer\n'),
    verification: 'all is well\n',
    unconfined: null,
    held: emptyCensus,
    commands: [],
    inspection: { command: null, folder: null, environment: null, processes: null },
    refused: [],
    contents: { target: 'main', commits: [], more: false, files: [], moreFiles: false },
    saved: [],
    talk: { events: [], from: { run: 0, offset: 0 }, to: { run: 0, offset: 0 }, atBegin: true, atEnd: true },
    carryOut: async (wish) => void world.wishes.push(wish),
    observeWorktrees: async () => [{ name: 'user-auth', ahead: 3, behind: 0, dirty: 1, added: 312, removed: 20 }],
    absentWorktrees: async () => [],
    observeProcesses: async () => [],
    measureWorktrees: async (names = []) => names.map((name) => ({ name, bytes: 3 * 1024 * 1024, complete: true })),
    radar: async () => world.seen,
    reviewWorktree: async () => world.review,
    presentWorktree: async () => world.review,
    readReviewFile: async () => indexDiff(''),
    readVerification: async () => ({
      text: world.verification,
      next: world.verification.length,
      size: world.verification.length,
    }),
    nextChange: async () => {},
    census: async () => world.held,
    readMove: async () => ({ text: 'diff --git a/a b/a\n@@ -1 +1 @@\n-old\n+new\n', complete: true }),
    gitCommands: async () => world.commands,
    whyNoLogin: async () => undefined,
    whyUnconfined: async () => world.unconfined,
    configurations: {
      read: async () => ({
        path: '/shop/.aiswarm/config.yaml',
        text: world.file,
        target: 'main',
        settings: settingsNow(world.file, { 'integration.target': 'main', 'agents.default': 'claude' }, undefined),
      }),
      draft: async (text, changes) => withChanges(text, '/shop/.aiswarm/config.yaml', changes),
      save: async (before, changes) => {
        if (before !== world.file) throw new Refusal('configuration_changed', 'The file has changed since it was read.')
        world.file = withChanges(before, '/shop/.aiswarm/config.yaml', changes).text
      },
    },
    memories: { read: async () => world.files, forget: () => {} },
    inspectAgent: async () => world.inspection,
    refusedHosts: async () => world.refused,
    worktreeContents: async () => world.contents,
    conversations: {
      read: async () => world.talk,
      find: async () => undefined,
      watch: () => () => {},
    },
    takeOver: async (agentId) => ({
      agentId,
      holderId: 'human-1',
      taskId: 1,
      argv: ['true'],
      folder: '/',
      environment: {},
    }),
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
  const folder = mkdtempSync(join(fastFolder, 'aiswarm-ui-'))
  const store = await openMigrated(join(folder, 'coordination.db'))
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
    addTask: async (title, draft = {}) =>
      (await perform(core, createTask, { personaId: 'implementer', ...draft, title }, person)).id,
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
          verification: {
            id: 1,
            command: 'npm test',
            exitCode: 0,
            log: '',
            tail: '',
            startedAt: core.clock(),
            endedAt: core.clock(),
          },
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
