import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { addConversation } from '../../../src/operations/memory/conversations.ts'
import { addExecution } from '../../../src/operations/memory/executions.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { claimTask, failTask, reportTaskProgress } from '../../../src/operations/tasks/claims.ts'
import { listConversations, readTrail } from '../../../src/operations/memory/trail.ts'
import { searchTaskLogs } from '../../../src/operations/screens/search.ts'
import { look } from '../../support/store.ts'
import { minute, openCore, refused, start, type World } from '../../support/core.ts'

const says = (world: World, messageId: string, at: string, userId = 'ada') =>
  world.perform(addConversation, {
    userId,
    messageId,
    userInput: `prompt of ${messageId}`,
    agentResponse: 'so be it',
    at,
  })
const does = (world: World, messageId: string, success: boolean) =>
  world.perform(addExecution, {
    userId: 'ada',
    messageId,
    summary: 'done',
    toolsUsed: ['Read', 'Bash'],
    errors: [],
    observations: '',
    success,
  })
const day = (n: number): string => `2026-01-${String(n).padStart(2, '0')}T00:00:00.000Z`
const list = (world: World, more: Partial<Parameters<typeof listConversations.run>[1]> = {}) =>
  world.perform(listConversations, { userId: 'ada', from: 0, limit: 3, ...more })
const ids = async (page: ReturnType<typeof list>): Promise<readonly string[]> =>
  (await page).conversations.map(({ messageId }) => messageId)

describe('a page of conversations', () => {
  const seven = async (): Promise<World> => {
    const world = await openCore()
    for (const n of [3, 1, 2, 7, 5, 6, 4]) await says(world, `m${n}`, day(n))
    return world
  }

  it('has the newest first, with the start of each and the outcome of its execution', async () => {
    const world = await seven()
    await does(world, 'm7', true)
    await does(world, 'm6', false)
    expect(await list(world)).toEqual({
      total: 7,
      from: 0,
      place: null,
      conversations: [
        { messageId: 'm7', at: day(7), said: 'prompt of m7', success: true },
        { messageId: 'm6', at: day(6), said: 'prompt of m6', success: false },
        { messageId: 'm5', at: day(5), said: 'prompt of m5', success: null },
      ],
    })
  })

  it('starts at any record, and ends with the last', async () => {
    const world = await seven()
    expect(await ids(list(world, { from: 2 }))).toEqual(['m5', 'm4', 'm3'])
    expect(await list(world, { from: Number.MAX_SAFE_INTEGER })).toMatchObject({
      from: 4,
      conversations: [{ messageId: 'm3' }, { messageId: 'm2' }, { messageId: 'm1' }],
    })
  })

  it('contains the requested record in its middle, wherever that is now', async () => {
    const world = await seven()
    expect(await list(world, { around: 'm4' })).toMatchObject({ place: 3, from: 2 })
    await says(world, 'm8', day(8))
    expect(await list(world, { around: 'm4' })).toMatchObject({ place: 4, from: 3, total: 8 })
    expect(await list(world, { around: 'gone' })).toMatchObject({ place: null, from: 0 })
  })

  it('orders records of the same time', async () => {
    const world = await openCore()
    for (const id of ['a', 'b', 'c', 'd']) await says(world, id, day(1))
    expect(await ids(list(world))).toEqual(['d', 'c', 'b'])
    expect(await list(world, { around: 'a' })).toMatchObject({ place: 3 })
  })

  it('belongs to one user', async () => {
    const world = await openCore()
    await says(world, 'mine', day(1))
    await says(world, 'theirs', day(2), 'bob')
    expect(await ids(list(world))).toEqual(['mine'])
    expect(await list(world, { around: 'theirs' })).toMatchObject({ place: null, total: 1 })
  })

  it('is read from the index, without reading every conversation', async () => {
    const { store } = await openCore()
    const plan = look<{ detail: string }>(
      store.path,
      "EXPLAIN QUERY PLAN SELECT id FROM conversations WHERE user_id = 'ada' ORDER BY at DESC, id DESC LIMIT 200 OFFSET 5000",
    )
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH conversations USING COVERING INDEX idx_conversations_time (user_id=?)',
    ])
  })
})

describe('the trail of a task', () => {
  it('has every attempt with its texts and actions, oldest first', async () => {
    const world = await openCore()
    const session = await world.perform(beginSession, {})
    const { id } = await world.task({ title: 'Log in' })
    const agent = await world.agent('backend-1')
    for (const attempt of [1, 2]) {
      await world.perform(claimTask, { taskId: id }, agent)
      await world.perform(addConversation, {
        userId: 'default_user',
        messageId: `${session.id}:task-${id}:${attempt}`,
        userInput: `try ${attempt}`,
        agentResponse: 'I tried',
      })
      await world.perform(addExecution, {
        userId: 'default_user',
        messageId: `${session.id}:task-${id}:${attempt}`,
        summary: 'edited two files',
        toolsUsed: ['Edit'],
        errors: [{ error_type: 'Timeout', error_message: 'after 30 s' }],
        observations: 'slow',
        success: false,
        durationMs: 4000,
      })
      await world.perform(failTask, { taskId: id, errorMessage: `no luck ${attempt}` }, agent)
      world.pass(2 * minute)
    }
    const turns = await world.perform(readTrail, { userId: 'default_user', of: { taskId: id } })
    expect(
      turns.map(({ attempt, conversation, execution }) => [
        attempt?.attempt,
        attempt?.error,
        conversation?.userInput,
        execution?.toolsUsed,
        execution?.durationMs,
      ]),
    ).toEqual([
      [1, 'no luck 1', 'try 1', ['Edit'], 4000],
      [2, 'no luck 2', 'try 2', ['Edit'], 4000],
    ])
    expect(turns[0]).toMatchObject({
      attempt: { agentId: 'backend-1', outcome: 'failed', claimedAt: start },
      execution: { errors: [{ error_message: 'after 30 s' }], success: false },
    })
  })

  it('has attempts without stored records, and none before the first', async () => {
    const world = await openCore()
    const { id } = await world.task()
    expect(await world.perform(readTrail, { userId: 'ada', of: { taskId: id } })).toEqual([])
    await world.perform(claimTask, { taskId: id }, await world.agent('backend-1'))
    expect(await world.perform(readTrail, { userId: 'ada', of: { taskId: id } })).toMatchObject([
      { attempt: { attempt: 1, endedAt: null }, conversation: null, execution: null },
    ])
    expect(await refused(world.perform(readTrail, { userId: 'ada', of: { taskId: 99 } }))).toBe('not_found')
  })

  it('of a message is the message with its id, for its user only', async () => {
    const world = await openCore()
    await says(world, 'm', day(1))
    await does(world, 'm', true)
    expect(await world.perform(readTrail, { userId: 'ada', of: { messageId: 'm' } })).toMatchObject([
      {
        messageId: 'm',
        attempt: null,
        conversation: { userInput: 'prompt of m' },
        execution: { success: true, toolsUsed: ['Read', 'Bash'] },
      },
    ])
    expect(await world.perform(readTrail, { userId: 'bob', of: { messageId: 'm' } })).toMatchObject([
      { conversation: null, execution: null },
    ])
  })
})

describe('a search in the task log', () => {
  const noted = async (...messages: readonly string[]): Promise<World> => {
    const world = await openCore()
    const { id } = await world.task()
    const agent = await world.agent('backend-1')
    await world.perform(claimTask, { taskId: id }, agent)
    for (const progressNote of messages) await world.perform(reportTaskProgress, { taskId: id, progressNote }, agent)
    return world
  }
  const find = async (world: World, ...words: string[]): Promise<readonly string[]> =>
    (await world.perform(searchTaskLogs, { words, limit: 50 })).logs.map(({ message }) => message)

  it('finds notes with every word in any case, the newest first', async () => {
    const world = await noted('Logged in with a TOKEN', 'no token here', 'token expired while logging in')
    expect(await find(world, 'token', 'logg')).toEqual(['token expired while logging in', 'Logged in with a TOKEN'])
    expect(await find(world, 'TOKEN', 'HERE')).toEqual(['no token here'])
    expect(await find(world, 'nowhere')).toEqual([])
  })

  it('ignores case beyond ASCII, and treats every symbol as itself', async () => {
    const world = await noted(
      'Die LÖSUNG für Straße',
      '100% of a[0] is "quoted" * and ? or ^x] -- done',
      "it's _one_ \\ %",
    )
    expect(await find(world, 'lösung', 'FÜR', 'straße')).toEqual(['Die LÖSUNG für Straße'])
    for (const word of ['100%', 'a[0]', '"quoted"', '*', '?', '^x]', '--', '[0', ']'])
      expect(await find(world, word), word).toEqual(['100% of a[0] is "quoted" * and ? or ^x] -- done'])
    for (const word of ["it's", '_one_', '\\']) expect(await find(world, word), word).toEqual(["it's _one_ \\ %"])
    expect(await find(world, '10?%')).toEqual([])
  })

  it('refuses a word that is longer than a pattern may be', async () => {
    const world = await noted('a note')
    expect(await find(world, 'ö'.repeat(1000))).toEqual([])
    expect(await refused(find(world, 'x'.repeat(20_000)))).toBe('invalid_input')
  })

  it('without words is refused', async () => {
    expect(await refused((await noted()).perform(searchTaskLogs, { words: [], limit: 50 }, person))).toBe(
      'invalid_input',
    )
  })
})
