import { expect, it } from 'vitest'
import { mixedNames } from '../../../src/domain/words/mixed-scripts.ts'

const mixed = (text: string): readonly string[] => mixedNames(text, 10).map(({ name }) => name)

it('a name with letters that look like those of another script is found, with its place and its scripts', () => {
  expect(mixedNames('const p\u0430ypal = isAdmin', 10)).toEqual([
    { name: 'p\u0430ypal', at: 6, scripts: ['Latin', 'Cyrillic'] },
  ])
  expect(mixed('sc\u043epe, \u0391dmin, l\u0661, n\u1d0f_\u043e')).toEqual([
    'sc\u043epe',
    '\u0391dmin',
    'l\u0661',
    'n\u1d0f_\u043e',
  ])
})

it('a name in one script, or in those that one language uses together, is not', () => {
  for (const text of [
    ...['naïve Straße', 'привет мир', 'ΔΩ', 'x² µs', 'नमस्ते', 'ᏣᎳᎩ', 'שלום', '\u0441\u0442\u043e2'],
    ...['日本語カタカナnew漢字', '한국어abc', 'カタカナー', '使用SQL查询'],
  ])
    expect([text, mixed(text)]).toEqual([text, []])
})

it('no more names are reported than are asked for', () => {
  expect(mixedNames('p\u0430y '.repeat(100), 3)).toHaveLength(3)
})
