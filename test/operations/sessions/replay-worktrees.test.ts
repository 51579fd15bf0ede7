import fc from 'fast-check'
import { expect, test } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { isRefusal } from '../../../src/domain/rules/refusal.ts'
import { nothingYet, type Past } from '../../../src/domain/session/past.ts'
import { replay } from '../../../src/domain/session/replay.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn.ts'
import {
  approveIntegration,
  rejectIntegration,
  undoIntegration,
} from '../../../src/operations/integration/decisions.ts'
import { beginMove, recordCandidate, recordMove } from '../../../src/operations/integration/merge.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { recordStop } from '../../../src/operations/runs/ends.ts'
import { recordRemoval, recordRestore } from '../../../src/operations/worktrees/archive.ts'
import { recordVerification } from '../../../src/operations/integration/verification.ts'
import { recordWorktree } from '../../../src/operations/worktrees/building.ts'
import { listAgents } from '../../../src/operations/agents/list.ts'
import { listEvents } from '../../../src/operations/sessions/sessions.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { createWorktree } from '../../../src/operations/worktrees/create.ts'
import { discardWorktree } from '../../../src/operations/worktrees/discard.ts'
import { getWorktreeStatus } from '../../../src/operations/worktrees/status.ts'
import { restoreWorktree } from '../../../src/operations/worktrees/restore.ts'
import type { WorktreeView } from '../../../src/operations/views/worktrees.ts'
import { agentLook } from '../../../src/ui/rows/agents.ts'
import { openCore, type World } from '../../support/core.ts'
import { wipedStore } from '../../support/memory-store.ts'
import { dose, whole } from '../../support/dose.ts'

/** A possible event of a worktree; many are refused, as in real work. */
type Happening = (world: World, worktree: WorktreeView, n: number) => Promise<unknown>

const oid = (letter: string): string => letter.repeat(40)
const verification = (n: number) => ({
  id: 1,
  command: 'make test',
  exitCode: n % 3 === 0 ? 0 : n % 3 === 1 ? 1 : null,
  log: 'log',
  tail: '',
  startedAt: '2026-01-30T14:22:00.000Z',
  endedAt: '2026-01-30T14:23:00.000Z',
})
const candidates = [
  { targetOid: oid('a'), branchOid: oid('b'), mergeOid: oid('c') },
  { targetOid: oid('a'), branchOid: oid('b'), mergeOid: oid('c') },
  { conflicts: ['a.txt'] },
  { problem: 'the branch is gone' },
]

const happenings: Readonly<Record<string, Happening>> = {
  request: ({ perform }, { name }) => perform(requestIntegration, { worktreeName: name }),
  merge: ({ perform }, { integration }, n) =>
    perform(
      recordCandidate,
      { id: integration!.id, candidate: candidates[n % 4]!, approval: n % 5 === 0 ? 'auto' : 'human' },
      system(),
    ),
  verify: ({ perform }, { integration }, n) =>
    perform(
      recordVerification,
      { id: integration!.id, mergeOid: oid('c'), verification: n % 7 === 0 ? null : verification(n) },
      system(),
    ),
  approve: ({ perform }, { name, integration }) =>
    perform(approveIntegration, {
      worktreeName: name,
      targetOid: oid('a'),
      branchOid: oid('b'),
      mergeOid: oid('c'),
      verificationId: integration!.verification?.id ?? null,
    }),
  'begin to move': ({ perform }, { integration }) => perform(beginMove, { id: integration!.id }, system()),
  'end the move': ({ perform }, { integration }, n) =>
    perform(
      recordMove,
      {
        id: integration!.id,
        outcome: [
          { kind: 'landed' as const },
          { kind: 'held' as const, problem: 'the checkout is dirty' },
          { kind: 'stale' as const, problem: 'main has moved' },
          { kind: 'failed' as const, problem: 'the pre-push hook', verification: verification(1) },
        ][n % 4]!,
      },
      system(),
    ),
  reject: ({ perform }, { name }) => perform(rejectIntegration, { worktreeName: name, reason: 'no' }),
  undo: ({ perform }, { name }) => perform(undoIntegration, { worktreeName: name }),
  discard: ({ perform }, { name }) => perform(discardWorktree, { worktreeName: name, reason: 'not needed' }),
  remove: ({ perform }, { name }, n) =>
    perform(recordRemoval, { name, archiveRef: `refs/aiswarm/archive/${name}-${n}`, trashPath: null }, system()),
  restore: ({ perform }, { name }) => perform(restoreWorktree, { worktreeName: name }),
  'record the restored one': ({ perform }, { name, branchName }, n) =>
    perform(recordRestore, { name, branch: branchName, error: n % 3 === 0 ? 'no space' : null }, system()),
  'record the folder': ({ perform }, { name }, n) =>
    perform(recordWorktree, { name, baseOid: oid('a'), error: n % 3 === 0 ? 'no space' : null }, system()),
  'create another': ({ perform }, _, n) => perform(createWorktree, { name: `more-${n}`, branchName: `more-${n}` }),
  'add a task': ({ perform }, { name }) =>
    perform(createTask, { title: 'a task', personaId: 'implementer', targetWorktree: name }),
  'start a task': async ({ perform }, _, n) => {
    const pending = await perform(listTasks, { status: 'pending' })
    if (pending.length > 0)
      await perform(spawnAgent, { personaId: 'implementer', taskId: pending[n % pending.length]!.id })
  },
  'cancel the tasks': async ({ perform }, { name }) => {
    for (const { id, status } of await perform(listTasks, { worktree: name }))
      if (status !== 'cancelled') await perform(cancelTask, { taskId: id })
  },
  'end the agent': async ({ perform }, { name }, n) => {
    const agents = await perform(listAgents, {})
    const one = agents.find(({ assignedWorktree }) => assignedWorktree === name)
    if (one) await perform(recordStop, { agentId: one.id, run: one.run, exitCode: n % 2 }, system())
  },
  'start an agent': ({ perform }, { name }) =>
    perform(spawnAgent, { personaId: 'implementer', assignedWorktree: name }),
}
/** The usual next event, by the loops or a person; random events alone would rarely reach an end. */
const usual = ({ status, folder, integration }: WorktreeView): string => {
  if (folder === 'building') return 'record the folder'
  if (folder === 'leaving') return 'remove'
  if (folder === 'gone') return status === 'integrated' ? 'undo' : 'restore'
  const next: Readonly<Record<string, string>> = {
    requested: 'merge',
    verifying: 'verify',
    ready: 'approve',
    approved: 'begin to move',
    moving: 'end the move',
  }
  return next[integration?.status ?? ''] ?? 'request'
}

const happening = fc.tuple(
  fc.constantFrom(...Object.keys(happenings), ...Array<string>(40).fill('the usual')),
  fc.nat(2),
  // 12 is the way of a success at every step.
  fc.oneof(fc.constant(12), fc.nat(20)),
)

/** The states in the console's list of worktrees; one that is gone is not listed. */
const present = (worktrees: readonly WorktreeView[]) =>
  worktrees
    .filter(({ folder }) => folder !== 'gone')
    .map(({ name, status, folder, integration }) => ({
      name,
      state:
        status === 'discarded' ? 'discarded' : folder === 'building' ? 'building' : (integration?.status ?? 'active'),
    }))
    .sort(byName)

const replayed = (past: Past) =>
  [...past.worktrees]
    .filter(([, { gone }]) => !gone)
    .map(([name, { state }]) => ({ name, state }))
    .sort(byName)

const byName = (one: { name: string }, other: { name: string }): number => (one.name < other.name ? -1 : 1)

test(
  'the replay gives every worktree and its agents the state that the console showed',
  { timeout: 600_000 },
  async () => {
    const { store, wipe } = await wipedStore()
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 60, maxLength: 60 }), async (history) => {
        await wipe()
        const world = await openCore({}, store)
        const { perform } = world
        await world.worktree('login')
        await world.worktree('pay')
        const moments: {
          worktrees: ReturnType<typeof present>
          agents: [string, string][]
          tasks: [number, string][]
        }[] = []
        const look = async () => ({
          tasks: (await perform(listTasks, {})).map(({ id, status }): [number, string] => [id, status]),
          worktrees: present(await perform(getWorktreeStatus, {})),
          agents: (await perform(listAgents, { all: true }))
            .map((one): [string, string] => [one.id, agentLook(one)])
            .sort(),
        })
        for (const [wanted, a, n] of history) {
          const all = await perform(getWorktreeStatus, {})
          const one = all[a % all.length]!
          const name = wanted === 'the usual' ? usual(one) : wanted
          if (one.integration !== null || !/merge|verify|approve|move/.test(name))
            await happenings[name]!(world, one, n).catch((error: unknown) => {
              if (!isRefusal(error)) throw error
            })
          moments[(await perform(listEvents, { limit: 10_000 })).length] = await look()
        }
        const events = await perform(listEvents, { limit: 10_000 })
        for (const [at, live] of moments.entries()) {
          if (live === undefined) continue
          for (const { state } of live.worktrees) seen.add(state)
          const past = replay(nothingYet, events.slice(0, at))
          const tasks = [...past.tasks].map(([id, { status }]): [number, string] => [id, status])
          const agents = [...past.agents].map(([id, { state }]): [string, string] => [id, state]).sort()
          expect({ after: events[at - 1], worktrees: replayed(past), agents, tasks }).toEqual({
            after: events[at - 1],
            ...live,
          })
        }
      }),
      { numRuns: dose(80, 25) },
    )
    const usualStates = ['active', 'building', 'requested', 'verifying', 'conflicted', 'discarded']
    const rare = ['unverified', 'ready', 'approved', 'moving', 'integrated', 'rejected']
    expect([...seen]).toEqual(expect.arrayContaining(whole ? [...usualStates, ...rare] : usualStates))
  },
)
