import { describe, expect, it } from 'vitest'
import { agentKinds, whyNotForked } from '../../../src/agents/kinds.ts'
import { findBrokenInvariants } from '../../../src/db/invariants.ts'
import { client, system } from '../../../src/domain/agent/actor.ts'
import { eventSentence } from '../../../src/domain/session/event-sentence.ts'
import { nothingYet } from '../../../src/domain/session/past.ts'
import { replay } from '../../../src/domain/session/replay.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { forkAgent } from '../../../src/operations/agents/fork.ts'
import { getAgent } from '../../../src/operations/agents/list.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { readForAttempt } from '../../../src/operations/messages/messages.ts'
import { recordLaunch } from '../../../src/operations/runs/processes.ts'
import { readFork, readRun, recordRunReport } from '../../../src/operations/runs/reports.ts'
import { listEvents } from '../../../src/operations/sessions/sessions.ts'
import { answerBudget } from '../../../src/operations/tasks/budget-answers.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { recordWorktree } from '../../../src/operations/worktrees/building.ts'
import { getWorktreeStatus } from '../../../src/operations/worktrees/status.ts'
import { openCore, refusal } from '../../support/core.ts'

const kinds = agentKinds(defaultSettings)

/** An agent of this kind that works on task 1 in worktree `auth`, in the session `s1` of its CLI. */
const working = async ({ kind = 'claude', session = 's1' }: { kind?: string; session?: string | null } = {}) => {
  const world = await openCore()
  Object.assign(world.core, { unforked: (name: string) => whyNotForked(kinds.get(name)), kinds: [...kinds.keys()] })
  await world.worktree('auth')
  await world.task({
    title: 'Login form',
    description: 'As drawn',
    acceptanceCriteria: ['It works'],
    priority: 7,
    targetWorktree: 'auth',
    metadata: { model: 'opus' },
  })
  const { id } = await world.perform(spawnAgent, { personaId: 'implementer', taskId: 1, kind })
  const launched = (agentId: string) =>
    world.perform(
      recordLaunch,
      { agentId, run: 1, pid: 42, startedAt: '9', bootId: 'boot', startsTask: false },
      system(),
    )
  await launched(id)
  const named = (agentId: string, session: string | null) =>
    world.perform(
      recordRunReport,
      {
        agentId,
        run: 1,
        report: {
          ...{ model: null, session, tokensIn: 1, tokensOut: 1, tokensCached: 0, costUsd: null },
          ...{ said: null, problem: null },
        },
      },
      system(),
    )
  await named(id, session)
  return { ...world, id, launched, named }
}

describe('a fork of an agent', () => {
  it('is a second agent of its kind, with a copy of its task in a worktree that begins at the branch of its work', async () => {
    const world = await working()
    await world.perform(answerBudget, { taskId: 1, answer: { kind: 'raise', costUsd: 3 } })
    const before = [await world.show(1), await world.perform(getAgent, { agentId: world.id })]
    const fork = await world.perform(forkAgent, { agentId: world.id, text: ' Without the new dependency. ' })
    expect(fork).toMatchObject({
      id: 'implementer-2',
      kind: 'claude',
      taskId: 2,
      assignedWorktree: 'fork-1',
      forkOf: 'implementer-1',
      forkedTask: 1,
    })
    expect(await world.show(2)).toMatchObject({
      title: 'Login form (fork of implementer-1)',
      description: 'As drawn',
      acceptanceCriteria: [{ text: 'It works', met: false }],
      priority: 7,
      parentTaskId: null,
      status: 'claimed',
      assignedAgentId: 'implementer-2',
      metadata: { model: 'opus', cli: 'claude' },
      budget: { costUsd: 3 },
    })
    expect(await world.perform(getWorktreeStatus, { worktreeName: 'fork-1' })).toMatchObject([
      { sourceBranch: 'feature/auth', folder: 'building' },
    ])
    expect(await world.perform(readFork, { taskId: 2 }, system())).toEqual({
      agentId: 'implementer-1',
      kind: 'claude',
      session: 's1',
    })
    expect(await world.perform(readForAttempt, { taskId: 2 }, system())).toMatchObject([
      { text: 'Without the new dependency.', author: 'human' },
    ])
    expect([await world.show(1), await world.perform(getAgent, { agentId: world.id })]).toEqual(before)
    expect(await findBrokenInvariants(world.store.read)).toEqual([])
  })

  it('can itself be forked once it has named its own conversation, and gets a worktree of another name', async () => {
    const world = await working()
    await world.perform(forkAgent, { agentId: world.id })
    await world.perform(recordWorktree, { name: 'fork-1', baseOid: 'a'.repeat(40), error: null }, system())
    await world.launched('implementer-2')
    expect((await refusal(world.perform(forkAgent, { agentId: 'implementer-2' }))).message).toMatch(
      /has not named its conversation yet/,
    )
    await world.named('implementer-2', 's2')
    expect((await world.perform(forkAgent, { agentId: 'implementer-2' })).assignedWorktree).toBe('fork-2')
    expect((await world.perform(forkAgent, { agentId: world.id })).assignedWorktree).toBe('fork-1-2')
    expect(await world.perform(readFork, { taskId: 3 }, system())).toMatchObject({ session: 's2' })
  })

  it('is not charged with what the conversation had used before, also when its own run is resumed', async () => {
    const world = await working()
    await world.perform(forkAgent, { agentId: world.id })
    await world.launched('implementer-2')
    const inherited = async (agentId: string) => (await world.perform(readRun, { agentId, run: 1 }, system())).inherited
    const used = { tokensIn: 1, tokensOut: 1, tokensCached: 0 }
    expect([await inherited('implementer-2'), await inherited(world.id)]).toEqual([
      used,
      { tokensIn: 0, tokensOut: 0, tokensCached: 0 },
    ])
    await world.named('implementer-2', 's2')
    expect(await inherited('implementer-2')).toEqual(used)
  })

  it('is refused for a CLI that cannot, with the reason and another way', async () => {
    const world = await working({ kind: 'qwen' })
    expect((await refusal(world.perform(forkAgent, { agentId: world.id }))).message).toBe(
      "Agent implementer-1 cannot be forked: it is of the kind qwen. Its CLI cannot begin with a copy of a conversation. Race its task instead ('aiswarm task race 1'), or create a task that says what the agent must know.",
    )
    expect(whyNotForked(agentKinds({ ...defaultSettings, agents: headless('codex') }).get('codex'))).toMatch(
      /agents\.kinds\.codex\.protocol: app-server can\.$/,
    )
    expect(['claude', 'codex'].map((kind) => whyNotForked(kinds.get(kind)))).toEqual([undefined, undefined])
  })

  it('is refused before the conversation has a name, for an agent without a task, and for a client', async () => {
    const world = await working({ session: null })
    const fork = (agentId: string) => refusal(world.perform(forkAgent, { agentId }))
    expect((await fork(world.id)).message).toMatch(/has not named its conversation yet/)
    const { id } = await world.perform(spawnAgent, { personaId: 'implementer', kind: 'claude' })
    expect((await fork(id)).message).toMatch(/has had no task/)
    expect(await refusal(world.perform(forkAgent, { agentId: id }, client('planner')))).toMatchObject({
      code: 'not_allowed',
    })
    // A refused fork leaves nothing.
    expect(await world.perform(listTasks, {})).toHaveLength(1)
  })

  it('is in the replay with its task and its worktree, and in the log as a sentence', async () => {
    const world = await working()
    await world.perform(forkAgent, { agentId: world.id })
    const events = await world.perform(listEvents, { limit: 1000 })
    const { tasks, agents, worktrees } = replay(nothingYet, events)
    expect(tasks.get(2)).toMatchObject({ status: 'claimed', agent: 'implementer-2' })
    expect(agents.get('implementer-2')).toMatchObject({ kind: 'claude', task: 2, worktree: 'fork-1' })
    expect(worktrees.get('fork-1')).toMatchObject({ state: 'building' })
    expect(events.map((event) => eventSentence(event, (id) => `task ${id}`))).toContain(
      'human forks implementer-1: implementer-2 continues a copy of its conversation for task 2 in fork-1',
    )
  })
})

const headless = (name: string) => ({
  ...defaultSettings.agents,
  kinds: { [name]: { command: [], prompt: 'argv' as const, files: false, env: {}, protocol: 'headless' as const } },
})
