import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { endsItsStyles, narrow, narrowWidth } from '../../../src/ui/frames/narrow.ts'

const characters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter((character) =>
  narrow.test(character),
)

describe('a narrow text', () => {
  it('has only characters of one column, by string-width', () => {
    expect(characters.length).toBeGreaterThan(1000)
    expect(characters.filter((character) => stringWidth(character) !== 1)).toEqual([])
  })

  it('has as many columns as characters, in any combination', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...characters), { maxLength: 40 }), (some) => {
        expect(stringWidth(some.join(''))).toBe(some.length)
      }),
      { numRuns: 5000 },
    )
  })

  it.each(['\u001b[1mbold', 'a\u0301', '日', '⚡', '⚠️', '▶️', '\t', '👍', 'ᄀ', 'a\u200db'])(
    'cannot contain %j',
    (text) => {
      expect(narrow.test(`─ ${text} ─`)).toBe(false)
    },
  )

  it('has as many columns as characters without its colours', () => {
    const coloured = fc.array(
      fc.oneof(
        fc.constantFrom(...characters),
        fc.constantFrom('\u001b[1m', '\u001b[38;5;244m', '\u001b[39m', '\u001b[m'),
      ),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(coloured, (some) => {
        expect(narrowWidth(some.join(''))).toBe(stringWidth(some.join('')))
      }),
      { numRuns: 5000 },
    )
  })

  it.each(['\u001b[1m日\u001b[22m', '\u001b[2J', '\u001b]8;;x\u0007', '\u001b[1ma\u001b[22m\u0301', '\u001b'])(
    'is not recognized in %j',
    (text) => {
      expect(narrowWidth(text)).toBeUndefined()
    },
  )
})

describe('the styles of a text', () => {
  it.each([
    'plain',
    '\u001b[1mbold\u001b[22m',
    '\u001b[2ma\u001b[36mb\u001b[39mc\u001b[22m',
    '\u001b[38;5;244mgrey\u001b[39m',
    '\u001b[48;2;1;2;3mblue\u001b[49m',
    '\u001b[91m\u001b[7mx\u001b[27m\u001b[39m',
  ])('end within %j', (text) => {
    expect(endsItsStyles(text)).toBe(true)
  })

  it.each([
    '\u001b[1mbold',
    '\u001b[31ma\u001b[22m',
    '\u001b[39ma',
    '\u001b[31ma\u001b[39m\u001b[39m',
    '\u001b[0m',
    '\u001b[m',
    '\u001b[1;31mboth\u001b[39m',
    '\u001b[38;5;244;1mgrey\u001b[39m',
    '\u001b[39;1mx',
    '\u001b[58;5;1mx\u001b[59m',
  ])('are not known to end within %j', (text) => {
    expect(endsItsStyles(text)).toBe(false)
  })
})
