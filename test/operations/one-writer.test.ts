import { describe, expect, it } from 'vitest'
import { client, system } from '../../src/domain/actor.ts'
import { ownWorktreeName } from '../../src/domain/worktree.ts'
import { claimTask } from '../../src/operations/claim-task.ts'
import { createTask } from '../../src/operations/create-task.ts'
import { createWorktree } from '../../src/operations/create-worktree.ts'
import { dispatch } from '../../src/operations/dispatch.ts'
import { getWorktreeStatus } from '../../src/operations/get-worktree-status.ts'
import { registerAgent } from '../../src/operations/register-agent.ts'
import { spawnAgent } from '../../src/operations/spawn-agent.ts'
import { openCore, refusal, type World } from '../support/core.ts'

const send = ({ perform }: Pick<World, 'perform'>) => perform(dispatch, { maxParallel: 9 }, system())
const inAuth = async (changes: Parameters<typeof openCore>[0] = {}) => {
  const world = await openCore(changes)
  await world.perform(createWorktree, { name: 'auth', branchName: 'feature/auth' })
  return {
    ...world,
    add: (draft: Partial<Parameters<typeof createTask.run>[1]> = {}) => world.perform(createTask, { title: 'a task', personaId: 'implementer', targetWorktree: 'auth', ...draft }),
  }
}

describe('one writer works in a worktree', () => {
  it('so that a second agent waits and says for whom, whatever its kind', async () => {
    const { add, ...world } = await inAuth()
    for (const draft of [{}, {}, { command: 'make' }]) await add(draft)
    const first = await send(world)
    expect(first.started).toEqual([{ taskId: 1, agentId: 'implementer-1' }])
    expect(first.held).toEqual([2, 3].map((taskId) => ({ taskId, why: 'worktree busy: task 1' })))
    expect((await send(world)).held).toEqual([2, 3].map((taskId) => ({ taskId, why: 'worktree busy: implementer-1' })))
  })

  it('while a persona that only reads works beside it, and its shell commands do not', async () => {
    const { add, ...world } = await inAuth()
    await add()
    await add({ personaId: 'reviewer' })
    await add({ personaId: 'reviewer', command: 'make' })
    expect((await send(world)).started.map(({ taskId }) => taskId)).toEqual([1, 2])
  })

  it('unless the configuration lets more, or says who writes', async () => {
    const many = await inAuth({ worktrees: { writers: 2 } })
    for (let n = 0; n < 3; n++) await many.add()
    expect((await send(many)).started).toHaveLength(2)
    const personas = { reviewer: { args: [], approvals: 'ask', allow: [], writes: true }, implementer: { args: [], approvals: 'ask', allow: [], writes: false } } as const
    const other = await inAuth({ agents: { default: 'claude', personas } })
    for (const personaId of ['implementer', 'reviewer', 'implementer', 'reviewer']) await other.add({ personaId })
    expect((await send(other)).started.map(({ taskId }) => taskId)).toEqual([1, 2, 3])
  })

  it('also where that one registered itself and holds a task there', async () => {
    const { add, ...world } = await inAuth()
    await add()
    await add()
    await world.perform(registerAgent, { id: 'ext', personaId: 'implementer' })
    await world.perform(claimTask, { taskId: 1, agentId: 'ext' })
    expect(await send(world)).toMatchObject({ started: [], held: [{ taskId: 2, why: 'worktree busy: ext' }] })
  })

  it('and a person who starts a second one is asked first; nobody else may', async () => {
    const { add, ...world } = await inAuth()
    await add()
    await add()
    await send(world)
    const start = (more: object = {}) => ({ personaId: 'implementer', taskId: 2, ...more })
    expect(await refusal(world.perform(spawnAgent, start()))).toMatchObject({
      code: 'worktree_busy',
      message: expect.stringContaining('worktree busy: implementer-1. Wait for its end') as string,
    })
    expect((await refusal(world.perform(spawnAgent, start({ beside: true }), client('planner')))).code).toBe('worktree_busy')
    expect(await world.perform(spawnAgent, start({ beside: true }))).toMatchObject({ taskId: 2, assignedWorktree: 'auth' })
  })
})

describe('a worktree by itself', () => {
  const titled = { title: 'Login form: näher am Nutzer!', personaId: 'implementer' }

  it('is made for a task that names none when its agent starts, and stays its own', async () => {
    const world = await openCore({ worktrees: { perTask: true } })
    await world.perform(createTask, titled)
    expect((await world.show(1)).targetWorktree).toBeNull()
    expect((await send(world)).started).toEqual([{ taskId: 1, agentId: 'implementer-1' }])
    expect((await world.show(1)).targetWorktree).toBe('task-1-login-form-naher-am-nutzer')
    expect(await world.perform(getWorktreeStatus, {})).toMatchObject([
      { name: 'task-1-login-form-naher-am-nutzer', branchName: 'task-1-login-form-naher-am-nutzer', folder: 'building', sourceBranch: 'main' },
    ])
  })

  it('is made neither for a command, nor for a persona that only reads, nor without the setting', async () => {
    const world = await openCore({ worktrees: { perTask: true } })
    await world.perform(createTask, { ...titled, command: 'make' })
    await world.perform(createTask, { ...titled, personaId: 'reviewer' })
    expect((await send(world)).started).toHaveLength(2)
    const without = await openCore()
    await without.perform(createTask, titled)
    await send(without)
    expect([...(await world.perform(getWorktreeStatus, {})), ...(await without.perform(getWorktreeStatus, {}))]).toEqual([])
  })

  it("is made without the setting where the task says 'auto', by a person's spawn too, under a name that is free", async () => {
    const world = await openCore()
    await world.perform(createWorktree, { name: ownWorktreeName(1, titled.title), branchName: 'x' })
    await world.perform(createTask, { ...titled, targetWorktree: 'auto', metadata: { cli: 'claude' } })
    expect((await world.show(1)).metadata).toEqual({ cli: 'claude', worktree: 'auto' })
    expect(await world.perform(spawnAgent, { personaId: 'implementer', taskId: 1 })).toMatchObject({ assignedWorktree: 'task-1-login-form-naher-am-nutzer-2' })
    expect((await refusal(world.perform(createTask, { ...titled, targetWorktree: 'auto', metadata: [1] }))).code).toBe('invalid_input')
    expect((await refusal(world.perform(createWorktree, { name: 'auto', branchName: 'y' }))).code).toBe('reserved_name')
  })

  it.each([
    ['', 'task-7'],
    ['日本', 'task-7'],
    ['--x--', 'task-7-x'],
    ['a'.repeat(200), `task-7-${'a'.repeat(30)}`],
  ])('of a task %j is called %s', (title, name) => expect(ownWorktreeName(7, title)).toBe(name))
})
