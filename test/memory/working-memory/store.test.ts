import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFileLock } from '../../../src/db/sqlite/file-lock.ts'
import { isRefusal } from '../../../src/domain/rules/refusal.ts'
import { block, observe, recordFact, resolveBlocker, setPlan } from '../../../src/memory/working-memory/changes.ts'
import { renderMemory } from '../../../src/memory/working-memory/memory.ts'
import { memoryPlace } from '../../../src/memory/working-memory/paths.ts'
import { newFactKey, WorkingMemoryStore } from '../../../src/memory/working-memory/store.ts'
import { start, temporaryFolder } from '../../support/core.ts'
import { at, empty, filesOf, memoryPath, observations, storeIn } from './examples.ts'

const codeOf = (work: () => unknown): { code: string; message: string } => {
  try {
    work()
  } catch (error) {
    if (isRefusal(error)) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('expected a refusal')
}

/** A folder in which dev has a memory. */
const withMemory = (text: string): string => {
  const root = temporaryFolder()
  mkdirSync(join(root, '.ai'))
  writeFileSync(memoryPath(root), text)
  return root
}

const note = (root: string, text: string, seconds = 0) =>
  storeIn(root).update('dev', (memory) => observe(memory, text, at(seconds)), at(seconds))

describe('a working memory', () => {
  it('is created with its first entry, below .ai in the root', () => {
    const root = temporaryFolder()
    expect(storeIn(root).read('dev')).toBeUndefined()
    expect(readdirSync(root)).toEqual([])
    note(root, 'one')
    expect(readFileSync(memoryPath(root), 'utf8')).toBe(renderMemory(storeIn(root).read('dev')!))
    expect(storeIn(root).read('dev')).toMatchObject({
      agentName: 'dev',
      initialized: start,
      sessionId: expect.stringMatching(new RegExp(`^session_${Date.parse(start)}_[0-9a-z]{9}$`)) as string,
    })
  })

  it('keeps sessionId and initialized', () => {
    const root = temporaryFolder()
    const { sessionId, initialized } = note(root, 'one').memory
    expect(note(root, 'two', 60).memory).toMatchObject({ sessionId, initialized, lastUpdated: at(60) })
  })

  it('is in BMAD_MEMORY_DIR, relative to the root of the repository', () => {
    const root = temporaryFolder()
    const elsewhere = temporaryFolder()
    expect(memoryPlace('/r', {})).toEqual({ base: '/r', path: '.ai' })
    expect(memoryPlace('/r', { BMAD_MEMORY_DIR: '' })).toEqual({ base: '/r', path: '.ai' })
    for (const [named, folder] of [
      [join(elsewhere, 'deep', 'er'), join(elsewhere, 'deep', 'er')],
      ['notes', join(root, 'notes')],
    ] as const) {
      const store = new WorkingMemoryStore(memoryPlace(root, { BMAD_MEMORY_DIR: named }), withFileLock)
      for (let n = 0; n < 101; n++) store.update('dev', (memory) => observe(memory, `${n}`, at(n)), at(n))
      expect(existsSync(join(folder, 'working_memory_dev.json'))).toBe(true)
      expect(readdirSync(join(folder, 'archive'))).toEqual(['archive_dev_2026-01-30.jsonl'])
    }
    expect(existsSync(join(root, '.ai'))).toBe(false)
  })

  it('is separate from that of an agent whose name has its name as a prefix', () => {
    const root = temporaryFolder()
    note(root, 'one')
    storeIn(root).update('dev-2', (memory) => observe(memory, 'two', at(0)), at(0))
    expect(filesOf(root, 'dev-2').memory?.observations).toHaveLength(1)
  })

  it('names a fact by its time and nine characters', () => {
    expect(newFactKey(start)).toMatch(new RegExp(`^fact_${Date.parse(start)}_[0-9a-z]{9}$`))
  })

  it('may be larger than other memory files', () => {
    const root = temporaryFolder()
    for (let n = 0; n < 40; n++) note(root, '\u0001'.repeat(10_000), n)
    expect(readFileSync(memoryPath(root)).length).toBeGreaterThan(2 << 20)
    expect(storeIn(root).read('dev')!.observations).toHaveLength(40)
  })
})

describe('the archive', () => {
  it('has a line for each entry, with time, section and entry', () => {
    const root = withMemory(renderMemory({ ...empty, observations: observations(100) }))
    note(root, 'one more', 500)
    expect(readFileSync(join(root, '.ai/archive/archive_dev_2026-01-30.jsonl'), 'utf8')).toBe(
      `${JSON.stringify({ archivedAt: at(500), section: 'observations', entry: observations(1)[0] })}\n`,
    )
    expect(storeIn(root).archive('dev')).toEqual(filesOf(root).archive)
    expect(filesOf(root).memory?.observations.at(-1)?.content).toBe('one more')
  })

  it('has one file per day, and each file only grows', () => {
    const root = withMemory(renderMemory({ ...empty, observations: observations(100) }))
    note(root, 'a', 0)
    const first = readFileSync(join(root, '.ai/archive/archive_dev_2026-01-30.jsonl'), 'utf8')
    note(root, 'b', 1)
    note(root, 'c', 86_400)
    expect(readdirSync(join(root, '.ai/archive'))).toEqual([
      'archive_dev_2026-01-30.jsonl',
      'archive_dev_2026-01-31.jsonl',
    ])
    expect(readFileSync(join(root, '.ai/archive/archive_dev_2026-01-30.jsonl'), 'utf8').startsWith(first)).toBe(true)
    expect(
      storeIn(root)
        .archive('dev')
        .map(({ entry }) => (entry as { content: string }).content),
    ).toEqual(['observation 0', 'observation 1', 'observation 2'])
  })

  it('contains replaced facts with their key, and replaced plans', () => {
    const root = temporaryFolder()
    const store = storeIn(root)
    for (const content of ['old', 'new'])
      store.update('dev', (memory) => recordFact(memory, { key: 'db', content, critical: false }, at(1)), at(1))
    for (const step of ['one', 'two']) store.update('dev', (memory) => setPlan(memory, [step], at(2)), at(2))
    expect(store.archive('dev')).toMatchObject([
      { archivedAt: at(1), section: 'keyFacts', key: 'db', entry: { content: 'old' } },
      { archivedAt: at(2), section: 'plan', entry: { plan: ['one'], currentStep: null } },
    ])
  })

  it('continues after a line without an end', () => {
    const root = withMemory(renderMemory({ ...empty, observations: observations(100) }))
    mkdirSync(join(root, '.ai/archive'))
    writeFileSync(
      join(root, '.ai/archive/archive_dev_2026-01-30.jsonl'),
      '{"archivedAt":"a","section":"plan","entry":1}',
    )
    note(root, 'a')
    expect(storeIn(root).archive('dev')).toHaveLength(2)
  })

  it('is named by file and line if it is corrupt', () => {
    const root = withMemory(renderMemory({ ...empty, observations: observations(100) }))
    note(root, 'a')
    const path = join(root, '.ai/archive/archive_dev_2026-01-30.jsonl')
    writeFileSync(path, 'broken\n', { flag: 'a' })
    expect(codeOf(() => storeIn(root).archive('dev'))).toEqual({
      code: 'file_unreadable',
      message: `${path}:2: the line is not valid JSON.`,
    })
  })

  it('is the same after hygiene alone', () => {
    const root = withMemory(renderMemory({ ...empty, observations: observations(150) }))
    expect(storeIn(root).clean('dev', at(5))?.archived).toHaveLength(50)
    expect(filesOf(root).archive).toHaveLength(50)
    const bytes = readFileSync(memoryPath(root), 'utf8')
    expect(storeIn(root).clean('dev', at(6))?.archived).toEqual([])
    expect(readFileSync(memoryPath(root), 'utf8')).toBe(bytes)
    expect(storeIn(root).clean('qa', at(6))).toBeUndefined()
  })
})

describe('a refused write', () => {
  it('creates nothing', () => {
    const root = temporaryFolder()
    for (const agent of ['../x', '/etc/x', 'a b', '', '-a', '.', 'a/b', 'x'.repeat(51)])
      expect(codeOf(() => storeIn(root).read(agent)).code).toBe('invalid_name')
    expect(codeOf(() => storeIn(root).update('../x', (memory) => observe(memory, 'x', at(0)), at(0))).code).toBe(
      'invalid_name',
    )
    expect(codeOf(() => note(root, ' ')).code).toBe('invalid_input')
    expect(
      codeOf(() => storeIn(root).update('dev', (memory) => resolveBlocker(memory, 'x', 'y', at(0)), at(0))).code,
    ).toBe('not_found')
    expect(readdirSync(root)).toEqual([])
  })

  it('does not change a corrupt file', () => {
    const root = withMemory('{\n  "agentName": "dev",\n  "oops\n')
    const corrupt = { code: 'file_unreadable', message: `${memoryPath(root)}:3: a key was expected.` }
    expect(codeOf(() => storeIn(root).read('dev'))).toEqual(corrupt)
    expect(codeOf(() => note(root, 'x'))).toEqual(corrupt)
    expect(codeOf(() => storeIn(root).clean('dev', at(0)))).toEqual(corrupt)
    expect(readFileSync(memoryPath(root), 'utf8')).toBe('{\n  "agentName": "dev",\n  "oops\n')
    expect(readdirSync(join(root, '.ai'))).toEqual(['working_memory_dev.json'])
  })

  it('is the result of a memory that is a link, a pipe or a folder', () => {
    const outside = join(temporaryFolder(), 'secret.json')
    writeFileSync(outside, renderMemory(empty))
    const linked = temporaryFolder()
    mkdirSync(join(linked, '.ai'))
    symlinkSync(outside, memoryPath(linked))
    const piped = temporaryFolder()
    mkdirSync(join(piped, '.ai'))
    execFileSync('mkfifo', [memoryPath(piped)])
    const folder = temporaryFolder()
    mkdirSync(memoryPath(folder), { recursive: true })
    for (const root of [linked, piped, folder]) {
      expect(codeOf(() => storeIn(root).read('dev')).code).toBe('file_unreadable')
      expect(codeOf(() => note(root, 'x')).code).toBe('file_unreadable')
    }
    expect(readFileSync(outside, 'utf8')).toBe(renderMemory(empty))
  })

  it('is the result of a folder that leads out of the repository', () => {
    const outside = temporaryFolder()
    const root = temporaryFolder()
    symlinkSync(outside, join(root, '.ai'))
    expect(codeOf(() => storeIn(root).read('dev')).code).toBe('outside_worktree')
    expect(codeOf(() => note(root, 'x')).code).toBe('outside_worktree')
    expect(readdirSync(outside)).toEqual([])
  })

  it('is the result of an archive or a lock that is a link, and the memory does not change', () => {
    const outside = join(temporaryFolder(), 'target')
    for (const make of [
      (root: string) => {
        mkdirSync(join(root, '.ai/archive'))
        symlinkSync(outside, join(root, '.ai/archive/archive_dev_2026-01-30.jsonl'))
      },
      (root: string) => symlinkSync(outside, join(root, '.ai/.working_memory.lock')),
    ]) {
      const text = renderMemory({ ...empty, observations: observations(100) })
      const root = withMemory(text)
      make(root)
      expect(codeOf(() => note(root, 'x')).code).toBe('not_writable')
      expect(readFileSync(memoryPath(root), 'utf8')).toBe(text)
      expect(
        readdirSync(join(root, '.ai')).filter((name) => name.endsWith('.tmp') || name.endsWith('.pending')),
      ).toEqual([])
    }
    expect(existsSync(outside)).toBe(false)
  })
})

it('leftovers of other killed processes have no effect', () => {
  const root = withMemory(renderMemory({ ...empty, observations: observations(100) }))
  writeFileSync(join(root, '.ai/.working_memory_dev.json.0123456789ab.tmp'), 'half')
  writeFileSync(join(root, '.ai/.working_memory.0123456789ab.tmp'), 'half')
  note(root, 'x')
  expect(filesOf(root)).toMatchObject({ archive: [{ section: 'observations' }] })
})

it('a blocker that was resolved later is archived with its resolution', () => {
  const root = temporaryFolder()
  const store = storeIn(root)
  for (let n = 0; n < 30; n++) store.update('dev', (memory) => block(memory, `b${n}`, at(n)), at(n))
  store.update('dev', (memory) => resolveBlocker(memory, 'b17', 'done', at(40)), at(40))
  store.update('dev', (memory) => block(memory, 'b30', at(50)), at(50))
  expect(store.archive('dev')).toMatchObject([
    { section: 'blockers', entry: { blocker: 'b17', resolved: true, resolution: 'done' } },
  ])
})
