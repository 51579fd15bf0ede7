import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSwarm, read } from '../../effects/swarm.ts'
import { connect, connectAs } from '../client.ts'

const config = 'mcp: {toolsets: [working-memory]}\n'
const names = [
  'record_observation',
  'record_decision',
  'record_blocker',
  'resolve_blocker',
  'record_key_fact',
  'get_working_memory',
]

describe('the toolset working-memory', () => {
  it('is listed if the configuration enables it', async () => {
    const named = async (swarm: { root: string }) =>
      (await (await connect(swarm.root)).client.listTools()).tools.map(({ name }) => name)
    expect(await named(await openSwarm({ config }))).toEqual(expect.arrayContaining(names))
    expect((await named(await openSwarm())).filter((name) => names.includes(name))).toEqual([])
  })
})

describe('an agent with working memory', () => {
  it('writes its own memory, that of its connection', async () => {
    const swarm = await openSwarm({ config })
    const { call } = await connectAs(swarm, 'backend-1')
    expect(await call('get_working_memory')).toMatchObject({ agent: 'backend-1', memory: null })
    expect(existsSync(join(swarm.root, '.ai'))).toBe(false)
    expect(await call('record_observation', { content: '<script>' })).toMatchObject({
      isError: false,
      agent: 'backend-1',
      timestamp: expect.any(String) as string,
    })
    expect(await call('record_decision', { decision: 'use SQLite', reasoning: 'one file' })).toMatchObject({
      isError: false,
    })
    expect(await call('record_blocker', { blocker: 'no access to the server' })).toMatchObject({ isError: false })
    expect(await call('resolve_blocker', { blocker: 'server', resolution: 'got an account' })).toMatchObject({
      isError: false,
    })
    expect(await call('record_key_fact', { content: 'port 5433', key: 'db', critical: true })).toMatchObject({
      isError: false,
      key: 'db',
    })
    expect(await call('record_key_fact', { content: 'port 80' })).toMatchObject({
      key: expect.stringMatching(/^fact_\d+_[0-9a-z]{9}$/) as string,
    })
    const { memory } = (await call('get_working_memory')) as unknown as { memory: object }
    expect(memory).toMatchObject({
      agentName: 'backend-1',
      observations: [{ content: '<script>' }],
      decisions: [{ decision: 'use SQLite', reasoning: 'one file' }],
      blockers: [{ blocker: 'no access to the server', resolved: true, resolution: 'got an account' }],
      keyFacts: { db: { content: 'port 5433', critical: true } },
    })
    expect(JSON.parse(read(swarm.root, '.ai/working_memory_backend-1.json'))).toEqual(memory)
  })

  it('reads the memory of another agent and cannot write it', async () => {
    const swarm = await openSwarm({ config })
    const backend = await connectAs(swarm, 'backend-1')
    const frontend = await connectAs(swarm, 'frontend-1')
    await backend.call('record_observation', { content: 'mine' })
    expect(await frontend.call('get_working_memory', { agent: 'backend-1' })).toMatchObject({
      agent: 'backend-1',
      memory: { observations: [{ content: 'mine' }] },
    })
    expect(await frontend.call('record_observation', { content: 'yours', agent: 'backend-1' })).toMatchObject({
      isError: true,
      code: 'invalid_input',
    })
    expect(await frontend.call('get_working_memory', { agent: '../x' })).toMatchObject({
      isError: true,
      code: 'invalid_name',
    })
    expect(existsSync(join(swarm.root, '.ai/working_memory_frontend-1.json'))).toBe(false)
  })

  it('gets the newest entries of a memory of 10 MB, and the number of omitted ones', async () => {
    const swarm = await openSwarm({ config })
    const { call } = await connectAs(swarm, 'backend-1')
    await call('record_observation', { content: 'the oldest' })
    const path = join(swarm.root, '.ai/working_memory_backend-1.json')
    const memory = JSON.parse(readFileSync(path, 'utf8')) as { observations: unknown[] }
    const context = { storyId: null, epicId: null, taskId: null }
    for (let n = 0; n < 5000; n++)
      memory.observations.push({
        timestamp: new Date(Date.UTC(2027, 0, 1, 0, 0, n)).toISOString(),
        content: `${n} ${'x'.repeat(2000)}`,
        context,
      })
    writeFileSync(path, JSON.stringify(memory))
    expect(statSync(path).size).toBeGreaterThan(10_000_000)
    const { memory: told, leftOut } = (await call('get_working_memory')) as unknown as {
      memory: { observations: { content: string }[] }
      leftOut: readonly string[]
    }
    expect(JSON.stringify(told).length).toBeLessThanOrEqual(40_000)
    expect(told.observations.at(-1)?.content).toMatch(/^4999 /)
    expect(leftOut).toEqual([`${5001 - told.observations.length} of 5001 observations`])
    expect(statSync(path).size).toBeGreaterThan(10_000_000)
  })

  it('gets an error with its cause', async () => {
    const swarm = await openSwarm({ config })
    const { call } = await connectAs(swarm, 'backend-1')
    expect(await call('record_observation', { content: ' ' })).toMatchObject({
      code: 'invalid_input',
      message: 'observation text required',
    })
    expect(await call('record_observation', { content: 'x'.repeat(10_001) })).toMatchObject({ code: 'invalid_input' })
    expect(await call('record_decision', { decision: 'x' })).toMatchObject({ code: 'invalid_input' })
    expect(await call('resolve_blocker', { blocker: 'x', resolution: 'y' })).toMatchObject({ code: 'not_found' })
    expect(await call('record_key_fact', { content: 'x', key: 'a b' })).toMatchObject({ code: 'invalid_name' })
    expect(existsSync(join(swarm.root, '.ai'))).toBe(false)
  })
})

it('a client without an identity reads working memory and writes nothing', async () => {
  const swarm = await openSwarm({ config })
  const { call: write } = await connectAs(swarm, 'backend-1')
  await write('record_observation', { content: 'x' })
  const { call } = await connect(swarm.root)
  expect(await call('get_working_memory', { agent: 'backend-1' })).toMatchObject({
    memory: { observations: [{ content: 'x' }] },
  })
  expect(await call('get_working_memory')).toMatchObject({ isError: true, code: 'invalid_input' })
  expect(await call('record_observation', { content: 'y' })).toMatchObject({ isError: true, code: 'not_owner' })
})
