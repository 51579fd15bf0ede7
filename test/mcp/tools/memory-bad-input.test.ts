import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { openSwarm, read, type Swarm } from '../../effects/swarm.ts'
import { adrText } from '../../memory/project-memory/project.ts'
import { checked } from '../../support/memory-schemas.ts'
import { connect, connectAs } from '../client.ts'

const open = (): Promise<Swarm> => openSwarm({ config: 'mcp: {toolsets: [all]}\n' })

const refused = (code: string, message: string | RegExp) => ({
  isError: true,
  code,
  message: typeof message === 'string' ? message : (expect.stringMatching(message) as string),
})

describe('working memory', () => {
  it('accepts 10,000 characters of any kind, and not one more', async () => {
    const swarm = await open()
    const { call } = await connectAs(swarm, 'backend-1')
    const odd = '\0\u001b[2J\u202e\ud800"\\\n--json'
    const content = odd + '😀'.repeat(10_000 - odd.length)
    expect(await call('record_observation', { content })).toMatchObject({ isError: false })
    const { observations } = JSON.parse(read(swarm.root, '.ai/working_memory_backend-1.json')) as {
      observations: { content: string }[]
    }
    expect(observations.map((one) => one.content)).toEqual([content])
    const long = 'x'.repeat(10_001)
    for (const [name, input] of [
      ['record_observation', { content: long }],
      ['record_decision', { decision: 'd', reasoning: long }],
      ['record_blocker', { blocker: long }],
      ['record_key_fact', { content: long }],
      ['resolve_blocker', { blocker: 'x', resolution: 'y' }],
      ['record_key_fact', { content: 'x', key: '__proto__' }],
      ['record_key_fact', { content: 'x', key: '../x' }],
      ['record_observation', { content: ' \n\t' }],
      ['record_observation', { content: 'x', agent: 'dev' }],
      ['record_observation', { content: { text: 'x' } }],
    ] as const)
      expect(await call(name, input), name).toMatchObject({
        isError: true,
        code: expect.stringMatching(/^(?:invalid_input|not_found|invalid_name)$/) as string,
      })
    expect(
      (JSON.parse(read(swarm.root, '.ai/working_memory_backend-1.json')) as { observations: unknown[] }).observations,
    ).toHaveLength(1)
  })

  it('of another agent is read only by its id, which is never a path', async () => {
    const swarm = await open()
    const { call } = await connectAs(swarm, 'backend-1')
    for (const agent of ['../x', 'a b', '', '-x', 'ünï', 'x'.repeat(51), 'a\0b'])
      expect(await call('get_working_memory', { agent }), agent).toMatchObject(
        refused('invalid_name', /is not a valid agent id/),
      )
    expect(existsSync(join(swarm.root, '.ai'))).toBe(false)
  })

  it('that is corrupt or leads elsewhere is named and kept', async () => {
    const swarm = await open()
    const { call } = await connectAs(swarm, 'backend-1')
    const path = join(swarm.root, '.ai/working_memory_backend-1.json')
    mkdirSync(join(swarm.root, '.ai'))
    writeFileSync(path, '{"agentName":')
    for (const name of ['get_working_memory', 'record_observation'])
      expect(await call(name, name === 'record_observation' ? { content: 'x' } : {})).toMatchObject(
        refused('file_unreadable', `${path}:1: the file ends where a value was expected.`),
      )
    expect(readFileSync(path, 'utf8')).toBe('{"agentName":')
    symlinkSync('/etc/passwd', join(swarm.root, '.ai/working_memory_dev.json'))
    expect(await call('get_working_memory', { agent: 'dev' })).toMatchObject(
      refused('file_unreadable', /is a symbolic link/),
    )
  })

  it('returns numbers that JavaScript cannot represent as they are in the file', async () => {
    const swarm = await open()
    const { call, client } = await connectAs(swarm, 'backend-1')
    await call('record_observation', { content: 'x' })
    const path = join(swarm.root, '.ai/working_memory_backend-1.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('{', '{ "issue": 12345678901234567890,'))
    await call('record_observation', { content: 'y' })
    expect(readFileSync(path, 'utf8')).toContain('"issue": 12345678901234567890')
    const { content } = (await client.callTool({ name: 'get_working_memory', arguments: {} })) as CallToolResult
    expect((content[0] as { text: string }).text).toContain('"issue":12345678901234567890')
  })
})

describe('project memory', () => {
  it('refuses a text that would make its files unreadable, and writes nothing', async () => {
    const swarm = await open()
    const { call } = await connectAs(swarm, 'chatgpt')
    const nul = 'a\0b'
    for (const [name, input, message] of [
      ['append_timeline', { title: nul }, 'A text must not contain NUL characters.'],
      ['append_timeline', { title: 'a', notes: [nul] }, 'A text must not contain NUL characters.'],
      ['append_timeline', { title: '\n' }, 'A title must have 1 to 500 characters.'],
      ['append_timeline', { title: 'x'.repeat(501) }, 'A title must have 1 to 500 characters.'],
      ['propose_adr', { id: 'ADR-001', content: adrText('ADR-001') + nul }, /there is a NUL character/],
      ['propose_adr', { id: '../x', content: adrText('ADR-001') }, /is not a decision id/],
      ['handoff', { to: '../x', goal: '# x' }, /is not a valid agent id/],
      ['handoff', { to: 'claude', goal: nul }, /there is a NUL character/],
      ['handoff', { to: 'claude', goal: ' ' }, /A goal for claude is required/],
      ['compress_memory', { tokens: 150_000, summary: nul, details: '' }, /there is a NUL character/],
      ['compress_memory', { tokens: 150_000, summary: 'x', details: nul }, /there is a NUL character/],
      ['log_event', { type: 'a b' }, /is not an event type/],
      ['log_event', { type: 'note', fields: { 'a b': 1 } }, /is not an event key/],
      ['log_event', { type: 'note', fields: { deep: { a: 1 } } }, /log_event at fields/],
      ['log_event', { type: 'note', phase: '../x' }, /is not a phase name/],
      ['query_project_memory', { question: `${'?'.repeat(500_000)}x` }, /at most 500 characters/],
      ['load_memory', { what: 'handoff', name: '../x' }, /is not a valid agent id/],
      ['load_memory', { what: 'adr', name: '../x' }, /is not a decision id/],
      ['get_brief', { agent: '../x' }, /is not a valid agent id/],
    ] as const)
      expect(await call(name, input), `${name} ${JSON.stringify(input).slice(0, 100)}`).toMatchObject({
        isError: true,
        message: typeof message === 'string' ? message : (expect.stringMatching(message) as string),
      })
    for (const folder of ['context', '.claude']) expect(existsSync(join(swarm.root, folder)), folder).toBe(false)
  })

  it('keeps every other character, and passes verify afterwards', async () => {
    const swarm = await open()
    const { call } = await connectAs(swarm, 'chatgpt')
    const odd = '\u0001\u001b[31m\u0085\u2028\ud800é😀\u202e'
    expect(
      await call('append_timeline', { title: `t${odd}t`, notes: [`${odd}\n## 2026-01-01 - x - y\n\`\`\``, '-x', ''] }),
    ).toMatchObject({ isError: false })
    expect(await call('log_event', { type: 'note', fields: { text: `\0${odd}`, n: 1.5, yes: true } })).toMatchObject({
      isError: false,
      type: 'note',
    })
    expect(await call('propose_adr', { id: 'ADR-001', content: adrText('ADR-001') + odd })).toMatchObject({
      isError: false,
      status: 'Draft',
    })
    expect(await call('accept_adr', { id: 'ADR-001' })).toMatchObject(
      refused('not_allowed', /wrote ADR-001 and cannot accept it/),
    )
    const { findings } = (await call('verify_project_memory')) as unknown as { findings: { path: string }[] }
    expect(findings.map(({ path }) => path)).toEqual(['context/meta/summary.md'])
    expect(readdirSync(join(swarm.root, 'context/decisions/adr'))).toEqual(['ADR-001.md'])
  })
})

describe('dual memory', () => {
  it(
    'belongs to the user in MEMORY_USER_ID, even if that is a path, and creates no file from it',
    { timeout: 600_000 },
    async () => {
      const swarm = await open()
      const before = readdirSync(swarm.root)
      const users = [
        '../../etc/passwd',
        '/',
        'a/b',
        'a',
        "'; drop table conversations; --",
        ' ',
        '%',
        'x'.repeat(5000),
        'Ünï 😀',
      ]
      for (const user of users) {
        const { client } = await connect(swarm.root, { environment: { MEMORY_USER_ID: user } })
        const call = async (name: string, input: Record<string, unknown>) =>
          checked(
            name,
            ((await client.callTool({ name, arguments: input })) as CallToolResult).structuredContent as object,
          )
        expect(
          await call('add_conversation', {
            message_id: 'm',
            explanation: 'e',
            user_input: `I am ${user}`,
            agent_response: 'hello',
          }),
        ).toMatchObject({ success: true })
        expect(await call('retrieve_conversation', { explanation: 'e', query: 'hello' }), user).toMatchObject({
          data: { total_found: 1, conversations: [{ user_input: `I am ${user}` }] },
        })
        await client.close()
      }
      expect(readdirSync(swarm.root)).toEqual(before)
    },
  )

  it('returns no time that is invalid in the schema', async () => {
    const { client } = await connect((await open()).root)
    for (const start of [
      '2024-12-15T24:00:00Z',
      '2024-12-15T23:59:60Z',
      '2024-12-15T14:30:00+24:00',
      '2024-12-15t14:30:00z',
      '9999-12-31T23:59:59-23:59',
      '0000-01-01T00:00:00Z',
    ]) {
      for (const time_range of [{ start }, { end: start }, { start, end: start, zone: 'CET' }]) {
        const { structuredContent } = (await client.callTool({
          name: 'retrieve_conversation',
          arguments: { explanation: 'e', query: 'q', time_range },
        })) as CallToolResult
        checked('retrieve_conversation', structuredContent as object)
      }
      const { structuredContent } = (await client.callTool({
        name: 'add_conversation',
        arguments: { message_id: start, explanation: 'e', user_input: 'u', agent_response: 'a', timestamp: start },
      })) as CallToolResult
      checked('add_conversation', structuredContent as object)
    }
  })
})
