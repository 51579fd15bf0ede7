import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withFileLock } from '../../../src/db/sqlite/file-lock.ts'
import { observe, setContext, setPlan } from '../../../src/memory/working-memory/changes.ts'
import {
  LARGEST_MEMORY,
  parseMemory,
  renderMemory,
  type WorkingMemory,
} from '../../../src/memory/working-memory/memory.ts'
import { WorkingMemoryStore } from '../../../src/memory/working-memory/store.ts'
import { temporaryFolder } from '../../support/core.ts'
import { refusalOf } from '../project-memory/project.ts'
import { at, empty, memoryPath, observations, storeIn } from './examples.ts'

const archive = (root: string): string => join(root, '.ai/archive')
const today = 'archive_dev_2026-01-30.jsonl'

const memoryOf = (root: string): WorkingMemory => JSON.parse(readFileSync(memoryPath(root), 'utf8')) as WorkingMemory

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const plan = (root: string, ...steps: string[]) =>
  storeIn(root).update('dev', (memory) => setPlan(memory, steps, at(0)), at(0))

/** A repository in which dev has a memory with a plan; a new plan archives this one. */
const planned = (): string => {
  const root = temporaryFolder()
  plan(root, 'one')
  return root
}

describe('numbers that JavaScript cannot represent', () => {
  const odd = '"issue": 12345678901234567890, "far": [1e400, -1E+400, 9007199254740993], "id": "12345678901234567890"'

  it('are kept when an entry is added', () => {
    const root = planned()
    writeFileSync(memoryPath(root), readFileSync(memoryPath(root), 'utf8').replace('{', `{ ${odd},`))
    storeIn(root).update('dev', (memory) => observe(memory, 'x', at(1)), at(1))
    expect(readFileSync(memoryPath(root), 'utf8').replace(/\s+/g, ' ')).toContain(
      odd.replace('[1e400', '[ 1e400').replace('993]', '993 ]'),
    )
  })

  it('are kept in the archive', () => {
    const root = planned()
    const full = { ...empty, observations: observations(100) }
    writeFileSync(
      memoryPath(root),
      renderMemory(full).replace(
        '"content": "observation 0"',
        '"content": "observation 0", "issue": 12345678901234567890',
      ),
    )
    storeIn(root).update('dev', (memory) => observe(memory, 'x', at(1)), at(1))
    expect(readFileSync(join(archive(root), today), 'utf8')).toContain('"issue":12345678901234567890')
  })

  it('are refused as steps of a plan', () => {
    expect(() =>
      parseMemory(Buffer.from(renderMemory(empty).replace('"currentStep": null', '"currentStep": 1e400')), 'f'),
    ).toThrow(/^f:16: currentStep: /)
  })

  it('are kept with their value in any notation', () => {
    const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,30})$/)
    const number = fc.oneof(
      digits,
      fc.tuple(digits, fc.integer({ min: -500, max: 500 })).map(([whole, power]) => `${whole}e${power}`),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => String(n)),
    )
    fc.assert(
      fc.property(fc.array(number, { maxLength: 5 }), (numbers) => {
        const text = renderMemory(empty).replace('{', `{ "numbers": [${numbers.join(', ')}],`)
        const again = renderMemory(parseMemory(Buffer.from(text), 'f'))
        const kept = (/"numbers": \[([^\]]*)\]/.exec(again)?.[1] ?? '').split(',').map((one) => one.trim())
        for (const [place, source] of numbers.entries()) {
          const same = Object.is(Number(kept[place]), Number(source)) || Number(source) === 0
          expect(same, `${source} became ${kept[place]}`).toBe(true)
          if (/^-?\d+$/.test(source) && Number(source) !== 0) expect(BigInt(kept[place]!)).toBe(BigInt(source))
        }
      }),
    )
  })
})

describe('the archive folder', () => {
  it('is neither read nor written if it is a link out of the repository', () => {
    const root = planned()
    const outside = temporaryFolder()
    writeFileSync(join(outside, today), '{"archivedAt":"x","section":"plan","entry":"secret"}\n')
    symlinkSync(outside, archive(root))
    for (const work of [() => storeIn(root).archive('dev'), () => plan(root, 'two')])
      expect(refusalOf(work).code).toBe('outside_worktree')
    expect(memoryOf(root).plan).toEqual(['one'])
    expect(readdirSync(outside)).toEqual([today])
  })

  it('is refused with a sentence if it is a link to itself, a dangling link or a file', () => {
    for (const make of [
      (path: string) => symlinkSync('archive', path),
      (path: string) => writeFileSync(path, 'mine'),
      (path: string) => symlinkSync('/nonexistent/x', path),
    ]) {
      const root = planned()
      make(archive(root))
      for (const work of [() => storeIn(root).archive('dev'), () => plan(root, 'two')]) {
        expect(refusalOf(work).code).toMatch(/not_writable|outside_worktree/)
        expect(refusalOf(work).message).toContain('archive')
      }
      expect(memoryOf(root).plan).toEqual(['one'])
    }
  })

  it('is reported with the entries that are not plain files', () => {
    for (const make of [
      (path: string) => symlinkSync('/etc/passwd', path),
      (path: string) => mkdirSync(path),
      (path: string) => void execFileSync('mkfifo', [path]),
      (path: string) => symlinkSync('/nonexistent', path),
    ]) {
      const root = planned()
      mkdirSync(archive(root))
      make(join(archive(root), today))
      expect(refusalOf(() => storeIn(root).archive('dev'))).toMatchObject({
        code: 'file_unreadable',
        message: expect.stringContaining(today) as string,
      })
    }
  })
})

describe('the memory folder', () => {
  it('is refused if it is a dangling link or a link to itself, not read as empty', () => {
    for (const target of ['/nonexistent/x', '.ai']) {
      const root = temporaryFolder()
      symlinkSync(target, join(root, '.ai'))
      for (const work of [() => storeIn(root).read('dev'), () => plan(root, 'one'), () => storeIn(root).archive('dev')])
        expect(refusalOf(work).message).toContain('.ai')
    }
  })

  it('is named in the refusal if it is a file', () => {
    const root = temporaryFolder()
    writeFileSync(join(root, '.ai'), 'mine')
    for (const work of [() => storeIn(root).read('dev'), () => plan(root, 'one')])
      expect(refusalOf(work)).toEqual({
        code: 'not_writable',
        message: `${join(root, '.ai')} is not a folder; remove it.`,
      })
    expect(readFileSync(join(root, '.ai'), 'utf8')).toBe('mine')
  })
})

it('an invalid lock is named, and nothing is written', () => {
  const root = planned()
  const lock = join(root, '.ai/.working_memory.lock')
  const before = readFileSync(memoryPath(root))
  writeFileSync(lock, 'this is no database'.repeat(100))
  expect(refusalOf(() => plan(root, 'two'))).toEqual({
    code: 'not_writable',
    message: `${lock} is not a lock of aiswarm, so nothing is written here. Remove it.`,
  })
  expect(readFileSync(memoryPath(root))).toEqual(before)
})

it('a memory that would be too large to read is not written', () => {
  const root = planned()
  const huge = 'x'.repeat(LARGEST_MEMORY - 1000)
  writeFileSync(memoryPath(root), JSON.stringify({ ...memoryOf(root), huge }))
  const before = readFileSync(memoryPath(root)).length
  expect(
    refusalOf(() => storeIn(root).update('dev', (memory) => observe(memory, 'y'.repeat(2000), at(1)), at(1))).message,
  ).toContain('would have more than 64 MB')
  expect(readFileSync(memoryPath(root))).toHaveLength(before)
  expect(storeIn(root).read('dev')).toMatchObject({ plan: ['one'] })
})

it('a memory above the read limit is refused with that limit', () => {
  const root = planned()
  writeFileSync(memoryPath(root), ' '.repeat(LARGEST_MEMORY + 1))
  expect(refusalOf(() => storeIn(root).read('dev')).message).toMatch(/has 65 MB, and at most 64 MB are read/)
})

it('a write that was killed is kept if it cannot be completed, and other writes are refused until it is', () => {
  const root = planned()
  plan(root, 'two')
  const folder = archive(root)
  // A write that was killed before its lines were in the archive, where a folder has taken their place.
  writeFileSync(
    join(root, '.ai/.working_memory_dev.pending'),
    JSON.stringify({
      archive: 'archive_dev_2026-02-01.jsonl',
      length: 0,
      lines: '{}\n',
      before: null,
      after: sha(readFileSync(memoryPath(root))),
    }),
  )
  mkdirSync(join(folder, 'archive_dev_2026-02-01.jsonl'))
  expect(refusalOf(() => plan(root, 'three')).code).toBe('not_writable')
  expect(existsSync(join(root, '.ai/.working_memory_dev.pending'))).toBe(true)
  expect(memoryOf(root).plan).toEqual(['two'])
})

it('agents whose names differ only in case or share a prefix have separate memories and archives', () => {
  const root = temporaryFolder()
  const names = ['dev', 'Dev', 'dev-2', 'dev_2026-01-30', 'DEV']
  for (const name of names)
    for (const steps of [[name], ['new']]) storeIn(root).update(name, (memory) => setPlan(memory, steps, at(0)), at(0))
  for (const name of names) {
    expect(storeIn(root).read(name)).toMatchObject({ agentName: name, plan: ['new'] })
    expect(storeIn(root).archive(name)).toMatchObject([{ entry: { plan: [name] } }])
  }
})

it('known and unknown entries survive every change', () => {
  const key = fc.stringMatching(/^[a-zA-Z_$][a-zA-Z0-9_ $.-]{0,12}$/)
  const unknown = fc.dictionary(key, fc.jsonValue(), { maxKeys: 4 })
  fc.assert(
    fc.property(
      unknown,
      unknown,
      unknown,
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      (top, inside, entry, end, mark) => {
        const root = temporaryFolder()
        mkdirSync(join(root, '.ai'))
        const known = {
          ...empty,
          currentContext: { ...inside, ...empty.currentContext },
          observations: observations(2).map((one) => ({ ...entry, ...one })),
        }
        const memory = { ...top, ...known } as unknown as WorkingMemory
        writeFileSync(memoryPath(root), (mark ? '\ufeff' : '') + renderMemory(memory).replaceAll('\n', end))
        const store = new WorkingMemoryStore({ base: root, path: '.ai' }, withFileLock)
        store.update('dev', (now) => setContext(now, { taskId: 'T' }, at(1)), at(1))
        const kept = JSON.parse(readFileSync(memoryPath(root), 'utf8')) as WorkingMemory
        expect(kept).toEqual(
          JSON.parse(
            JSON.stringify({
              ...memory,
              lastUpdated: at(1),
              currentContext: { ...memory.currentContext, taskId: 'T' },
            }),
          ),
        )
      },
    ),
    { numRuns: 40 },
  )
})
