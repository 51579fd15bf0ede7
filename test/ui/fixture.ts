import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../src/db/open.ts'
import { person, system } from '../../src/domain/actor.ts'
import { defaultSettings } from '../../src/domain/settings.ts'
import { instant } from '../../src/domain/time.ts'
import { beginSession } from '../../src/operations/begin-session.ts'
import { createTask, type TaskDraft } from '../../src/operations/create-task.ts'
import { createWorktree } from '../../src/operations/create-worktree.ts'
import type { Core } from '../../src/operations/kernel/core.ts'
import type { Connection, Outside, Wish, WorktreeDiff } from '../../src/operations/kernel/outside.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { recordCandidate } from '../../src/operations/record-candidate.ts'
import { recordVerification } from '../../src/operations/record-verification.ts'
import { recordWorktree } from '../../src/operations/record-worktree.ts'
import { requestIntegration } from '../../src/operations/request-integration.ts'
import { syncPersonas } from '../../src/operations/sync-personas.ts'

/** A world outside that lives in memory: what was wished for, and what it shows. */
export interface World extends Outside {
  readonly wishes: Wish[]
  readonly output: Map<string, string>
  diff: WorktreeDiff
}

export const makeWorld = (): World => {
  const world: World = {
    wishes: [],
    output: new Map(),
    diff: {
      commits: [{ oid: 'b'.repeat(40), author: 'Ada', at: '2026-01-30T14:00:00.000Z', subject: 'Add the login form' }],
      files: [{ path: 'src/login.ts', added: 2, removed: 1 }],
      diff: 'diff --git a/src/login.ts b/src/login.ts\n@@ -1 +1,2 @@\n-old\n+new\n+newer\n',
      cut: false,
      uncommitted: ['notes.txt'],
    },
    carryOut: async (wish) => void world.wishes.push(wish),
    observeWorktrees: async () => [{ name: 'user-auth', ahead: 3, behind: 0, dirty: 1, added: 312, removed: 20 }],
    observeProcesses: async () => [],
    diffWorktree: async () => world.diff,
    nextChange: async () => {},
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
        { id: integration!.id, mergeOid: candidate.mergeOid, verification: { command: 'npm test', exitCode: 0, log: '', tail: '' } },
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
