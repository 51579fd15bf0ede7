import { describe, expect, it } from 'vitest'
import { excerptOf, MOST_TOLD } from '../../../src/memory/working-memory/excerpt.ts'
import { beginMemory, type WorkingMemory } from '../../../src/memory/working-memory/memory.ts'

const context = { storyId: null, epicId: null, taskId: null }
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 30, 10, minute)).toISOString()
const observation = (minute: number, length = 900) => ({
  timestamp: at(minute),
  content: `${minute} ${'x'.repeat(length)}`,
  context,
})
const blocker = (minute: number, resolved: boolean) => ({
  timestamp: at(minute),
  blocker: `${minute} ${'y'.repeat(900)}`,
  context,
  resolved,
})
const fact = (minute: number, critical: boolean) => ({
  timestamp: at(minute),
  content: 'z'.repeat(900),
  context,
  critical,
})

const memory = (more: Partial<WorkingMemory> = {}): WorkingMemory => ({ ...beginMemory('dev', 's', at(0)), ...more })
const size = (value: unknown): number => JSON.stringify(value).length

describe('the excerpt of a working memory', () => {
  it('is complete if the memory is small', () => {
    const small = memory({ observations: [observation(1)] })
    expect(excerptOf(small)).toEqual({ memory: small, leftOut: [] })
  })

  it('contains whole entries of a large memory, the newest, in order, and the number of omitted ones', () => {
    const observations = Array.from({ length: 100 }, (_, minute) => observation(minute))
    const { memory: told, leftOut } = excerptOf(memory({ observations }))
    const kept = told['observations'] as readonly unknown[]
    expect(size(told)).toBeLessThanOrEqual(MOST_TOLD)
    expect(size(told)).toBeGreaterThan(MOST_TOLD * 0.9)
    expect(kept).toEqual(observations.slice(-kept.length))
    expect(leftOut).toEqual([`${100 - kept.length} of 100 observations`])
    expect(Object.keys(told)).toEqual(Object.keys(memory()))
  })

  it('is sorted by time across the lists, with open and critical entries first', () => {
    const observations = Array.from({ length: 100 }, (_, minute) => observation(minute + 10))
    const { memory: told, leftOut } = excerptOf(
      memory({
        observations,
        decisions: [],
        blockers: [blocker(1, false), blocker(2, true)],
        keyFacts: { old: fact(1, false), kept: fact(1, true) },
      }),
    )
    expect(told).toMatchObject({ blockers: [{ resolved: false }] })
    expect(Object.keys(told['keyFacts'] as object)).toEqual(['kept'])
    expect(leftOut).toEqual([expect.stringMatching(/^\d+ of 100 observations$/), '1 of 2 blockers', '1 of 2 keyFacts'])
  })

  it('omits an entry that would fill it alone, and contains the others', () => {
    const huge = observation(5, 10_000_000)
    const { memory: told, leftOut } = excerptOf(memory({ observations: [observation(1), huge, observation(6)] }))
    expect(told['observations']).toEqual([observation(1), observation(6)])
    expect(leftOut).toEqual(['1 of 3 observations'])
  })

  it('omits an unknown key or a context by name if it is too large', () => {
    const { memory: told, leftOut } = excerptOf(
      memory({ notes: 'x'.repeat(50_000), currentContext: { ...context, more: 'y'.repeat(60_000) } }),
    )
    expect(told).toMatchObject({ agentName: 'dev' })
    expect(told).not.toHaveProperty('notes')
    expect(leftOut).toEqual([
      expect.stringMatching(/^currentContext \(60\d\d\d characters\)$/),
      expect.stringMatching(/^notes \(50\d\d\d characters\)$/),
    ])
  })
})
