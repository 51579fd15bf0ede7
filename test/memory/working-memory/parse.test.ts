import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scanJson } from '../../../src/memory/working-memory/json-scan.ts'
import { parseMemory, renderMemory } from '../../../src/memory/working-memory/memory.ts'
import { empty, observations } from './examples.ts'

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
