import { describe, expect, it } from 'vitest'
import { client, system } from '../../../src/domain/agent/actor.ts'
import { changeWords } from '../../../src/domain/task/edits.ts'
import { wishOf } from '../../../src/domain/task/metadata.ts'
import { changeHost } from '../../../src/operations/hosts/membership.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { startRace } from '../../../src/operations/races/start.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { editTask } from '../../../src/operations/tasks/edits.ts'
import { getTask } from '../../../src/operations/tasks/detail.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { twoHosts, worktreeOn } from '../../support/board-of-hosts.ts'
import { openCore, refusal, type World } from '../../support/core.ts'

const wishing = async ({ perform }: World, placement: object, changes: object = {}): Promise<number> => {
  const draft = { title: 'x', personaId: 'implementer', targetWorktree: 'auto', ...changes }
  return (await perform(createTask, { ...draft, metadata: { placement } as never })).id
}

const started = async ({ perform }: World): Promise<readonly number[]> =>
  (await perform(dispatch, { maxParallel: 8 }, system())).started.map(({ taskId }) => taskId)

const foldersOf = async ({ perform }: World): Promise<readonly boolean[]> =>
  (await perform(readBoard, {})).worktrees.map(({ path }) => path.startsWith('/b/'))

describe('a task that wishes a host for its own worktree', () => {
  it('starts there, also if another one has more room', async () => {
    const { world } = await twoHosts()
    await world.perform(changeHost, { host: 'b', maxParallel: 2 })
    const ids = [await wishing(world, { host: 'b' }), await wishing(world, { labels: ['big'] })]
    expect(await started(world)).toEqual(ids)
    expect(await foldersOf(world)).toEqual([true, true])
  })

  it('waits for it and says so, and prints its wish', async () => {
    const { world } = await twoHosts()
    await world.perform(changeHost, { host: 'b', to: 'drain' })
    await wishing(world, { host: 'b', labels: ['big'] })
    await wishing(world, { labels: ['big', 'gpu'] })
    await wishing(world, { host: 'b' })
    expect(await started(world)).toEqual([])
    expect((await world.perform(readBoard, {})).held).toEqual([
      { taskId: 1, why: "host b takes no new work ('aiswarm host resume b')" },
      { taskId: 2, why: 'it is to run on a host with the labels big, gpu, and no such host takes work' },
      { taskId: 3, why: "host b takes no new work ('aiswarm host resume b')" },
    ])
    expect(wishOf(await world.perform(getTask, { taskId: 1 }))).toBe('on host b with the label big')
    await world.perform(changeHost, { host: 'b', to: 'resume', labels: ['big', 'gpu'] })
    expect(await started(world)).toEqual([1, 2, 3])
    expect(await foldersOf(world)).toEqual([true, true, true])
    expect(wishOf(await world.perform(getTask, { taskId: 1 }))).toBeNull()
  })

  it('is refused without a worktree of its own, and for a host that does not exist', async () => {
    const { world } = await twoHosts()
    await worktreeOn(world, 'b')
    const why = async (placement: object, changes: object) =>
      (await refusal(wishing(world, placement, changes))).message
    expect(await why({ host: 'b' }, { targetWorktree: undefined })).toMatch(/main checkout.*--worktree auto/)
    expect(await why({ labels: ['big'] }, { targetWorktree: 'w' })).toMatch(/Worktree w decides/)
    expect(await why({ host: 'c' }, {})).toMatch(/There is no host 'c'/)
  })

  it('waits also on a board with one host, where other tasks start', async () => {
    const world = await openCore({ session: { maxParallel: 8, freeDisk: 0 } })
    await wishing(world, { labels: ['gpu'] })
    await world.task({})
    expect(await started(world)).toEqual([2])
    expect((await world.perform(readBoard, {})).held).toEqual([
      { taskId: 1, why: 'it is to run on a host with the label gpu, and no such host takes work' },
    ])
  })

  it('races there', async () => {
    const { world } = await twoHosts()
    const taskId = await wishing(world, { labels: ['big'] })
    await world.perform(startRace, { taskId, racers: [{ kind: 'claude' }, { kind: 'claude', model: 'opus' }] })
    expect(await foldersOf(world)).toEqual([true, true])
  })
})

describe('the wish of a task', () => {
  it('is a field of the task that a client creates', async () => {
    const { world } = await twoHosts()
    const draft = { title: 'x', personaId: 'implementer', targetWorktree: 'auto' }
    const { metadata } = await world.perform(
      createTask,
      { ...draft, host: 'b', labels: ['big', 'big'] },
      client('planner'),
    )
    expect(metadata).toEqual({ worktree: 'auto', placement: { host: 'b', labels: ['big'] } })
    expect(await started(world)).toEqual([1])
    expect(await foldersOf(world)).toEqual([true])
    expect(
      (await refusal(world.perform(createTask, { ...draft, metadata: [], host: 'b', targetWorktree: undefined })))
        .message,
    ).toBe('The host and the labels are stored in the metadata, so the metadata must be a JSON object.')
  })

  it('can be changed until its worktree is built', async () => {
    const { world } = await twoHosts()
    const id = await wishing(world, { labels: ['gpu'] }, { metadata: undefined })
    expect(await started(world)).toEqual([])
    const { task, changes } = await world.perform(editTask, { taskId: id, host: 'b', labels: [] })
    expect(changes.map(changeWords)).toEqual(['host any → b', 'labels of its host gpu → none'])
    expect(task.metadata).toEqual({ worktree: 'auto', placement: { host: 'b' } })
    expect(await started(world)).toEqual([id])
    expect(await foldersOf(world)).toEqual([true])
  })

  it('is removed by null and an empty list, and stays where other fields change', async () => {
    const { world } = await twoHosts()
    const id = await wishing(world, { host: 'b', labels: ['big'] })
    await world.perform(editTask, { taskId: id, kind: 'claude' })
    expect((await world.perform(getTask, { taskId: id })).metadata).toMatchObject({
      cli: 'claude',
      placement: { host: 'b', labels: ['big'] },
    })
    await world.perform(editTask, { taskId: id, host: null, labels: [] })
    expect((await world.perform(getTask, { taskId: id })).metadata).toEqual({ worktree: 'auto', cli: 'claude' })
  })

  it('is refused where the host is decided, or does not exist', async () => {
    const { world } = await twoHosts()
    const why = async (taskId: number, host: string) =>
      (await refusal(world.perform(editTask, { taskId, host }))).message
    const id = await wishing(world, { labels: ['big'] })
    expect(await why(id, 'c')).toMatch(/There is no host 'c'/)
    expect((await world.perform(getTask, { taskId: id })).metadata).toMatchObject({ placement: { labels: ['big'] } })
    await started(world)
    expect(await why(id, 'b')).toMatch(/whose host is chosen; .*'aiswarm worktree move' moves its worktree/)
    await worktreeOn(world, 'b')
    await world.task({ targetWorktree: 'w' })
    expect(await why(2, 'b')).toBe(
      "Worktree w decides on which host the task runs. Move it with 'aiswarm worktree move w --host H'.",
    )
    await world.task({})
    expect(await why(3, 'b')).toMatch(/main checkout, which is on the first host\. Create another task/)
  })
})

it('a worktree is built on a host that has all the labels', async () => {
  const { world } = await twoHosts()
  const create = (name: string, labels: string[]) => world.perform(createWorktreeOn, { name, branchName: name, labels })
  expect((await refusal(create('w', ['big', 'gpu']))).message).toMatch(/No host with all labels 'big', 'gpu'/)
  await world.perform(changeHost, { host: 'b', labels: ['gpu', 'linux', 'big'] })
  expect((await create('w', ['big', 'gpu'])).path).toMatch(/^\/b\//)
})
