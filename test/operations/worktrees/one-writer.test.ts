import { describe, expect, it } from 'vitest'
import { client, system } from '../../../src/domain/agent/actor.ts'
import { ownWorktreeName } from '../../../src/domain/worktree/worktree.ts'
import { claimTask } from '../../../src/operations/tasks/claims.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { createWorktree } from '../../../src/operations/worktrees/create.ts'
import { listAgents } from '../../../src/operations/agents/list.ts'
import { readWishes } from '../../../src/operations/supervision/wishes.ts'
import { recordWorktree } from '../../../src/operations/worktrees/building.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { getWorktreeStatus } from '../../../src/operations/worktrees/status.ts'
import { registerAgent, spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { openCore, refusal, type World } from '../../support/core.ts'

const send = ({ perform }: Pick<World, 'perform'>) => perform(dispatch, { maxParallel: 9 }, system())
const inAuth = async (changes: Parameters<typeof openCore>[0] = {}) => {
  const world = await openCore(changes)
  await world.perform(createWorktree, { name: 'auth', branchName: 'feature/auth' })
  return {
    ...world,
    add: (draft: Partial<Parameters<typeof createTask.run>[1]> = {}) =>
      world.perform(createTask, { title: 'a task', personaId: 'implementer', targetWorktree: 'auth', ...draft }),
  }
}

describe('a worktree with one writer', () => {
  it('makes a second agent of any kind wait, and says for whom', async () => {
    const { add, ...world } = await inAuth()
    for (const draft of [{}, {}, { command: 'make' }]) await add(draft)
    const first = await send(world)
    expect(first.started).toEqual([{ taskId: 1, agentId: 'implementer-1', worktree: 'auth' }])
    expect(first.held).toEqual([2, 3].map((taskId) => ({ taskId, why: 'worktree busy: task 1' })))
    expect((await send(world)).held).toEqual([2, 3].map((taskId) => ({ taskId, why: 'worktree busy: implementer-1' })))
  })

  it('accepts a read-only persona next to the writer, but not its shell commands', async () => {
    const { add, ...world } = await inAuth()
    await add()
    await add({ personaId: 'reviewer' })
    await add({ personaId: 'reviewer', command: 'make' })
    expect((await send(world)).started.map(({ taskId }) => taskId)).toEqual([1, 2])
  })

  it('accepts more writers by configuration, which also says which personas write', async () => {
    const many = await inAuth({ worktrees: { writers: 2 } })
    for (let n = 0; n < 3; n++) await many.add()
    expect((await send(many)).started).toHaveLength(2)
    const personas = {
      reviewer: { args: [], approvals: 'ask', allow: [], writes: true },
      implementer: { args: [], approvals: 'ask', allow: [], writes: false },
    } as const
    const other = await inAuth({ agents: { default: 'claude', personas } })
    for (const personaId of ['implementer', 'reviewer', 'implementer', 'reviewer']) await other.add({ personaId })
    expect((await send(other)).started.map(({ taskId }) => taskId)).toEqual([1, 2, 3])
  })

  it('counts an agent that registered itself and holds a task there', async () => {
    const { add, ...world } = await inAuth()
    await add()
    await add()
    await world.perform(registerAgent, { id: 'ext', personaId: 'implementer' })
    await world.perform(claimTask, { taskId: 1, agentId: 'ext' })
    expect(await send(world)).toMatchObject({ started: [], held: [{ taskId: 2, why: 'worktree busy: ext' }] })
  })

  it('accepts a second writer only from a person, who is asked first', async () => {
    const { add, ...world } = await inAuth()
    await add()
    await add()
    await send(world)
    const start = (more: object = {}) => ({ personaId: 'implementer', taskId: 2, ...more })
    expect(await refusal(world.perform(spawnAgent, start()))).toMatchObject({
      code: 'worktree_busy',
      message: expect.stringContaining('worktree busy: implementer-1. Wait until it ends') as string,
    })
    expect((await refusal(world.perform(spawnAgent, start({ beside: true }), client('planner')))).code).toBe(
      'worktree_busy',
    )
    expect(await world.perform(spawnAgent, start({ beside: true }))).toMatchObject({
      taskId: 2,
      assignedWorktree: 'auth',
    })
  })
})

describe("a worktree of a task's own", () => {
  const titled = { title: 'Login form: näher am Nutzer!', personaId: 'implementer' }

  it('is created when the agent starts for a task without a worktree, and stays with the task', async () => {
    const world = await openCore({ worktrees: { perTask: true } })
    await world.perform(createTask, titled)
    expect((await world.show(1)).targetWorktree).toBeNull()
    expect((await send(world)).started).toMatchObject([{ taskId: 1, agentId: 'implementer-1' }])
    expect((await world.show(1)).targetWorktree).toBe('task-1-login-form-naher-am-nutzer')
    expect(await world.perform(getWorktreeStatus, {})).toMatchObject([
      {
        name: 'task-1-login-form-naher-am-nutzer',
        branchName: 'task-1-login-form-naher-am-nutzer',
        folder: 'building',
        sourceBranch: 'main',
      },
    ])
  })

  it('that cannot be created fails the attempt, and the next attempt gets another one', async () => {
    const world = await openCore({ worktrees: { perTask: true } })
    await world.perform(createTask, titled)
    await send(world)
    const name = (await world.show(1)).targetWorktree!
    await world.perform(recordWorktree, { name, baseOid: null, error: 'The setup ended with code 3.' }, system())
    expect(await world.show(1)).toMatchObject({
      status: 'pending',
      retryCount: 1,
      targetWorktree: null,
      errorMessage: 'The setup ended with code 3.',
    })
    expect(await world.perform(listAgents, { all: true })).toMatchObject([
      { id: 'implementer-1', status: 'terminated', launchError: 'The setup ended with code 3.' },
    ])
    expect(await world.perform(getWorktreeStatus, {})).toEqual([])
    expect((await world.perform(readWishes, {}, system())).attempts).toEqual([])
    world.pass(600_000)
    expect((await send(world)).started).toEqual([{ taskId: 1, agentId: 'implementer-2', worktree: name }])
  })

  it('that cannot be created is discarded, and the tasks that name it are cancelled', async () => {
    const world = await openCore()
    await world.perform(createWorktree, { name: 'pay', branchName: 'pay' })
    await world.perform(createTask, { ...titled, targetWorktree: 'pay' })
    await world.perform(recordWorktree, { name: 'pay', baseOid: null, error: 'no space' }, system())
    expect(await world.show(1)).toMatchObject({ status: 'cancelled', targetWorktree: 'pay' })
    expect(await world.perform(getWorktreeStatus, {})).toMatchObject([
      { name: 'pay', status: 'discarded', folder: 'gone', discardReason: 'no space' },
    ])
  })

  it('is created neither for a command, nor for a read-only persona, nor without the setting', async () => {
    const world = await openCore({ worktrees: { perTask: true } })
    await world.perform(createTask, { ...titled, command: 'make' })
    await world.perform(createTask, { ...titled, personaId: 'reviewer' })
    expect((await send(world)).started).toHaveLength(2)
    const without = await openCore()
    await without.perform(createTask, titled)
    await send(without)
    expect([
      ...(await world.perform(getWorktreeStatus, {})),
      ...(await without.perform(getWorktreeStatus, {})),
    ]).toEqual([])
  })

  it("is created without the setting if the task says 'auto', by a person's spawn too, under a free name", async () => {
    const world = await openCore()
    await world.perform(createWorktree, { name: ownWorktreeName(1, titled.title), branchName: 'x' })
    await world.perform(createTask, { ...titled, targetWorktree: 'auto', metadata: { cli: 'claude' } })
    expect((await world.show(1)).metadata).toEqual({ cli: 'claude', worktree: 'auto' })
    expect(await world.perform(spawnAgent, { personaId: 'implementer', taskId: 1 })).toMatchObject({
      assignedWorktree: 'task-1-login-form-naher-am-nutzer-2',
    })
    expect((await refusal(world.perform(createTask, { ...titled, targetWorktree: 'auto', metadata: [1] }))).code).toBe(
      'invalid_input',
    )
    expect((await refusal(world.perform(createWorktree, { name: 'auto', branchName: 'y' }))).code).toBe('reserved_name')
  })

  it('is created for a command whose task asks for one, dispatched or spawned', async () => {
    const world = await openCore({ worktrees: { perTask: true } })
    await world.perform(createTask, { ...titled, command: 'make', targetWorktree: 'auto' })
    await world.perform(createTask, { title: 'two', personaId: 'implementer', command: 'make', targetWorktree: 'auto' })
    expect(await world.perform(spawnAgent, { personaId: 'implementer', taskId: 2 })).toMatchObject({
      assignedWorktree: 'task-2-two',
    })
    await send(world)
    expect((await world.perform(getWorktreeStatus, {})).map(({ name }) => name).sort()).toEqual([
      ownWorktreeName(1, titled.title),
      'task-2-two',
    ])
  })

  it.each([
    ['', 'task-7'],
    ['日本', 'task-7'],
    ['--x--', 'task-7-x'],
    ['a'.repeat(200), `task-7-${'a'.repeat(30)}`],
  ])('for a task %j is called %s', (title, name) => expect(ownWorktreeName(7, title)).toBe(name))
})
