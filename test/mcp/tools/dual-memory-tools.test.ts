import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { hashToken } from '../../../src/operations/perform/token.ts'
import type { RetrieveConversationOutput, RetrieveExecutionOutput } from '../../../src/memory/dual-memory/schemas.ts'
import { dualMemoryTools } from '../../../src/mcp/tools/dual-memory-tools.ts'
import { openSwarm, type Swarm } from '../../effects/swarm.ts'
import { bare, checked, seedSchema } from '../../support/memory-schemas.ts'
import { connect, connectAs } from '../client.ts'

const names = ['add_conversation', 'add_execution', 'retrieve_conversation', 'retrieve_execution'] as const
type Name = (typeof names)[number]

interface Answer {
  readonly success: boolean
  readonly message: string
  readonly data: Record<string, unknown>
}

const open = (): Promise<Swarm> => openSwarm({ config: 'mcp: {toolsets: [dual-memory]}\n' })

/** Calls whose answers are all validated: the text is the JSON of the content, which the seed's schema allows. */
const speaking = ({ client }: Pick<Awaited<ReturnType<typeof connect>>, 'client'>) => {
  const call = async (name: Name, input: Record<string, unknown>): Promise<Answer> => {
    const result = (await client.callTool({ name, arguments: input })) as CallToolResult
    const answer = checked(name, result.structuredContent as unknown as Answer)
    expect(JSON.parse((result.content[0] as { text: string }).text)).toEqual(answer)
    expect(result.isError === true).toBe(!answer.success)
    expect(answer.data['status']).toBe(answer.success ? 'success' : 'error')
    return answer
  }
  return {
    call,
    said: (message_id: string, user_input: string, more: Record<string, unknown> = {}) =>
      call('add_conversation', {
        message_id,
        explanation: 'to keep it',
        user_input,
        agent_response: 'so be it',
        ...more,
      }),
    did: (message_id: string, execution_summary: string, more: Record<string, unknown> = {}) =>
      call('add_execution', {
        message_id,
        explanation: 'to learn',
        execution_summary,
        tools_used: [],
        errors: [],
        observations: '',
        success: true,
        ...more,
      }),
    recall: async (query: string, more: Record<string, unknown> = {}) =>
      (await call('retrieve_conversation', {
        explanation: 'to know',
        query,
        ...more,
      })) as unknown as RetrieveConversationOutput,
    recallDone: async (query: string, more: Record<string, unknown> = {}) =>
      (await call('retrieve_execution', {
        explanation: 'to know',
        query,
        ...more,
      })) as unknown as RetrieveExecutionOutput,
  }
}

const talk = async (swarm: Swarm, user?: string, args: readonly string[] = []) =>
  speaking(await connect(swarm.root, { args, environment: user === undefined ? {} : { MEMORY_USER_ID: user } }))

describe('the four tools of dual memory', () => {
  it('are listed when the toolset is enabled, with the schemas of the seed', async () => {
    const off = await connect((await openSwarm()).root)
    expect(
      (await off.client.listTools()).tools.filter(({ name }) => (names as readonly string[]).includes(name)),
    ).toEqual([])
    const on = await connect((await open()).root)
    const { tools } = await on.client.listTools()
    for (const name of names) {
      const tool = tools.find((one) => one.name === name)!
      expect(bare(tool.inputSchema), name).toEqual(bare(seedSchema(name, 'input')))
      expect(bare(tool.outputSchema), name).toEqual(bare(seedSchema(name, 'output')))
      expect(tool.title, name).toBeTruthy()
      expect(tool.annotations?.openWorldHint, name).toBe(false)
      expect(tool.annotations?.readOnlyHint === true || tool.annotations?.destructiveHint === false, name).toBe(true)
    }
  })

  it('serve an agent, a planning client and a client without an identity alike', async () => {
    const swarm = await open()
    const agent = speaking(await connectAs(swarm, 'backend-1'))
    await agent.said('m', 'hello')
    for (const args of [[], ['--as', 'planner']])
      expect((await (await talk(swarm, undefined, args)).recall('hello')).data.total_found).toBe(1)
  })
})

describe('an added record', () => {
  it('is confirmed in the answer', async () => {
    const { said, did } = await talk(await open())
    expect(await said('m', 'hello', { timestamp: '2024-12-15T14:30:00+02:00', meta_data: { a: 1 } })).toEqual({
      success: true,
      message: 'Conversation m is stored.',
      data: {
        status: 'success',
        message_id: 'm',
        timestamp: '2024-12-15T12:30:00.000Z',
        details: { has_meta_data: true, memory_processing: 'stored' },
      },
    })
    const errors = [{ error_type: 'Timeout', error_message: 'after 30 s', tool: 'shell' }]
    expect(
      (
        await did('m', 'greeted', {
          tools_used: ['read', 'edit', 'read'],
          errors,
          observations: 'o',
          success: false,
          duration_ms: 12,
        })
      ).data,
    ).toMatchObject({
      message_id: 'm',
      details: {
        execution_summary: 'greeted',
        tools_used: ['read', 'edit', 'read'],
        errors,
        tools_count: 3,
        errors_count: 1,
        duration_ms: 12,
        success: false,
        has_meta_data: false,
        memory_processing: 'stored',
      },
    })
  })

  it('is stored once if it is repeated, and other content under its id is an error that does not change it', async () => {
    const { said, recall } = await talk(await open())
    const first = await said('m', 'hello')
    expect(await said('m', 'hello')).toEqual({
      ...first,
      message: 'Conversation m was already stored; nothing changed.',
      data: { ...first.data, details: { has_meta_data: false, memory_processing: 'already_stored' } },
    })
    expect(await said('m', 'bye')).toMatchObject({
      success: false,
      message: expect.stringContaining('message id m') as string,
      data: { status: 'error', message_id: 'm' },
    })
    expect((await recall('x', { message_id: 'm' })).data.conversations).toMatchObject([{ user_input: 'hello' }])
  })
})

describe('a retrieval', () => {
  it('returns the kind of the query, the names in it and the number of results', async () => {
    const { said, recall, recallDone } = await talk(await open())
    for (let n = 0; n < 12; n++) await said(`m${n}`, `note ${n}`, { timestamp: `2024-12-${10 + n}T00:00:00Z` })
    const general = await recall('note')
    expect(general.data).toMatchObject({
      query: 'note',
      explanation: 'to know',
      query_type: 'general',
      total_found: 12,
      returned_count: 10,
      max_results_applied: true,
    })
    expect(general.data).not.toHaveProperty('requested_message_id')
    expect(general.data).not.toHaveProperty('time_range')
    const time_range = { start: '2024-12-11T00:00:00Z', end: '2024-12-13T02:00:00+02:00' }
    expect((await recall('note', { time_range })).data).toMatchObject({
      query_type: 'time_filtered',
      time_range,
      total_found: 2,
      returned_count: 2,
      max_results_applied: false,
    })
    expect((await recall('note', { time_range: {} })).data).toMatchObject({
      query_type: 'time_filtered',
      total_found: 12,
    })
    expect((await recall('note', { message_id: 'm3', time_range: {} })).data).toMatchObject({
      query_type: 'specific_message',
      requested_message_id: 'm3',
      total_found: 1,
    })
    expect((await recall('note', { max_results: 50 })).data).toMatchObject({
      returned_count: 12,
      max_results_applied: false,
    })
    expect((await recallDone('note')).data).toMatchObject({
      query_type: 'pattern_search',
      executions: [],
      total_found: 0,
      returned_count: 0,
      max_results_applied: false,
    })
    expect((await recallDone('note', { message_id: 'm3' })).data).toMatchObject({
      query_type: 'specific_message',
      requested_message_id: 'm3',
    })
  })

  it('returns a relevance from 0 to 1, and sorts by relevance, then by time', async () => {
    const { said, recall } = await talk(await open())
    await said('best', 'queue queue queue', { timestamp: '2020-01-01T00:00:00Z' })
    for (const day of ['02', '04', '03'])
      await said(`day ${day}`, 'queue of other words', { timestamp: `2026-01-${day}T00:00:00Z` })
    const { conversations } = (await recall('queue')).data
    expect(conversations.map(({ message_id }) => message_id)).toEqual(['best', 'day 04', 'day 03', 'day 02'])
    const scores = conversations.map(({ relevance_score }) => relevance_score!)
    expect(scores[0]).toBe(1)
    expect(scores[1]).toBeLessThan(1)
    expect(new Set(scores.slice(1)).size).toBe(1)
  })

  it('returns the trail of a conversation, and the conversation that led to an execution', async () => {
    const { said, did, recall, recallDone } = await talk(await open())
    await did('early', 'ran the tests', { tools_used: ['shell'], duration_ms: 40 })
    await said('early', 'run the tests')
    await said('alone', 'run nothing')
    expect((await recall('What was said for this?', { message_id: 'early' })).data.conversations).toMatchObject([
      { message_id: 'early', has_execution_memory: true, meta_data: {} },
    ])
    expect((await recall('nothing')).data.conversations).toMatchObject([
      { message_id: 'alone', has_execution_memory: false },
    ])
    expect(
      (await recallDone('What was the trail of this conversation?', { message_id: 'early' })).data.executions,
    ).toMatchObject([
      {
        message_id: 'early',
        execution_details: { execution_summary: 'ran the tests', tools_used: ['shell'], errors: [], observations: '' },
        success: true,
        duration_ms: 40,
      },
    ])
  })

  it('returns everything as it was stored, even if it is long or hostile', async () => {
    const { said, recall } = await talk(await open())
    const long = '😀'.repeat(9990) + ' <script>'
    const meta_data = {
      agentId: 'other',
      message: 'not quoted',
      list: [1, null, { deep: true }],
      long: 'x'.repeat(40_000),
    }
    expect(await said('m', long, { meta_data })).toMatchObject({ success: true })
    expect((await recall('script')).data.conversations).toMatchObject([{ user_input: long, meta_data }])
  })
})

describe('a user of dual memory', () => {
  it('is the one in MEMORY_USER_ID, and never sees the records of another', async () => {
    const swarm = await open()
    const users = ['ada', 'team/../bob', '/etc/passwd', "x'; DROP TABLE conversations; --", 'ünï 😀']
    for (const user of users) {
      const { said, did } = await talk(swarm, user)
      expect(await said('m', `secret of ${user}`)).toMatchObject({ success: true })
      expect(await did('m', `secret of ${user}`)).toMatchObject({ success: true })
    }
    for (const user of users) {
      const { recall, recallDone } = await talk(swarm, user)
      expect((await recall('secret')).data).toMatchObject({
        total_found: 1,
        conversations: [{ user_input: `secret of ${user}` }],
      })
      expect((await recallDone('secret', { message_id: 'm' })).data).toMatchObject({
        total_found: 1,
        executions: [{ execution_details: { execution_summary: `secret of ${user}` } }],
      })
    }
    expect((await (await talk(swarm)).recall('secret')).data.total_found).toBe(0)
  })

  it('is default_user without MEMORY_USER_ID', async () => {
    const swarm = await open()
    await (await talk(swarm)).said('m', 'hello')
    await (await talk(swarm, '')).said('n', 'hello')
    expect((await (await talk(swarm, 'default_user')).recall('hello')).data.total_found).toBe(2)
  })

  it('cannot be given as an argument', async () => {
    const { call, said } = await talk(await open())
    expect(await said('m', 'hello', { user_id: 'ada' })).toMatchObject({
      success: false,
      message: expect.stringContaining('user_id') as string,
    })
    for (const name of ['retrieve_conversation', 'retrieve_execution'] as const)
      expect(await call(name, { explanation: 'e', query: 'q', user_id: 'ada' })).toMatchObject({
        success: false,
        message: expect.stringContaining('user_id') as string,
      })
  })
})

describe('a bad input', () => {
  it('is an error that still has every field', async () => {
    const { call } = await talk(await open())
    const conversation = { message_id: 'm', explanation: 'e', user_input: 'u', agent_response: 'a' }
    const execution = {
      message_id: 'm',
      explanation: 'e',
      execution_summary: 's',
      tools_used: [],
      errors: [],
      observations: '',
      success: true,
    }
    const query = { explanation: 'e', query: 'q' }
    const bad: readonly (readonly [Name, Record<string, unknown>])[] = [
      ['add_conversation', {}],
      ['add_conversation', { ...conversation, user_input: 'x'.repeat(10_001) }],
      ['add_conversation', { ...conversation, agent_response: '' }],
      ['add_conversation', { ...conversation, message_id: 'x'.repeat(101) }],
      ['add_conversation', { ...conversation, message_id: 7 }],
      ['add_conversation', { ...conversation, meta_data: [] }],
      ['add_conversation', { ...conversation, timestamp: 'yesterday' }],
      ['add_conversation', { ...conversation, timestamp: '2024-02-30T00:00:00Z' }],
      ['add_conversation', { ...conversation, requestId: 'r' }],
      ['add_execution', {}],
      ['add_execution', { ...execution, execution_summary: 'x'.repeat(2001) }],
      ['add_execution', { ...execution, observations: 'x'.repeat(5001) }],
      ['add_execution', { ...execution, errors: [{ error_type: 'E' }] }],
      ['add_execution', { ...execution, tools_used: 'shell' }],
      ['add_execution', { ...execution, duration_ms: -1 }],
      ['add_execution', { ...execution, duration_ms: 1.5 }],
      ['add_execution', { ...execution, success: 'yes' }],
      ['retrieve_conversation', {}],
      ['retrieve_conversation', { ...query, query: '' }],
      ['retrieve_conversation', { ...query, query: 'x'.repeat(4001) }],
      ['retrieve_conversation', { ...query, max_results: 0 }],
      ['retrieve_conversation', { ...query, max_results: 51 }],
      ['retrieve_conversation', { ...query, time_range: { start: 'soon' } }],
      ['retrieve_conversation', { ...query, time_range: 'today', message_id: null }],
      ['retrieve_execution', { query: 'q' }],
      ['retrieve_execution', { ...query, query: ['q'] }],
      ['retrieve_execution', { ...query, time_range: {} }],
    ]
    for (const [name, input] of bad)
      expect(await call(name, input), `${name} ${JSON.stringify(input).slice(0, 200)}`).toMatchObject({
        success: false,
        message: expect.stringContaining(name) as string,
      })
  })

  it('of great size is stored, or refused before it is parsed', async () => {
    const { said, recall, call } = await talk(await open())
    const meta_data = { text: 'x'.repeat(900_000) }
    expect(await said('large', 'hello', { meta_data })).toMatchObject({ success: true })
    expect((await recall('hello')).data.conversations).toMatchObject([{ meta_data }])
    const deep = (levels: number): unknown => (levels === 0 ? 1 : { in: deep(levels - 1) })
    expect(await said('deep', 'deeper', { meta_data: deep(50) })).toMatchObject({ success: true })
    expect((await recall('deeper')).data.conversations).toMatchObject([{ meta_data: deep(50) }])
    await expect(said('deepest', 'hello', { meta_data: deep(500) })).rejects.toThrow('nested deeper than 64 levels')
    expect(
      await call('add_execution', {
        message_id: 'many',
        explanation: 'e',
        execution_summary: 's',
        tools_used: Array.from({ length: 20_000 }, (_, n) => `tool ${n}`),
        errors: [],
        observations: '',
        success: true,
      }),
    ).toMatchObject({ success: true })
  })

  it('from the future is stored unchanged, and found by its time', async () => {
    const { said, recall } = await talk(await open())
    expect(await said('m', 'hello', { timestamp: '2199-01-01T00:00:00Z' })).toMatchObject({
      success: true,
      data: { timestamp: '2199-01-01T00:00:00.000Z' },
    })
    expect((await recall('hello', { time_range: { start: '2198-01-01T00:00:00Z' } })).data.total_found).toBe(1)
    expect((await recall('hello', { time_range: { end: '2198-01-01T00:00:00Z' } })).data.total_found).toBe(0)
  })

  it('of operators and quotes is plain text', async () => {
    const { said, recall, recallDone } = await talk(await open())
    await said('m', 'cats OR "dogs" (NEAR birds)')
    for (const query of ['cats OR dogs', '"cats', 'NEAR(birds', 'or', '(dogs)', 'CATS "BIRDS"'])
      expect((await recall(query)).data.total_found, query).toBe(1)
    for (const query of ['cats AND dogs', 'cat*', 'user_input : cats', '"', '*', 'NOT', '^', ' '])
      expect((await recall(query)).data, query).toMatchObject({ total_found: 0, conversations: [], status: 'success' })
    expect((await recallDone('" OR 1=1 --')).data.total_found).toBe(0)
  })

  it('and every other refusal are valid in the schema', async () => {
    const swarm = await open()
    const connection = await connectAs(swarm, 'backend-1')
    const { call, recall } = speaking(connection)
    await swarm.core.store.write(
      async (db) =>
        void (await db
          .updateTable('agents')
          .set({ token_hash: hashToken('another') })
          .where('id', '=', 'backend-1')
          .execute()),
    )
    expect(await recall('hello')).toMatchObject({
      success: false,
      message: expect.stringContaining('has ended') as string,
    })
    // So many calls that a busy machine needs at least half a minute until the rate limit has allowed all of them.
    const many = await Promise.all(
      Array.from({ length: 700 }, () => call('retrieve_execution', { explanation: 'e', query: 'q' })),
    )
    expect(many.filter(({ message }) => message.includes('More than 20 calls a second')).length).toBeGreaterThan(0)
  })

  it('that reveals a bug is reported in the same form', () => {
    for (const { name, ownWords } of dualMemoryTools({}))
      for (const given of [
        {},
        { message_id: 'm', query: 'q', time_range: 1 },
        { message_id: 1, query: {}, explanation: [] },
      ])
        expect(
          checked(name, ownWords!.refused('This is a bug in aiswarm.', given, '2026-01-30T14:22:33.000Z')),
        ).toMatchObject({ success: false })
  })
})

it('ten servers that add the same messages at once store each message once', async () => {
  const swarm = await open()
  const clients = await Promise.all(Array.from({ length: 10 }, () => talk(swarm, 'ada')))
  const answers = await Promise.all(
    clients.flatMap(({ said }) => Array.from({ length: 5 }, (_, n) => said(`m${n}`, `note ${n}`))),
  )
  expect(answers.filter(({ success }) => !success)).toEqual([])
  expect(answers.filter(({ message }) => message.endsWith('is stored.'))).toHaveLength(5)
  expect((await clients[0]!.recall('note')).data.total_found).toBe(5)
})
