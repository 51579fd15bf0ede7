import { describe, expect, it } from 'vitest'
import { keepWithinLimits, limits, type WorkingMemory } from '../../../src/memory/working-memory/memory.ts'
import { at, empty, noContext, observations } from './examples.ts'

const blocker = (n: number, resolved: boolean) => ({
  timestamp: at(n),
  blocker: `b${n}`,
  context: noContext,
  resolved,
  resolution: null,
  resolvedAt: null,
})
const fact = (n: number, critical?: boolean) => ({
  content: `f${n}`,
  timestamp: at(n),
  context: noContext,
  ...(critical ? { critical } : {}),
})
const facts = (count: number, critical: (n: number) => boolean) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, fact(n, critical(n))]))

describe('the limits of working memory', () => {
  it('are those of the seed', () => {
    expect(limits).toEqual({ observations: 100, decisions: 50, blockers: 30, keyFacts: 100, completedTasks: 200 })
  })

  it('allow a memory of exactly that size', () => {
    const full: WorkingMemory = {
      ...empty,
      observations: observations(100),
      decisions: observations(50).map(({ content, ...entry }) => ({ ...entry, decision: content, reasoning: '' })),
      blockers: Array.from({ length: 30 }, (_, n) => blocker(n, false)),
      keyFacts: facts(100, () => false),
      completedTasks: Array.from({ length: 200 }, (_, n) => ({ timestamp: at(n), taskId: `t${n}`, context: {} })),
    }
    expect(keepWithinLimits(full)).toEqual({ memory: full, leaving: [] })
    expect(keepWithinLimits(full).memory).toBe(full)
  })
})

describe('an archived entry', () => {
  it('is the oldest, and the order of the entries is kept', () => {
    const { memory, leaving } = keepWithinLimits({ ...empty, observations: observations(103) })
    expect(leaving).toEqual([0, 1, 2].map((n) => ({ section: 'observations', entry: observations(103)[n] })))
    expect(memory.observations).toEqual(observations(103).slice(3))
  })

  it('is counted separately from equal entries', () => {
    const { memory, leaving } = keepWithinLimits({
      ...empty,
      observations: Array.from({ length: 105 }, () => observations(1)[0]!),
    })
    expect([memory.observations.length, leaving.length]).toEqual([100, 5])
  })

  it('is a resolved blocker before an older open one', () => {
    const blockers = Array.from({ length: 33 }, (_, n) => blocker(n, n === 20 || n === 30))
    const { memory, leaving } = keepWithinLimits({ ...empty, blockers })
    expect(leaving.map(({ entry }) => (entry as { blocker: string }).blocker)).toEqual(['b20', 'b30', 'b0'])
    expect(memory.blockers).toHaveLength(30)
    expect(memory.blockers[0]!.blocker).toBe('b1')
  })

  it('is an ordinary fact before a critical one', () => {
    const { memory, leaving } = keepWithinLimits({ ...empty, keyFacts: facts(103, (n) => n < 101) })
    expect(leaving.map(({ key }) => key)).toEqual(['k101', 'k102', 'k0'])
    expect(Object.keys(memory.keyFacts)).toEqual(Array.from({ length: 100 }, (_, n) => `k${n + 1}`))
  })

  it('is the oldest fact by its time, even if its key is a number', () => {
    const keyFacts = { ...facts(100, () => false), 7: fact(500) }
    expect(keepWithinLimits({ ...empty, keyFacts }).leaving.map(({ key }) => key)).toEqual(['k0'])
  })
})
