import { describe, expect, it } from 'vitest'
import { createHash } from 'node:crypto'
import { system } from '../../../src/domain/agent/actor.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask } from '../../../src/operations/tasks/claims.ts'
import { deregisterAgent } from '../../../src/operations/agents/heartbeat.ts'
import { getAgent, getManagedAgents, listAgents, readIdentity } from '../../../src/operations/agents/list.ts'
import { recordLaunch } from '../../../src/operations/runs/processes.ts'
import { recordStop } from '../../../src/operations/runs/ends.ts'
import { registerAgent, spawnAgent, terminateAgent } from '../../../src/operations/agents/spawn.ts'
import { agentActor, openCore, refusal, refused, start, type World } from '../../support/core.ts'

const launched = ({ perform }: Pick<World, 'perform'>, agentId: string, run = 1) =>
  perform(recordLaunch, { agentId, run, pid: 4242, startedAt: '99', bootId: 'boot', startsTask: false }, system())

describe('a registration', () => {
  it('returns a token, and only its hash is stored', async () => {
    const { perform, store } = await openCore()
    const { token, ...agent } = await perform(registerAgent, { id: 'a', personaId: 'implementer' })
    expect(token).toBe('token-1')
    expect(agent).toMatchObject({
      id: 'a',
      kind: 'external',
      status: 'active',
      process: 'none',
      processId: null,
      lastHeartbeat: start,
    })
    expect(await store.read.selectFrom('agents').select('token_hash').where('id', '=', 'a').execute()).toEqual([
      { token_hash: createHash('sha256').update('token-1').digest('hex') },
    ])
    const listed = JSON.stringify(await perform(listAgents, {}))
    for (const word of ['token-1', 'tokenHash', 'token_hash']) expect(listed).not.toContain(word)
  })

  it('refuses invalid, built-in and taken ids, and unknown personas and worktrees', async () => {
    const { perform } = await openCore()
    const register = (id: string, more: { personaId?: string; worktree?: string } = {}) =>
      perform(registerAgent, { id, personaId: 'implementer', ...more })
    await register('a')
    expect(await refused(register('a'))).toBe('already_exists')
    for (const id of ['../x', '-x', '', 'x'.repeat(300)]) expect(await refused(register(id))).toBe('invalid_name')
    expect(await refused(register('human'))).toBe('reserved_name')
    expect(await refused(register('b', { personaId: 'nobody' }))).toBe('not_found')
    expect(await refused(register('b', { worktree: 'nowhere' }))).toBe('not_found')
  })

  it('does not reuse the id of an ended agent', async () => {
    const { perform, agent } = await openCore()
    await perform(deregisterAgent, { agentId: 'a' }, await agent('a'))
    expect(await refused(perform(registerAgent, { id: 'a', personaId: 'implementer' }))).toBe('already_exists')
  })
})

describe('a list of agents', () => {
  it('omits the built-in agents always, and ended agents by default', async () => {
    const { perform, agent } = await openCore()
    await agent('a')
    await perform(deregisterAgent, { agentId: 'a' }, await agent('b').then(() => agentActor('a')))
    expect((await perform(listAgents, {})).map((one) => one.id)).toEqual(['b'])
    expect((await perform(listAgents, { all: true })).map((one) => one.id)).toEqual(['a', 'b'])
    expect(await refused(perform(getAgent, { agentId: 'human' }))).toBe('not_found')
  })

  it('shows a planner the agents that it spawned', async () => {
    const { perform, agent, worktree } = await openCore()
    await worktree('w')
    const planner = await agent('p', { personaId: 'planner' })
    await perform(spawnAgent, { personaId: 'tester', assignedWorktree: 'w' }, planner)
    await perform(spawnAgent, { personaId: 'implementer' })
    expect((await perform(getManagedAgents, {}, planner)).map((one) => one.id)).toEqual(['tester-1'])
    expect(await refused(perform(getManagedAgents, { plannerAgentId: 'q' }, planner))).toBe('not_allowed')
  })
})

describe('a deregistration', () => {
  it("returns the agent's tasks to the board", async () => {
    const { perform, agent, task, show } = await openCore()
    await task()
    const a = await agent('a')
    await perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    expect(await perform(deregisterAgent, { agentId: 'a' }, a)).toMatchObject({
      status: 'terminated',
      process: 'none',
      endedAt: start,
    })
    expect(await show(1)).toMatchObject({ status: 'pending', retryCount: 0, attempts: [{ outcome: 'terminated' }] })
    expect(await refused(perform(deregisterAgent, { agentId: 'a' }))).toBe('invalid_state')
  })

  it('is refused for another agent, and for an agent that runs as a process of aiswarm', async () => {
    const { perform, agent, task } = await openCore()
    await task()
    const a = await agent('a')
    await agent('b')
    expect(await refused(perform(deregisterAgent, { agentId: 'b' }, a))).toBe('not_allowed')
    const { id } = await perform(spawnAgent, { personaId: 'implementer', taskId: 1 })
    expect(await refused(perform(deregisterAgent, { agentId: id }))).toBe('invalid_state')
  })
})

describe('a spawn', () => {
  it('for a task claims the task and requests run 1', async () => {
    const { perform, task, show } = await openCore()
    await task()
    expect(await perform(spawnAgent, { personaId: 'implementer', taskId: 1 })).toMatchObject({
      id: 'implementer-1',
      kind: 'claude',
      process: 'wanted',
      run: 1,
      taskId: 1,
      parentAgentId: 'human',
    })
    expect(await show(1)).toMatchObject({ status: 'claimed', assignedAgentId: 'implementer-1', attempt: 1 })
  })

  it('without a task waits for the board', async () => {
    const { perform, worktree } = await openCore()
    await worktree('w')
    expect(
      await perform(spawnAgent, { personaId: 'tester', assignedWorktree: 'w', id: 'mine', kind: 'codex' }),
    ).toMatchObject({
      id: 'mine',
      kind: 'codex',
      process: 'waiting',
      status: 'idle',
      run: 0,
      assignedWorktree: 'w',
    })
  })

  it('refuses unknown kinds, no kind, and kinds that cannot do the task', async () => {
    const { perform, task } = await openCore({ agents: { default: null } })
    await task()
    expect((await refusal(perform(spawnAgent, { personaId: 'implementer' }))).message).toBe(
      'No agent kind is configured for persona implementer. Set agents.default in .aiswarm/config.yaml or name a kind.',
    )
    expect((await refusal(perform(spawnAgent, { personaId: 'implementer', kind: 'gemini' }))).message).toBe(
      "Agent kind 'gemini' is unknown. The known kinds are claude, codex, command.",
    )
    expect(await refused(perform(spawnAgent, { personaId: 'implementer', kind: 'command', taskId: 1 }))).toBe(
      'invalid_input',
    )
  })

  it('refuses tasks that cannot be claimed, tasks of another persona or worktree, and taken ids', async () => {
    const { perform, task, agent, worktree } = await openCore()
    await worktree('w')
    await task()
    await task({ dependencies: [1] })
    await agent('a')
    const spawn = (input: object) => refused(perform(spawnAgent, { personaId: 'implementer', ...input }))
    expect(await spawn({ taskId: 2 })).toBe('invalid_state')
    expect(await spawn({ taskId: 9 })).toBe('not_found')
    expect(await spawn({ taskId: 1, personaId: 'tester' })).toBe('persona_mismatch')
    expect(await spawn({ taskId: 1, assignedWorktree: 'w' })).toBe('worktree_mismatch')
    expect(await spawn({ id: 'a' })).toBe('already_exists')
    await perform(claimTask, { taskId: 1, agentId: 'a' })
    expect(await spawn({ taskId: 1 })).toBe('invalid_state')
    expect((await perform(listAgents, {})).map((one) => one.id)).toEqual(['a'])
  })

  it('runs the command of an agent only after a person allowed it, which is recorded', async () => {
    const { perform, task, agent, show } = await openCore()
    const planner = await agent('p', { personaId: 'planner' })
    await task({ command: 'rm -rf build' }, planner)
    expect((await refusal(perform(spawnAgent, { personaId: 'implementer', taskId: 1 }, planner))).message).toBe(
      'Task 1 cannot be started by an agent: its command comes from agent p and needs a person to start it.',
    )
    expect((await show(1)).status).toBe('pending')
    expect(await perform(spawnAgent, { personaId: 'implementer', taskId: 1 })).toMatchObject({
      kind: 'command',
      process: 'wanted',
    })
    expect((await show(1)).commandAllowed).toBe(true)
  })
})

describe('a termination', () => {
  it('ends an agent without a process at once', async () => {
    const { perform, agent, task, show } = await openCore()
    await task()
    await perform(claimTask, { taskId: 1, agentId: 'a' }, await agent('a'))
    expect(await perform(terminateAgent, { agentId: 'a', reason: 'too slow' })).toMatchObject({
      status: 'terminated',
      stopReason: 'too slow',
    })
    expect(await show(1)).toMatchObject({ status: 'pending', errorMessage: 'Agent a was stopped: too slow.' })
    expect(await refused(perform(terminateAgent, { agentId: 'a' }))).toBe('invalid_state')
  })

  it('of an agent with a process records the wish, and the end when the process is gone', async () => {
    const world = await openCore()
    const { perform, task, show } = world
    await task()
    const { id } = await perform(spawnAgent, { personaId: 'implementer', taskId: 1 })
    await launched(world, id)
    expect(await perform(terminateAgent, { agentId: id })).toMatchObject({
      status: 'active',
      process: 'started',
      stopRequestedAt: start,
      stopReason: 'stopped by human',
    })
    expect((await show(1)).status).toBe('claimed')
    expect(await perform(recordStop, { agentId: id, run: 2, exitCode: 0 }, system())).toEqual({ recorded: false })
    expect(await perform(recordStop, { agentId: id, run: 1, exitCode: 143 }, system())).toEqual({ recorded: true })
    expect(await perform(getAgent, { agentId: id })).toMatchObject({
      status: 'terminated',
      process: 'ended',
      exitCode: 143,
    })
    expect(await show(1)).toMatchObject({ status: 'pending', attempts: [{ outcome: 'terminated' }] })
    expect(await perform(recordStop, { agentId: id, run: 1, exitCode: 0 }, system())).toEqual({ recorded: false })
  })

  it('is recorded by a loop only if it was requested', async () => {
    const world = await openCore()
    await world.task()
    const { id } = await world.perform(spawnAgent, { personaId: 'implementer', taskId: 1 })
    await launched(world, id)
    expect(await world.perform(recordStop, { agentId: id, run: 1, exitCode: 0 }, system())).toEqual({ recorded: false })
    expect((await world.show(1)).status).toBe('claimed')
  })

  it('is allowed to a planner only for agents that it spawned', async () => {
    const { perform, agent, worktree } = await openCore()
    await worktree('w')
    const planner = await agent('p', { personaId: 'planner' })
    await agent('a')
    const { id } = await perform(spawnAgent, { personaId: 'tester', assignedWorktree: 'w' }, planner)
    expect((await refusal(perform(terminateAgent, { agentId: 'a' }, planner))).message).toBe(
      'p may stop only agents that it spawned, and a is not one of them.',
    )
    expect((await perform(terminateAgent, { agentId: id }, planner)).status).toBe('terminated')
  })

  it("follows the cancellation of the process's task", async () => {
    const world = await openCore()
    await world.task()
    const { id } = await world.perform(spawnAgent, { personaId: 'implementer', taskId: 1 })
    await launched(world, id)
    await world.perform(cancelTask, { taskId: 1 })
    expect(await world.perform(getAgent, { agentId: id })).toMatchObject({
      stopRequestedAt: start,
      stopReason: 'task 1 was cancelled',
    })
  })
})

describe('the identity of an agent', () => {
  it('is its role, its worktree and the hash of its token, and ends with the token', async () => {
    const { perform, agent, worktree } = await openCore()
    await worktree('w')
    await agent('p', { personaId: 'planner', worktree: 'w' })
    const tokenHash = createHash('sha256').update('token-1').digest('hex')
    expect(await perform(readIdentity, { agentId: 'p' }, system())).toEqual({
      role: 'planner',
      worktree: 'w',
      tokenHash,
    })
    expect(await refused(perform(readIdentity, { agentId: 'p' }))).toBe('not_allowed')
    await perform(terminateAgent, { agentId: 'p' })
    expect((await perform(readIdentity, { agentId: 'p' }, system())).tokenHash).toBeNull()
  })
})
