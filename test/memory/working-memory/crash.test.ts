import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { observe } from '../../../src/memory/working-memory/changes.ts'
import { renderMemory } from '../../../src/memory/working-memory/memory.ts'
import { temporaryFolder } from '../../support/core.ts'
import { dose, ofDay } from '../../support/dose.ts'
import { allObservations, at, empty, filesOf, memoryPath, observations, storeIn } from './examples.ts'

const writer = resolve(import.meta.dirname, '../../fixtures/memory-writer.ts')

interface Ended {
  readonly signal: NodeJS.Signals | null
  /** The entries that the process reported as written. */
  readonly written: readonly string[]
  readonly calls: number
}

const begin = (
  root: string,
  prefix: string,
  times: number,
  killAt: number | string = 0,
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } => {
  const child = spawn(process.execPath, [writer, root, prefix, String(times), String(killAt)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (piece: Buffer) => (said += piece.toString()))
  const ended = once(child, 'close').then(([, signal]) => {
    const lines = said.split('\n').filter(Boolean)
    const calls = Number(lines.find((line) => line.startsWith('calls '))?.slice(6) ?? 0)
    return {
      signal: signal as NodeJS.Signals | null,
      written: lines.filter((line) => !line.startsWith('calls ')),
      calls,
    }
  })
  return { child, ended }
}

/** A folder in which dev has the most observations, so that each write moves one to the archive. */
const fullFolder = (): string => {
  const root = temporaryFolder()
  mkdirSync(join(root, '.ai'))
  writeFileSync(memoryPath(root), renderMemory({ ...empty, observations: observations(100) }))
  return root
}

const first = observations(100).map(({ content }) => content)

/** The number of kills from outside, and of processes that write at the same time. */
const ROUNDS = dose(12, 4)
const PROCESSES = dose(20, 6)

describe('a killed process', { timeout: 600_000 }, () => {
  it('before any file system call leaves the old or the new state, and no duplicate', async () => {
    const { calls } = await begin(fullFolder(), 'x', 1).ended
    expect(calls).toBeGreaterThan(10)
    const points = ofDay(
      Array.from({ length: calls }, (_, at) => at + 1),
      4,
    )
    await inTurns(points, 4, async (point) => {
      const root = fullFolder()
      const { signal, written } = await begin(root, 'killed', 1, point).ended
      expect({ point, signal, written }).toEqual({ point, signal: 'SIGKILL', written: [] })
      // A reader of the files at this moment finds every entry.
      expect(allObservations(root)).toEqual(expect.arrayContaining(first))
      expect(filesOf(root).memory!.observations).toHaveLength(100)
      const stands = filesOf(root).memory!.observations.some(({ content }) => content === 'killed0')
      storeIn(root).update('dev', (memory) => observe(memory, 'after', at(1000)), at(1000))
      expect(allObservations(root), `killed before call ${point}`).toEqual(
        [...first, ...(stands ? ['killed0'] : []), 'after'].sort(),
      )
      expect(readdirSync(join(root, '.ai')).filter((name) => name.endsWith('.pending'))).toEqual([])
    })
  })

  it('leaves the same state if the next process is killed while it completes the work', async () => {
    const half = fullFolder()
    await begin(half, 'one', 1, 'renameSync 2').ended
    expect([filesOf(half).archive.length, filesOf(half).memory]).toEqual([
      1,
      { ...empty, observations: observations(100) },
    ])
    const files = [
      '.ai/working_memory_dev.json',
      '.ai/.working_memory_dev.pending',
      ...readdirSync(join(half, '.ai/archive')).map((name) => `.ai/archive/${name}`),
    ]
    await inTurns(
      ofDay(
        Array.from({ length: 14 }, (_, at) => at + 1),
        4,
      ),
      4,
      async (point) => {
        const root = temporaryFolder()
        mkdirSync(join(root, '.ai/archive'), { recursive: true })
        for (const name of files) writeFileSync(join(root, name), readFileSync(join(half, name)))
        await begin(root, 'two', 1, point).ended
        const stands = filesOf(root).memory!.observations.some(({ content }) => content === 'two0')
        storeIn(root).update('dev', (memory) => observe(memory, 'after', at(1000)), at(1000))
        expect(allObservations(root), `killed before call ${point}`).toEqual(
          [...first, ...(stands ? ['two0'] : []), 'after'].sort(),
        )
      },
    )
  })

  it('at any time loses no entry that it reported as written', async () => {
    const root = fullFolder()
    const sure: string[] = []
    const tried: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const { child, ended } = begin(root, `r${round}-`, 100_000)
      await once(child.stdout!, 'data')
      await new Promise((done) => setTimeout(done, (84 * round) / ROUNDS))
      child.kill('SIGKILL')
      const { written } = await ended
      sure.push(...written)
      tried.push(...written, `r${round}-${written.length}`)
    }
    storeIn(root).update('dev', (memory) => observe(memory, 'after', at(1000)), at(1000))
    const found = allObservations(root)
    expect(new Set(found).size).toBe(found.length)
    expect(found).toEqual(expect.arrayContaining([...first, ...sure, 'after']))
    expect(found.filter((text) => !first.includes(text) && !tried.includes(text))).toEqual(['after'])
  })
})

it(`${PROCESSES} concurrent processes lose no entry`, { timeout: 600_000 }, async () => {
  const root = fullFolder()
  const processes = Array.from({ length: PROCESSES }, (_, n) => begin(root, `p${n}-`, 15))
  const ended = await Promise.all(processes.map(({ ended }) => ended))
  const written = ended.flatMap(({ written }) => written)
  expect(written).toHaveLength(PROCESSES * 15)
  expect(allObservations(root)).toEqual([...first, ...written].sort())
  const { memory } = filesOf(root)
  expect(memory!.observations).toHaveLength(100)
  // The remaining entries come from more than one process.
  const writers = new Set(
    memory!.observations
      .map(({ content }) => content)
      .filter((content) => !first.includes(content))
      .map((content) => content.split('-')[0]),
  )
  expect(writers.size).toBeGreaterThan(1)
})

it(`${PROCESSES} processes that create a memory agree on one`, { timeout: 600_000 }, async () => {
  const root = temporaryFolder()
  await Promise.all(Array.from({ length: PROCESSES }, (_, n) => begin(root, `p${n}-`, 1).ended))
  expect(filesOf(root).memory!.observations).toHaveLength(PROCESSES)
})

/** Processes the items, this many at a time. */
const inTurns = async <T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> => {
  const left = [...items]
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
    }),
  )
}
