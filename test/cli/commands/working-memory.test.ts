import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withFileLock } from '../../../src/db/sqlite/file-lock.ts'
import type { WorkingMemory } from '../../../src/memory/working-memory/memory.ts'
import { temporaryFolder } from '../../support/core.ts'
import { openTerminal, type Said } from '../terminal.ts'

/** A command line in a repository without aiswarm, which opens no database. */
const openRepository = async (environment: Record<string, string> = {}) => {
  const root = temporaryFolder()
  const services = {
    open: () => Promise.reject(new Error('no database was to be opened')),
    repositoryRoot: () => Promise.resolve(root),
    fileLock: () => Promise.resolve(withFileLock),
  }
  const { run } = await openTerminal({ services, environment })
  return {
    root,
    memory: (...argv: string[]): Promise<Said> => run('memory', ...argv),
    path: (agent = 'dev') => join(root, '.ai', `working_memory_${agent}.json`),
    written: (agent = 'dev') =>
      JSON.parse(readFileSync(join(root, '.ai', `working_memory_${agent}.json`), 'utf8')) as WorkingMemory,
  }
}

const said = (out: string): Said => ({ code: 0, out: `${out}\n`, err: '' })
const failed = (err: string): Said => ({ code: 1, out: '', err: `${err}\n` })

describe('a recorded entry', () => {
  test('can be an observation', async () => {
    const { memory, written } = await openRepository()
    expect(await memory('observation', 'dev', 'the', 'build is', 'slow')).toEqual(
      said('✓ Observation persisted for dev'),
    )
    expect(written().observations).toMatchObject([
      { content: 'the build is slow', context: { storyId: null, epicId: null, taskId: null } },
    ])
  })

  test('can be a decision, whose first word is its name', async () => {
    const { memory, written } = await openRepository()
    expect(await memory('decision', 'dev', 'use SQLite', 'one', 'file')).toEqual(said('✓ Decision persisted for dev'))
    expect(await memory('decision', 'dev', 'no reasons')).toEqual(said('✓ Decision persisted for dev'))
    expect(written().decisions).toMatchObject([
      { decision: 'use SQLite', reasoning: 'one file' },
      { decision: 'no reasons', reasoning: '' },
    ])
  })

  test('can be a blocker, which stays until it is resolved', async () => {
    const { memory, written } = await openRepository()
    expect(await memory('blocker', 'dev', 'no access to', 'the server')).toEqual(said('✓ Blocker persisted for dev'))
    expect(written().blockers).toMatchObject([
      { blocker: 'no access to the server', resolved: false, resolution: null, resolvedAt: null },
    ])
    expect(await memory('resolve-blocker', 'dev', 'printer', 'bought')).toEqual(
      failed('No open blocker of dev contains "printer".'),
    )
    expect(await memory('resolve-blocker', 'dev', 'server', 'got an', 'account')).toEqual(
      said('✓ Blocker resolved for dev'),
    )
    expect(written().blockers).toMatchObject([{ resolved: true, resolution: 'got an account' }])
    expect(await memory('resolve-blocker', 'dev', 'server', 'again')).toMatchObject({ code: 1 })
  })

  test('can be a blocker that three words of resolve resolve', async () => {
    const { memory, written } = await openRepository()
    await memory('blocker', 'dev', 'no access')
    expect(await memory('resolve', 'dev', 'access', 'done')).toEqual(said('✓ Blocker resolved for dev'))
    expect(written().blockers).toMatchObject([{ resolved: true, resolution: 'done' }])
    expect(await memory('resolve', 'dev', 'access')).toMatchObject({ code: 2 })
  })

  test('can be a fact with a given or a generated key', async () => {
    const { memory, written } = await openRepository()
    const { out, code } = await memory('keyfact', 'dev', 'port', '5433')
    expect(code).toBe(0)
    expect(out).toMatch(/^✓ Key fact persisted for dev with key: fact_\d{13}_[0-9a-z]{9}\n$/)
    expect(await memory('keyfact', 'dev', 'port 5434', '--key', 'db', '--critical')).toEqual(
      said('✓ Key fact persisted for dev with key: db'),
    )
    expect(Object.values(written().keyFacts)).toMatchObject([
      { content: 'port 5433' },
      { content: 'port 5434', critical: true },
    ])
    expect(await memory('keyfact', 'dev', 'x', '--key', '../x')).toMatchObject({ code: 1 })
  })

  test('can start with a dash', async () => {
    const { memory, written } = await openRepository()
    await memory('observation', 'dev', '-5 degrees', '--cold')
    await memory('observation', 'dev', '--', '--json')
    expect(written().observations.map(({ content }) => content)).toEqual(['-5 degrees --cold', '--json'])
  })

  test('can be the context, the plan, a step or a completed task', async () => {
    const { memory, written } = await openRepository()
    for (const argv of [
      ['context', 'dev', 'storyId=S1', 'epicId=E1'],
      ['context', 'dev', 'taskId=T=1', 'epicId='],
      ['plan', 'dev', 'write the test', 'make it pass'],
      ['step', 'dev', '2'],
      ['complete', 'dev', 'task-7'],
    ])
      expect(await memory(...argv)).toMatchObject({ code: 0, err: '' })
    expect(written()).toMatchObject({
      currentContext: { storyId: 'S1', epicId: null, taskId: 'T=1' },
      plan: ['write the test', 'make it pass'],
      currentStep: 2,
      completedTasks: [{ taskId: 'task-7', context: { storyId: 'S1', epicId: null } }],
    })
    expect(await memory('step', 'dev', '3')).toEqual(failed('Error: step 3 is not in the plan, which has 2'))
    expect(await memory('context', 'dev', 'story=1')).toEqual(
      failed('Error: "story=1" is not a key of the context; use storyId=, epicId=, taskId='),
    )
  })
})

describe('the printed memory', () => {
  test('is JSON with two spaces, or null', async () => {
    const { memory, root, written } = await openRepository()
    expect(await memory('show', 'dev')).toEqual(said('null'))
    expect(readdirSync(root)).toEqual([])
    await memory('observation', 'dev', '<script>eval("x")</script>')
    expect(await memory('show', 'dev')).toEqual(said(JSON.stringify(written(), null, 2)))
    expect(await memory('show', 'dev', '--json')).toEqual(said(JSON.stringify(written())))
  })

  test('contains no terminal sequence', async () => {
    const { memory, written } = await openRepository()
    const text = '\u001b[2J\u009b2J\u202eevil'
    await memory('observation', 'dev', text)
    const { out } = await memory('show', 'dev')
    // oxlint-disable-next-line no-control-regex -- control characters are what must not come out
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect((JSON.parse(out) as WorkingMemory).observations[0]!.content).toBe(text)
    expect(written().observations[0]!.content).toBe(text)
  })

  test('of the archive has one line per entry', async () => {
    const { memory, path, written } = await openRepository()
    await memory('observation', 'dev', 'first')
    const first = written().observations[0]!
    writeFileSync(path(), JSON.stringify({ ...written(), observations: Array.from({ length: 102 }, () => first) }))
    expect(await memory('hygiene', 'dev')).toEqual(said('✓ Memory hygiene done for dev: 2 records archived'))
    expect(await memory('hygiene', 'dev')).toEqual(said('✓ Memory hygiene done for dev: 0 records archived'))
    const lines = (await memory('archive', 'dev')).out.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { section: 'observations', entry: first },
      { section: 'observations', entry: first },
    ])
    expect(await memory('archive', 'qa')).toEqual({ code: 0, out: '', err: '' })
  })
})

describe('a memory command', () => {
  test('refuses a missing or too long text, and creates nothing', async () => {
    const { memory, root } = await openRepository()
    expect(await memory('observation', 'dev')).toEqual(failed('Error: observation text required'))
    expect(await memory('observation', 'dev', ' ')).toEqual(failed('Error: observation text required'))
    expect(await memory('decision', 'dev')).toEqual(failed('Error: decision text required'))
    expect(await memory('blocker', 'dev')).toEqual(failed('Error: blocker text required'))
    expect(await memory('keyfact', 'dev')).toEqual(failed('Error: key fact text required'))
    expect(await memory('context', 'dev')).toEqual(failed('Error: context key=value required'))
    expect(await memory('observation', 'dev', 'x'.repeat(10_001))).toEqual(
      failed('Error: observation text has 10001 characters, and at most 10000 are kept; write less'),
    )
    expect(await memory('observation', 'dev', '--json')).toEqual(
      failed('{"error":{"code":"invalid_input","message":"observation text required"}}'),
    )
    expect(readdirSync(root)).toEqual([])
  })

  test('refuses an agent id that is not a file name, and creates nothing', async () => {
    const { memory, root } = await openRepository()
    for (const agent of ['../x', '/tmp/x', 'a b', '']) {
      expect(await memory('observation', agent, 'x')).toMatchObject({ code: 1, out: '' })
      expect(await memory('show', agent)).toMatchObject({ code: 1, out: '' })
    }
    expect(readdirSync(root)).toEqual([])
  })

  test('refuses a corrupt file and does not change it', async () => {
    const { memory, root, path } = await openRepository()
    mkdirSync(join(root, '.ai'))
    writeFileSync(path(), '{"agentName": "dev",\n')
    for (const argv of [
      ['show', 'dev'],
      ['observation', 'dev', 'x'],
      ['hygiene', 'dev'],
    ])
      expect(await memory(...argv)).toEqual(failed(`${path()}:1: the file ends where a key was expected.`))
    expect(readFileSync(path(), 'utf8')).toBe('{"agentName": "dev",\n')
  })

  test('refuses the memory of another agent', async () => {
    const { memory, path } = await openRepository({ AISWARM_AGENT_ID: 'backend' })
    expect(await memory('observation', 'dev', 'x')).toEqual(
      failed('You are backend and cannot write the working memory of dev. Write your own.'),
    )
    expect(existsSync(path())).toBe(false)
    expect(await memory('observation', 'backend', 'x')).toEqual(said('✓ Observation persisted for backend'))
    expect(await memory('show', 'dev')).toEqual(said('null'))
    const guest = await openRepository({ AISWARM_AGENT_ID: 'backend', AISWARM_ROOT: '/elsewhere' })
    expect(await guest.memory('observation', 'dev', 'x')).toMatchObject({ code: 0 })
  })
})

test('an absolute BMAD_MEMORY_DIR makes the repository unnecessary', async () => {
  const folder = temporaryFolder()
  const { memory, root } = await openRepository({ BMAD_MEMORY_DIR: folder })
  await memory('observation', 'dev', 'x')
  expect(readdirSync(root)).toEqual([])
  expect(readdirSync(folder)).toContain('working_memory_dev.json')
})
