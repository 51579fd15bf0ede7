import { describe, expect, it } from 'vitest'
import { client, system } from '../../../src/domain/agent/actor.ts'
import { addConversation, retrieveConversation } from '../../../src/operations/memory/conversations.ts'
import { addExecution, retrieveExecution } from '../../../src/operations/memory/executions.ts'
import { checkDatabase } from '../../../src/operations/database/maintenance.ts'
import { minute, openCore, refusal, start, type World } from '../../support/core.ts'

const said = (
  world: World,
  messageId: string,
  userInput: string,
  more: Partial<Parameters<typeof addConversation.run>[1]> = {},
) => world.perform(addConversation, { userId: 'ada', messageId, userInput, agentResponse: 'so be it', ...more })
const did = (
  world: World,
  messageId: string,
  summary: string,
  more: Partial<Parameters<typeof addExecution.run>[1]> = {},
) =>
  world.perform(addExecution, {
    userId: 'ada',
    messageId,
    summary,
    toolsUsed: [],
    errors: [],
    observations: '',
    success: true,
    ...more,
  })
const recall = (world: World, query: string, more: Partial<Parameters<typeof retrieveConversation.run>[1]> = {}) =>
  world.perform(retrieveConversation, { userId: 'ada', query, limit: 10, ...more })
const recallDone = (world: World, query: string, more: Partial<Parameters<typeof retrieveExecution.run>[1]> = {}) =>
  world.perform(retrieveExecution, { userId: 'ada', query, limit: 10, ...more })
const ids = async (
  found: Promise<
    { conversations: readonly { messageId: string }[] } | { executions: readonly { messageId: string }[] }
  >,
): Promise<readonly string[]> => {
  const answer = await found
  return ('conversations' in answer ? answer.conversations : answer.executions).map(({ messageId }) => messageId)
}

describe('a conversation', () => {
  it('is stored unchanged, with its time', async () => {
    const world = await openCore()
    const odd = 'line one\r\n\tline "two"\u0001 <script>eval(1)</script> 😀 \u202e'
    expect(
      await said(world, 'm/1 ../x', odd, { metaData: { deep: [{ a: null }], message: 'hers', agentId: 'x' } }),
    ).toEqual({ stored: true, at: start })
    await said(world, 'm-2', 'line', { at: '2020-01-01T00:00:00.000Z' })
    expect(await recall(world, 'one')).toEqual({
      total: 1,
      conversations: [
        {
          messageId: 'm/1 ../x',
          at: start,
          userInput: odd,
          agentResponse: 'so be it',
          metaData: { deep: [{ a: null }], message: 'hers', agentId: 'x' },
          hasExecution: false,
          rank: expect.any(Number) as number,
        },
      ],
    })
    expect((await recall(world, '?', { messageId: 'm-2' })).conversations).toMatchObject([
      { at: '2020-01-01T00:00:00.000Z', metaData: {}, rank: null },
    ])
  })

  it('can be added again with the same content without a change', async () => {
    const world = await openCore()
    await said(world, 'm', 'hello', { metaData: { a: 1, b: [2] } })
    world.pass(minute)
    expect(await said(world, 'm', 'hello', { metaData: { b: [2], a: 1 } })).toEqual({ stored: false, at: start })
    expect(await said(world, 'm', 'hello', { metaData: { a: 1, b: [2] }, at: start })).toEqual({
      stored: false,
      at: start,
    })
    expect((await recall(world, 'hello')).total).toBe(1)
    expect(await world.events()).toEqual(['add_conversation'])
  })

  it('is not changed by other content with its id', async () => {
    const world = await openCore()
    await said(world, 'm', 'hello')
    const others = [
      { userInput: 'bye' },
      { agentResponse: 'no' },
      { metaData: { a: 1 } },
      { at: '2020-01-01T00:00:00.000Z' },
    ]
    for (const other of others)
      expect(await refusal(said(world, 'm', 'hello', other))).toMatchObject({
        code: 'already_exists',
        message: expect.stringContaining('is not changed') as string,
      })
    expect((await recall(world, 'hello')).conversations).toMatchObject([
      { userInput: 'hello', agentResponse: 'so be it', metaData: {}, at: start },
    ])
    expect(await ids(recall(world, 'bye'))).toEqual([])
  })

  it('with a lone surrogate can be added again too', async () => {
    const world = await openCore()
    await said(world, 'm\ud800', 'half \udc00')
    expect(await said(world, 'm\ud800', 'half \udc00')).toMatchObject({ stored: false })
  })

  it('knows whether it has an execution, in either order of insertion', async () => {
    const world = await openCore()
    await did(world, 'early', 'it ran')
    await said(world, 'early', 'run it')
    await said(world, 'late', 'run it')
    await said(world, 'never', 'run it')
    await did(world, 'late', 'it ran')
    await did(world, 'never', 'it ran', { userId: 'bob' })
    const { conversations } = await recall(world, 'run')
    expect(new Map(conversations.map((one) => [one.messageId, one.hasExecution]))).toEqual(
      new Map([
        ['never', false],
        ['late', true],
        ['early', true],
      ]),
    )
    expect(
      (await recallDone(world, 'what was the trail of this conversation?', { messageId: 'early' })).executions,
    ).toMatchObject([{ messageId: 'early', summary: 'it ran' }])
  })
})

describe('an execution', () => {
  it('is stored with its tools in order, its errors, observations, outcome and duration', async () => {
    const world = await openCore()
    const errors = [{ error_type: 'Timeout', error_message: 'after 30 s', tool: 'shell', more: { x: 1 } }]
    await did(world, 'm', 'built it', {
      toolsUsed: ['read', 'edit', 'read'],
      errors,
      observations: 'the cache was cold',
      success: false,
      durationMs: 5_000_000_000,
    })
    expect(await recallDone(world, 'built')).toMatchObject({
      total: 1,
      executions: [
        {
          summary: 'built it',
          toolsUsed: ['read', 'edit', 'read'],
          errors,
          observations: 'the cache was cold',
          success: false,
          durationMs: 5_000_000_000,
          at: start,
        },
      ],
    })
    for (const words of ['edit', 'timeout', '30', 'cold', 'SHELL'])
      expect(await ids(recallDone(world, words)), words).toEqual(['m'])
    // The names of fields are not its content.
    for (const words of ['error_type', 'tool', 'x']) expect(await ids(recallDone(world, words)), words).toEqual([])
  })

  it('can be added again, and is not changed by other content', async () => {
    const world = await openCore()
    await did(world, 'm', 'built', { toolsUsed: ['a'] })
    expect(await did(world, 'm', 'built', { toolsUsed: ['a'], durationMs: 0 })).toEqual({ stored: false, at: start })
    for (const other of [
      { toolsUsed: ['b'] },
      { success: false },
      { durationMs: 1 },
      { observations: 'x' },
      { errors: [{ error_type: 'E', error_message: 'm' }] },
      { summary: 'else' },
    ])
      expect((await refusal(did(world, 'm', 'built', { toolsUsed: ['a'], ...other }))).code).toBe('already_exists')
    expect((await recallDone(world, 'built')).executions).toMatchObject([
      { toolsUsed: ['a'], success: true, durationMs: null },
    ])
  })
})

describe('a search', () => {
  it('finds records with every word, in any case and in either text', async () => {
    const world = await openCore()
    await said(world, 'a', 'The Parser drops a TOKEN', { agentResponse: 'fixed in lexer.ts' })
    await said(world, 'b', 'the parser is slow')
    expect(await ids(recall(world, 'parser token'))).toEqual(['a'])
    expect(await ids(recall(world, 'LEXER parser'))).toEqual(['a'])
    expect(new Set(await ids(recall(world, 'PARSER')))).toEqual(new Set(['a', 'b']))
    expect(await recall(world, 'compiler')).toEqual({ total: 0, conversations: [] })
  })

  it('treats operators, quotes and brackets as plain text', async () => {
    const world = await openCore()
    await said(world, 'a', 'cats or dogs and "big" birds, not (fish) near ponds')
    await said(world, 'b', 'cats')
    expect(await ids(recall(world, 'cats OR birds'))).toEqual(['a'])
    expect(await ids(recall(world, 'cats NOT birds'))).toEqual(['a'])
    expect(await ids(recall(world, 'cats -birds'))).toEqual(['a'])
    expect(await ids(recall(world, '"big" (fish)'))).toEqual(['a'])
    expect(await ids(recall(world, 'user_input:cats'))).toEqual([])
    expect(await ids(recall(world, 'cat*'))).toEqual([])
    expect(await ids(recall(world, 'NEAR(cats ponds)'))).toEqual([])
    for (const odd of [
      '"',
      '""',
      "'",
      '*',
      '(',
      ')',
      'a AND',
      'OR',
      'NOT',
      '{a b}: c',
      '^cats"',
      'NEAR(',
      '\u0001',
      'cats\u0001birds',
      ';',
      '--',
      '\\',
      '%',
      ' ',
      '\n',
      '😀',
      '\ud800',
      '"cats" + ^',
    ])
      expect((await recall(world, odd)).total, odd).toBeLessThanOrEqual(2)
  })

  it('finds nothing without a word', async () => {
    const world = await openCore()
    await said(world, 'a', 'c++ -- ...')
    expect(await recall(world, '-- ...')).toEqual({ total: 0, conversations: [] })
    expect(await ids(recall(world, 'C++ &&'))).toEqual(['a'])
  })

  it('returns the best first, then the newest', async () => {
    const world = await openCore()
    const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`
    await said(world, 'often', 'queue queue queue', { at: at(1) })
    for (const [id, day] of [
      ['old', 2],
      ['new', 4],
      ['middle', 3],
    ] as const)
      await said(world, id, 'queue of other words', { at: at(day) })
    const { conversations } = await recall(world, 'queue')
    expect(conversations.map(({ messageId }) => messageId)).toEqual(['often', 'new', 'middle', 'old'])
    expect(conversations.map(({ rank }) => rank)).toEqual(
      [...conversations.map(({ rank }) => rank)].sort((a, b) => a! - b!),
    )
  })

  it('counts all results, and returns as many as requested', async () => {
    const world = await openCore()
    for (let n = 0; n < 60; n++) {
      await said(world, `m${n}`, `note ${n}`)
      await did(world, `m${n}`, `note ${n}`)
    }
    for (const limit of [1, 10, 50]) {
      expect(await recall(world, 'note', { limit })).toMatchObject({ total: 60, conversations: { length: limit } })
      expect(await recallDone(world, 'note', { limit })).toMatchObject({ total: 60, executions: { length: limit } })
    }
  })

  it('includes the start of a time range, and excludes its end', async () => {
    const world = await openCore()
    for (const day of [1, 2, 3]) await said(world, `day ${day}`, 'note', { at: `2026-01-0${day}T00:00:00.000Z` })
    const [first, second, third] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z']
    expect(await ids(recall(world, 'note', { from: second, until: third }))).toEqual(['day 2'])
    expect(await ids(recall(world, 'note', { from: second }))).toEqual(['day 3', 'day 2'])
    expect(await ids(recall(world, 'note', { until: second }))).toEqual(['day 1'])
    expect(await ids(recall(world, 'note', { from: third, until: first }))).toEqual([])
    expect(await ids(recall(world, 'note', { from: '2099-01-01T00:00:00.000Z' }))).toEqual([])
    expect(await recall(world, 'note', { from: first, until: third, limit: 1 })).toMatchObject({ total: 2 })
    expect(await ids(recall(world, 'x', { messageId: 'day 2', from: second, until: third }))).toEqual(['day 2'])
    expect(await ids(recall(world, 'x', { messageId: 'day 2', until: second }))).toEqual([])
  })

  it('by a message id finds that message, whatever its content', async () => {
    const world = await openCore()
    await said(world, 'm', 'hello')
    await did(world, 'm', 'greeted')
    expect(await ids(recall(world, 'show me the conversation', { messageId: 'm' }))).toEqual(['m'])
    expect(await ids(recallDone(world, 'which tools?', { messageId: 'm' }))).toEqual(['m'])
    expect(await recall(world, 'hello', { messageId: 'other' })).toEqual({ total: 0, conversations: [] })
  })
})

describe('dual memory', () => {
  it('never shows the records of another user, and users may have the same message ids', async () => {
    const world = await openCore()
    const users = [
      'ada',
      'bob',
      '../../etc/passwd',
      "x'; DROP TABLE conversations; --",
      'a/b',
      'a\u0001b',
      '😀',
      'ADA',
      'ada ',
    ]
    for (const userId of users) {
      await said(world, 'm', `secret of ${userId}`, { userId })
      await did(world, 'm', `secret of ${userId}`, { userId })
    }
    for (const userId of users) {
      expect(await recall(world, 'secret', { userId })).toMatchObject({
        total: 1,
        conversations: [{ userInput: `secret of ${userId}` }],
      })
      expect(await recallDone(world, 'secret', { userId })).toMatchObject({
        total: 1,
        executions: [{ summary: `secret of ${userId}` }],
      })
      expect((await recall(world, 'x', { userId, messageId: 'm' })).conversations).toMatchObject([
        { userInput: `secret of ${userId}` },
      ])
    }
    expect(await recall(world, 'secret', { userId: 'nobody' })).toEqual({ total: 0, conversations: [] })
  })
})

it('dual memory is open to agents, planning clients and read-only clients', async () => {
  const world = await openCore()
  for (const [n, actor] of [await world.agent('a'), client('planner'), client('person'), system()].entries()) {
    await world.perform(
      addConversation,
      { userId: 'u', messageId: `m${n}`, userInput: 'hello', agentResponse: 'hi' },
      actor,
    )
    expect((await world.perform(retrieveConversation, { userId: 'u', query: 'hello', limit: 10 }, actor)).total).toBe(
      n + 1,
    )
  }
})

it('dual memory stores nothing when a transaction fails, and its tables stay consistent', async () => {
  const world = await openCore()
  await said(world, 'm', 'hello')
  await world.core.store
    .write(async (db) => {
      await db
        .insertInto('conversations')
        .values({ user_id: 'ada', message_id: 'n', at: start, recorded_at: start })
        .execute()
      throw new Error('power cut')
    })
    .catch(() => {})
  expect(await said(world, 'n', 'hello')).toMatchObject({ stored: true })
  expect(await checkDatabase(world.core)).toEqual({ ok: true, damaged: false, findings: [] })
})
