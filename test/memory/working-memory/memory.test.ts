import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scanJson } from '../../../src/memory/working-memory/json-scan.ts'
import {
  keepWithinLimits,
  limits,
  parseMemory,
  renderMemory,
  type WorkingMemory,
} from '../../../src/memory/working-memory/memory.ts'
import { at, empty, noContext, observations } from './examples.ts'

const parse = (text: string) => parseMemory(Buffer.from(text), 'm.json')
const problem = (text: string): string => {
  try {
    parse(text)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('expected a problem')
}

const sound = renderMemory({ ...empty, observations: observations(2) })

describe('a memory file', () => {
  it('reads back what was written', () => {
    expect(parse(sound)).toEqual({ ...empty, observations: observations(2) })
    expect(renderMemory(parse(sound))).toBe(sound)
  })

  it('keeps unknown keys, and the order of known ones', () => {
    const strange = {
      mood: { deep: [1, null] },
      ...empty,
      keyFacts: {
        b: { timestamp: 't', source: 'x', content: 'c', context: {} },
        a: { content: 'c', timestamp: 't', context: {} },
      },
    }
    expect(renderMemory(parse(JSON.stringify(strange)))).toBe(`${JSON.stringify(strange, null, 2)}\n`)
  })

  it('may have Windows line ends and a byte order mark', () => {
    expect(parse(`\ufeff${sound.replaceAll('\n', '\r\n')}`)).toEqual(parse(sound))
  })
})

describe('a corrupt file', () => {
  const without = (key: string): string => JSON.stringify({ ...empty, [key]: undefined }, null, 2)

  it.each([
    ['', 'm.json:1: the file is empty.'],
    ['\n \n', 'm.json:1: the file is empty.'],
    [sound.slice(0, sound.indexOf('observation 1')), /^m\.json:23: there is a string that is not terminated/],
    [
      sound.trimEnd().slice(0, -1),
      `m.json:${sound.trimEnd().split('\n').length - 1}: the file ends where ',' or '}' was expected.`,
    ],
    [sound.replace('"observations": [', '"observations": [,'), "m.json:11: a value or ']' was expected."],
    [sound.replace('"dev",', '"dev"'), "m.json:3: ',' or '}' was expected."],
    [`${sound}x`, /^m\.json:\d+: the end was expected\.$/],
    [sound.replace('"plan"', '"observations"'), /^m\.json:\d+: the key "observations" occurs twice\.$/],
    ['[]', 'm.json:1: the file: Invalid input: expected object, received array.'],
    ['null', 'm.json:1: the file: Invalid input: expected object, received null.'],
    [without('decisions'), 'm.json:1: decisions: Invalid input: expected array, received undefined.'],
    [
      sound.replace('"observation 1"', '17'),
      'm.json:23: observations.1.content: Invalid input: expected string, received number.',
    ],
    [
      sound.replace('"currentStep": null', '"currentStep": "2"'),
      /^m\.json:\d+: currentStep: Invalid input: expected number, received string\.$/,
    ],
    [`{"a": ${'['.repeat(200)}${']'.repeat(200)}}`, 'm.json:1: there are more than 100 levels of nesting.'],
  ])('%# is named by file and line', (text, expected) => {
    const message = problem(text)
    if (typeof expected === 'string') expect(message).toBe(expected)
    else expect(message).toMatch(expected)
  })

  it('that is not UTF-8 is named too', () => {
    expect(() => parseMemory(Buffer.concat([Buffer.from('{\n"a": "'), Buffer.from([0xff])]), 'm.json')).toThrow(
      /^m\.json:2: /,
    )
  })

  it('with a megabyte of nesting is refused without a crash', () => {
    expect(problem(`{"a": ${'['.repeat(1 << 20)}`)).toBe('m.json:1: there are more than 100 levels of nesting.')
  })
})

describe('the scanner', () => {
  it('finds an error exactly where JSON.parse fails', () => {
    const mutated = fc
      .tuple(
        fc.json({ maxDepth: 4 }),
        fc.nat(),
        fc.constantFrom('', ',', '"', '}', ']', '[', '{', ':', '\\', 'e', '-', '0', '.', ' ', '\n', 'u12'),
        fc.nat(3),
      )
      .map(
        ([json, place, piece, cut]) =>
          json.slice(0, place % (json.length + 1)) + piece + json.slice((place % (json.length + 1)) + cut),
      )
    fc.assert(
      fc.property(mutated, (text) => {
        const fault = scanJson(text)
        if (fault?.problem.includes('twice')) return
        expect(fault === undefined).toBe(isJson(text))
      }),
      { numRuns: 3000 },
    )
  })
})

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

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
