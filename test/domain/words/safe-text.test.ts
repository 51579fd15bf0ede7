import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { ours, safeLine, safeLines, safeText, spelledOut } from '../../../src/domain/words/safe-text.ts'

const ESC = '\u001b'

describe('safe text removes', () => {
  const families: Record<string, string> = {
    'a colour': `${ESC}[31m`,
    'a true colour with colons': `${ESC}[38:2::1:2:3m`,
    'a clear screen': `${ESC}[2J`,
    'a cursor move': `${ESC}[10;20H`,
    'a private mode': `${ESC}[?1049h`,
    'a request with an intermediate byte': `${ESC}[1 q`,
    'an 8-bit CSI': '\u009b2J',
    'a window title ended by BEL': `${ESC}]0;title\u0007`,
    'a window title ended by ST': `${ESC}]2;title${ESC}\\`,
    'a window title ended by the 8-bit ST': `${ESC}]2;title\u009c`,
    'an 8-bit OSC': '\u009d0;title\u0007',
    'a clipboard write (OSC 52)': `${ESC}]52;c;cm0gLXJmIC8=\u0007`,
    'a hyperlink (OSC 8)': `${ESC}]8;;https://example.com${ESC}\\`,
    'a notification (OSC 777)': `${ESC}]777;notify;a;b\u0007`,
    'a device control string': `${ESC}P$q"p${ESC}\\`,
    'an 8-bit device control string': '\u0090+q544e\u009c',
    'a start of string': `${ESC}Xsecret${ESC}\\`,
    'a privacy message': `${ESC}^secret${ESC}\\`,
    'an application command (kitty graphics)': `${ESC}_Gf=100;AAAA${ESC}\\`,
    'a reset': `${ESC}c`,
    'a character set': `${ESC}(0`,
    'an alignment test': `${ESC}#8`,
    'a saved cursor': `${ESC}7`,
  }
  for (const [name, sequence] of Object.entries(families)) {
    it(name, () => expect(safeText(`a${sequence}b`)).toBe('ab'))
  }

  it('an unfinished sequence', () => {
    expect(safeText(`a${ESC}`)).toBe('a')
    expect(safeText(`a${ESC}[`)).toBe('a')
    expect(safeText(`a${ESC}]52;c;QUJD`)).toBe('a')
  })
})

test('an unfinished string ends with its line', () => {
  expect(safeLines(`a${ESC}]0;title\nb`)).toEqual(['a', 'b'])
})

test('removing a sequence never creates another one', () => {
  expect(safeText(`${ESC}${ESC}[31m[2Jx`)).not.toContain(ESC)
  expect(safeText(`${ESC}]${ESC}]0;a\u0007x`)).not.toContain(ESC)
})

test('control characters become spaces, and several spaces become one', () => {
  expect(safeText('a\u0000b\u0008c\u007fd\u0085e')).toBe('a b c d e')
  expect(safeText('  a \r\n\t b  ')).toBe('a b')
})

test('bidirectional and zero-width characters are spelled out', () => {
  expect(safeText('a\u202eb')).toBe('a⟨202E⟩b')
  expect(safeText('a\u2066b\u2069')).toBe('a⟨2066⟩b⟨2069⟩')
  expect(safeText('pass\u200bword')).toBe('pass⟨200B⟩word')
  expect(safeText('\ufeffa\u00ad\u2060')).toBe('⟨FEFF⟩a⟨00AD⟩⟨2060⟩')
  expect(safeText('a\u{e0041}')).toBe('a⟨E0041⟩')
  expect(safeText('a\u2028b')).toBe('a⟨2028⟩b')
})

test('lone surrogates are replaced, and pairs are kept', () => {
  expect(safeText('a\ud800b')).toBe('a\ufffdb')
  expect(safeText('a\udc00')).toBe('a\ufffd')
  expect(safeText('ok 🎉 日本語 é')).toBe('ok 🎉 日本語 é')
})

describe('a safe line', () => {
  it('keeps colours and resets them', () => {
    expect(safeLine(`${ESC}[1;31mred${ESC}[0m plain`)).toBe(`${ESC}[1;31mred${ESC}[0m plain${ESC}[0m`)
    expect(safeLine('plain')).toBe('plain')
  })

  it('keeps indentation, with four spaces per tab', () => {
    expect(safeLine('    a   b\tc  ')).toBe('    a   b    c')
  })

  it('removes every other sequence', () => {
    expect(safeLine(`a${ESC}[2J${ESC}]52;c;eA==\u0007b${ESC}[?25l`)).toBe('ab')
    expect(safeLine('a\u009b31mb')).toBe('ab')
    expect(safeLine(`a${ESC}[>4mb`)).toBe('ab')
  })
})

test('lines end at every kind of line break, and a carriage return keeps the last text', () => {
  expect(safeLines('a\nb\r\nc\u2028d')).toEqual(['a', 'b', 'c', 'd'])
  expect(safeLines('10%\r50%\r100%\r\ndone')).toEqual(['100%', 'done'])
  expect(safeLines('')).toEqual([''])
})

describe('spelled-out text', () => {
  it('keeps the text before a carriage return', () => {
    expect(spelledOut('rm -rf ~ #\rnpm test')).toEqual(['rm -rf ~ #⟨000D⟩npm test'])
    expect(spelledOut('a\r\nb\u2028c')).toEqual(['a⟨000D⟩', 'b⟨2028⟩c'])
  })

  it('keeps the content of an escape sequence', () => {
    expect(spelledOut(`a${ESC}]0; rm -rf ~\u0007b\u009b2J${ESC}[8mc`)).toEqual([
      'a⟨001B⟩]0; rm -rf ~⟨0007⟩b⟨009B⟩2J⟨001B⟩[8mc',
    ])
  })

  it('keeps spaces and empty lines', () => {
    expect(spelledOut('  a   b \n\n\tc')).toEqual(['  a   b ', '', '    c'])
    expect(spelledOut('')).toEqual([''])
  })

  it('names hidden characters and lone surrogates', () => {
    expect(spelledOut('a\u0000\u200b\u202e\ud800 🎉')).toEqual(['a⟨0000⟩⟨200B⟩⟨202E⟩⟨D800⟩ 🎉'])
  })
})

test("the program's own words are not changed", () => {
  expect(ours('⚑ 2')).toBe('⚑ 2')
})

// Any character that could move a cursor, hide text or end a line.
// oxlint-disable-next-line no-control-regex -- these characters must be absent
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/
const piece = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    ESC,
    '[',
    ']',
    '\u009b',
    '\u009d',
    '\u0007',
    '\\',
    'P',
    '52;c;',
    '31m',
    '\r',
    '\n',
    '\ud800',
    '\u202e',
  ),
)
const foreign = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

test('safe text is safe for any input', () => {
  fc.assert(fc.property(foreign, (text) => !unsafe.test(safeText(text)) && safeText(text).isWellFormed()))
  fc.assert(
    fc.property(foreign, (text) =>
      // oxlint-disable-next-line no-control-regex -- colours alone remain
      safeLines(text).every((line) => !unsafe.test(line.replace(/\u001b\[[0-9;:]*m/g, ''))),
    ),
  )
})

test('spelled-out text is safe for any input, and differs from text that imitates it', () => {
  const read = (lines: readonly string[]): string =>
    lines
      .join('\n')
      .replace(/⟨([0-9A-F]{4,6})⟩/g, (_, number: string) => String.fromCodePoint(Number.parseInt(number, 16)))
  const without = foreign.filter((text) => !/[\t⟨⟩]/.test(text))
  fc.assert(fc.property(foreign, (text) => spelledOut(text).every((line) => !unsafe.test(line) && line.isWellFormed())))
  fc.assert(fc.property(without, (text) => read(spelledOut(text)) === text))
})

test('cleaning safe text again changes nothing', () => {
  fc.assert(fc.property(foreign, (text) => safeText(safeText(text)) === safeText(text)))
})
