import { describe, expect, it } from 'vitest'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import {
  block,
  completeTask,
  decide,
  LONGEST_TEXT,
  observe,
  recordFact,
  resolveBlocker,
  setContext,
  setPlan,
  setStep,
} from '../../../src/memory/working-memory/changes.ts'
import type { WorkingMemory } from '../../../src/memory/working-memory/memory.ts'
import { at, empty, noContext } from './examples.ts'

const working: WorkingMemory = { ...empty, currentContext: { storyId: 'S1', epicId: 'E1', taskId: 'T1' } }
const context = { storyId: 'S1', epicId: 'E1', taskId: 'T1' }

const sentence = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
  throw new Error('expected a refusal')
}

describe('a new memory', () => {
  it('has the twelve keys of the seed, in its order', () => {
    expect(Object.keys(empty)).toEqual([
      'agentName',
      'sessionId',
      'initialized',
      'lastUpdated',
      'currentContext',
      'observations',
      'decisions',
      'blockers',
      'keyFacts',
      'plan',
      'currentStep',
      'completedTasks',
    ])
    expect(empty).toMatchObject({
      agentName: 'dev',
      currentContext: noContext,
      plan: [],
      currentStep: null,
      keyFacts: {},
    })
  })
})

describe('an entry', () => {
  it('of an observation has time, text and context', () => {
    expect(observe(working, 'slow tests', at(1)).memory.observations).toEqual([
      { timestamp: at(1), content: 'slow tests', context },
    ])
  })

  it('of a decision has its reasoning', () => {
    expect(decide(working, 'use SQLite', 'one file', at(1)).memory.decisions).toEqual([
      { timestamp: at(1), decision: 'use SQLite', reasoning: 'one file', context },
    ])
  })

  it('of a blocker is unresolved', () => {
    expect(block(working, 'no access', at(1)).memory.blockers).toEqual([
      { timestamp: at(1), blocker: 'no access', context, resolved: false, resolution: null, resolvedAt: null },
    ])
  })

  it('of a fact is under its key', () => {
    expect(recordFact(working, { key: 'db', content: 'port 5433', critical: false }, at(1)).memory.keyFacts).toEqual({
      db: { content: 'port 5433', timestamp: at(1), context },
    })
  })

  it('of a completed task has its story and epic', () => {
    expect(completeTask(working, 'T1', at(1)).memory.completedTasks).toEqual([
      { timestamp: at(1), taskId: 'T1', context: { storyId: 'S1', epicId: 'E1' } },
    ])
  })

  it('keeps the context in which it was written', () => {
    const { memory } = setContext(observe(working, 'one', at(1)).memory, { storyId: 'S2' }, at(2))
    expect(memory.currentContext).toEqual({ storyId: 'S2', epicId: 'E1', taskId: 'T1' })
    expect(memory.observations[0]!.context).toEqual(context)
  })

  it('comes after earlier entries', () => {
    const { memory } = observe(observe(working, 'one', at(1)).memory, 'two', at(0))
    expect(memory.observations.map(({ content }) => content)).toEqual(['one', 'two'])
  })

  it('is stored verbatim', () => {
    for (const text of [
      '<script>alert(1)</script>',
      'eval("x")',
      '\u0000\u001b[31m',
      '  two\nlines  ',
      '\ud800',
      '__proto__',
    ])
      expect(observe(working, text, at(1)).memory.observations[0]!.content).toBe(text)
  })

  it('has at most 10,000 characters of any width', () => {
    expect(observe(working, 'é'.repeat(LONGEST_TEXT), at(1)).memory.observations).toHaveLength(1)
    expect(observe(working, '😀'.repeat(LONGEST_TEXT), at(1)).memory.observations).toHaveLength(1)
    const refusal = 'observation text has 10001 characters, and at most 10000 are kept; write less'
    expect(sentence(() => observe(working, 'x'.repeat(LONGEST_TEXT + 1), at(1)))).toBe(refusal)
    expect(sentence(() => decide(working, 'x', 'y'.repeat(LONGEST_TEXT + 1), at(1)))).toContain(
      'reasoning text has 10001',
    )
  })

  it('without text is refused', () => {
    expect(sentence(() => observe(working, ' \n', at(1)))).toBe('observation text required')
    expect(sentence(() => decide(working, '', 'why', at(1)))).toBe('decision text required')
    expect(sentence(() => block(working, '', at(1)))).toBe('blocker text required')
    expect(sentence(() => recordFact(working, { key: 'a', content: '', critical: false }, at(1)))).toBe(
      'key fact text required',
    )
  })
})

describe('every change', () => {
  it('updates lastUpdated, and keeps initialized, sessionId and unknown keys', () => {
    const strange = {
      ...working,
      mood: 'good',
      observations: [{ timestamp: at(0), content: 'old', context: { ...context, sprint: 4 }, tags: ['x'] }],
    }
    const changes = [
      observe(strange, 'o', at(9)),
      decide(strange, 'd', 'r', at(9)),
      block(strange, 'b', at(9)),
      recordFact(strange, { key: 'k', content: 'f', critical: true }, at(9)),
      setContext(strange, { epicId: null }, at(9)),
      setPlan(strange, ['p'], at(9)),
      setStep(strange, 1, at(9)),
      completeTask(strange, 't', at(9)),
    ]
    for (const { memory } of changes) {
      expect(memory).toMatchObject({
        lastUpdated: at(9),
        initialized: strange.initialized,
        sessionId: 'session_1',
        mood: 'good',
      })
      expect(memory.observations[0]).toEqual(strange.observations[0])
      expect(Object.keys(memory)).toEqual(Object.keys(strange))
    }
  })
})

describe('a blocker', () => {
  const { memory } = block(
    block(block(working, 'no access to the server', at(1)).memory, 'server', at(2)).memory,
    'the server is slow',
    at(3),
  )

  it('is resolved by a part of its text, the oldest first', () => {
    const resolved = resolveBlocker(memory, 'the server', 'got an account', at(5)).memory
    expect(resolved.blockers[0]).toMatchObject({
      blocker: 'no access to the server',
      resolved: true,
      resolution: 'got an account',
      resolvedAt: at(5),
      timestamp: at(1),
    })
    expect(resolved.blockers.slice(1)).toEqual(memory.blockers.slice(1))
    expect(
      resolveBlocker(resolved, 'the server', 'faster now', at(6)).memory.blockers.map(({ resolved }) => resolved),
    ).toEqual([true, false, true])
  })

  it('is resolved by its whole text before others that contain it', () => {
    expect(resolveBlocker(memory, 'server', 'up', at(5)).memory.blockers.map(({ resolved }) => resolved)).toEqual([
      false,
      true,
      false,
    ])
  })

  it('is refused if it does not exist or is not open', () => {
    expect(sentence(() => resolveBlocker(memory, 'printer', 'x', at(5)))).toBe(
      'No open blocker of dev contains "printer".',
    )
    const done = resolveBlocker(memory, 'slow', 'x', at(5)).memory
    expect(sentence(() => resolveBlocker(done, 'slow', 'again', at(6)))).toContain('No open blocker')
    expect(sentence(() => resolveBlocker(memory, '', 'x', at(5)))).toBe('blocker text required')
    expect(sentence(() => resolveBlocker(memory, 'server', ' ', at(5)))).toBe('resolution text required')
  })
})

describe('a fact', () => {
  it('is archived when its key is reused', () => {
    const first = recordFact(
      recordFact(working, { key: 'a', content: '1', critical: false }, at(1)).memory,
      { key: 'b', content: '2', critical: false },
      at(2),
    ).memory
    const { memory, leaving } = recordFact(first, { key: 'a', content: '3', critical: false }, at(3))
    expect(leaving).toEqual([{ section: 'keyFacts', key: 'a', entry: first.keyFacts['a'] }])
    expect(Object.entries(memory.keyFacts).map(([key, { content }]) => [key, content])).toEqual([
      ['b', '2'],
      ['a', '3'],
    ])
  })

  it('has a key that could be a file name and is not a property of every object', () => {
    for (const key of ['../x', 'a b', '', '-a', '__proto__', 'x'.repeat(51)])
      expect(sentence(() => recordFact(working, { key, content: 'x', critical: false }, at(1)))).toContain(
        'is not a fact key',
      )
    expect(recordFact(working, { key: 'constructor', content: 'x', critical: false }, at(1)).leaving).toEqual([])
  })
})

describe('a plan', () => {
  it('replaces the previous plan, which is archived', () => {
    const first = setStep(setPlan(working, ['a', 'b'], at(1)).memory, 2, at(2)).memory
    expect(first).toMatchObject({ plan: ['a', 'b'], currentStep: 2 })
    const { memory, leaving } = setPlan(first, ['c'], at(3))
    expect(memory).toMatchObject({ plan: ['c'], currentStep: null })
    expect(leaving).toEqual([{ section: 'plan', entry: { plan: ['a', 'b'], currentStep: 2 } }])
  })

  it('has no step after its last one', () => {
    const { memory } = setPlan(working, ['a', 'b'], at(1))
    expect(sentence(() => setStep(memory, 3, at(2)))).toBe('step 3 is not in the plan, which has 2')
    expect(sentence(() => setStep(memory, -1, at(2)))).toBe('a step is a whole number, 0 or more')
  })
})
