import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { observe } from '../../../src/memory/working-memory/changes.ts'
import { renderMemory } from '../../../src/memory/working-memory/memory.ts'
import { temporaryFolder } from '../../support/core.ts'
import { allObservations, at, empty, filesOf, memoryPath, observations, storeIn } from './examples.ts'

const writer = resolve(import.meta.dirname, '../../fixtures/memory-writer.ts')

interface Ended {
  readonly signal: NodeJS.Signals | null
  /** What the process said was written. */
  readonly written: readonly string[]
  readonly calls: number
}

const begin = (root: string, prefix: string, times: number, killAt: number | string = 0): { readonly child: ChildProcess; readonly ended: Promise<Ended> } => {
  const child = spawn(process.execPath, [writer, root, prefix, String(times), String(killAt)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (piece: Buffer) => (said += piece.toString()))
  const ended = once(child, 'close').then(([, signal]) => {
    const lines = said.split('\n').filter(Boolean)
    const calls = Number(lines.find((line) => line.startsWith('calls '))?.slice(6) ?? 0)
    return { signal: signal as NodeJS.Signals | null, written: lines.filter((line) => !line.startsWith('calls ')), calls }
  })
  return { child, ended }
}

/** A folder in which dev's observations are at their limit, so that each write moves one to the archive. */
const fullFolder = (): string => {
  const root = temporaryFolder()
  mkdirSync(join(root, '.ai'))
  writeFileSync(memoryPath(root), renderMemory({ ...empty, observations: observations(100) }))
  return root
}

const first = observations(100).map(({ content }) => content)

describe('a process that is killed', { timeout: 600_000 }, () => {
  it('before any call to the file system leaves the old or the new, and nothing twice', async () => {
    const { calls } = await begin(fullFolder(), 'x', 1).ended
    expect(calls).toBeGreaterThan(10)
    const points = Array.from({ length: calls }, (_, at) => at + 1)
    await inTurns(points, 4, async (point) => {
      const root = fullFolder()
      const { signal, written } = await begin(root, 'killed', 1, point).ended
      expect({ point, signal, written }).toEqual({ point, signal: 'SIGKILL', written: [] })
      // Whoever reads the files right now finds everything.
      expect(allObservations(root)).toEqual(expect.arrayContaining(first))
      expect(filesOf(root).memory!.observations).toHaveLength(100)
      const stands = filesOf(root).memory!.observations.some(({ content }) => content === 'killed0')
      storeIn(root).update('dev', (memory) => observe(memory, 'after', at(1000)), at(1000))
      expect(allObservations(root), `killed before call ${point}`).toEqual([...first, ...(stands ? ['killed0'] : []), 'after'].sort())
      expect(readdirSync(join(root, '.ai')).filter((name) => name.endsWith('.pending'))).toEqual([])
    })
  })

  it('while the next one ends its work is no different', async () => {
    const half = fullFolder()
    await begin(half, 'one', 1, 'renameSync 2').ended
    expect([filesOf(half).archive.length, filesOf(half).memory]).toEqual([1, { ...empty, observations: observations(100) }])
    const files = ['.ai/working_memory_dev.json', '.ai/.working_memory_dev.pending', ...readdirSync(join(half, '.ai/archive')).map((name) => `.ai/archive/${name}`)]
    await inTurns(
      Array.from({ length: 14 }, (_, at) => at + 1),
      4,
      async (point) => {
        const root = temporaryFolder()
        mkdirSync(join(root, '.ai/archive'), { recursive: true })
        for (const name of files) writeFileSync(join(root, name), readFileSync(join(half, name)))
        await begin(root, 'two', 1, point).ended
        const stands = filesOf(root).memory!.observations.some(({ content }) => content === 'two0')
        storeIn(root).update('dev', (memory) => observe(memory, 'after', at(1000)), at(1000))
        expect(allObservations(root), `killed before call ${point}`).toEqual([...first, ...(stands ? ['two0'] : []), 'after'].sort())
      },
    )
  })

  it('at any time from outside loses nothing that it said was written', async () => {
    const root = fullFolder()
    const sure: string[] = []
    const tried: string[] = []
    for (let round = 0; round < 12; round++) {
      const { child, ended } = begin(root, `r${round}-`, 100_000)
      await once(child.stdout!, 'data')
      await new Promise((done) => setTimeout(done, 7 * round))
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

it('twenty processes at once lose nothing', { timeout: 600_000 }, async () => {
  const root = fullFolder()
  const processes = Array.from({ length: 20 }, (_, n) => begin(root, `p${n}-`, 15))
  const ended = await Promise.all(processes.map(({ ended }) => ended))
  const written = ended.flatMap(({ written }) => written)
  expect(written).toHaveLength(300)
  expect(allObservations(root)).toEqual([...first, ...written].sort())
  const { memory } = filesOf(root)
  expect(memory!.observations).toHaveLength(100)
  // More than one process had its turn among the last hundred.
  expect(new Set(memory!.observations.map(({ content }) => content.split('-')[0])).size).toBeGreaterThan(1)
})

it('twenty processes that begin a memory agree on one', { timeout: 600_000 }, async () => {
  const root = temporaryFolder()
  await Promise.all(Array.from({ length: 20 }, (_, n) => begin(root, `p${n}-`, 1).ended))
  expect(filesOf(root).memory!.observations).toHaveLength(20)
})

/** Works on the items, so many at a time. */
const inTurns = async <T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> => {
  const left = [...items]
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
    }),
  )
}
