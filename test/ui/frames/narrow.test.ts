import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { narrow } from '../../../src/ui/frames/narrow.ts'

const characters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter((character) => narrow.test(character))

describe('a narrow text', () => {
  it('has characters of one column each, by string-width', () => {
    expect(characters.length).toBeGreaterThan(1000)
    expect(characters.filter((character) => stringWidth(character) !== 1)).toEqual([])
  })

  it('is as wide as it is long, whatever stands beside what', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...characters), { maxLength: 40 }), (some) => {
        expect(stringWidth(some.join(''))).toBe(some.length)
      }),
      { numRuns: 5000 },
    )
  })

  it.each(['\u001b[1mbold', 'a\u0301', '日', '⚡', '⚠️', '▶️', '\t', '👍', 'ᄀ', 'a\u200db'])('is none with %j in it', (text) => {
    expect(narrow.test(`─ ${text} ─`)).toBe(false)
  })
})
