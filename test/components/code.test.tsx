/* oxlint-disable no-control-regex -- colour sequences are what is looked for */
import chalk from 'chalk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Code } from '../../components/base/code.ts'
import { ThemeInUse, type ThemeName, themes } from '../../components/base/theme.ts'
import { type Line, Lines } from '../../components/Lines.tsx'
import { ours } from '../../src/domain/words/safe-text.ts'
import { drawRaw } from './frame.tsx'

// Another test may have loaded chalk in this process, without colours.
const before = chalk.level
beforeEach(() => {
  chalk.level = 3
})
afterEach(() => {
  chalk.level = before
})

const added: Code = {
  lead: ours('  1 +'),
  text: ours('const a = "b"'),
  marks: [[10, 13]],
  change: 'added',
  parts: [
    [0, 5, 'keyword'],
    [10, 13, 'string'],
  ],
  blanks: 4,
}
const lineOf = (...code: readonly Code[]): Line => ({
  text: ours(code.map(({ text }) => text).join(' ')),
  lead: ours(code[0]!.lead),
  theirs: true,
  code,
})
const draw = (theme: ThemeName, ...lines: readonly Line[]): string =>
  drawRaw(
    <ThemeInUse value={themes[theme]}>
      <Lines lines={lines} />
    </ThemeInUse>,
    60,
  )
const plain = (drawn: string): string => drawn.replace(/\u001b\[[0-9;:]*m/g, '').trimEnd()

describe('a line of code', () => {
  it.each([
    ['dark', '48;2;16;48;28', '38;5;219'],
    ['light', '48;2;220;245;223', '38;5;90'],
  ] as const)('of the %s theme has a ground for its change and a colour for each part', (theme, ground, keyword) => {
    const drawn = draw(theme, lineOf(added))
    expect(drawn).toContain(`\u001b[${ground}m`)
    expect(drawn).toContain(`\u001b[${keyword}mconst`)
    expect(plain(drawn)).toBe('   1 +const a = "b"')
  })

  it('has a ground of the 256 colours where the terminal has no more, and inverse words', () => {
    chalk.level = 2
    const drawn = draw('dark', lineOf(added))
    expect(drawn).toContain('\u001b[48;5;22m')
    expect(drawn).toMatch(/\u001b\[7m"b"|\u001b\[7m\u001b\[38;5;157m"b"/)
  })

  it('has one colour on a terminal of sixteen, and keeps its sign', () => {
    chalk.level = 1
    const drawn = draw('dark', lineOf(added))
    expect(drawn).toContain('\u001b[32m')
    expect(drawn).not.toMatch(/\u001b\[48|38;5/)
    expect(plain(drawn)).toBe('   1 +const a = "b"')
  })

  it.each(['contrast-dark', 'contrast-light'] as const)('has one colour in the theme %s', (theme) => {
    const drawn = draw(theme, lineOf(added))
    expect(drawn).not.toContain('\u001b[48')
    expect(drawn).not.toContain('38;5;219')
    expect(drawn).toContain(themes[theme].colours!.green.replace(/ansi256\((\d+)\)/, '38;5;$1'))
  })

  it('has no colour with NO_COLOR, and its sign and inverse words say what changed', () => {
    const drawn = draw('mono', lineOf(added))
    expect(drawn).not.toMatch(/\u001b\[(3[0-9]|4[0-9]|38|48)/)
    expect(drawn).toContain('\u001b[7m"b"\u001b[27m')
    expect(plain(drawn)).toBe('   1 +const a = "b"')
  })

  it('has no ground if it did not change', () => {
    const drawn = draw('dark', lineOf({ ...added, change: null, marks: [], lead: ours('  1  ') }))
    expect(drawn).not.toContain('\u001b[48')
    expect(drawn).toContain('\u001b[38;5;219mconst')
  })

  it.each(['dark', 'mono'] as const)('is beside another one with the %s theme, in columns', (theme) => {
    const removed: Code = { ...added, lead: ours('  1 -'), change: 'removed' }
    expect(plain(draw(theme, lineOf(removed, { ...added, lead: ours('│  1 +') })))).toBe(
      '   1 -const a = "b"    │  1 +const a = "b"',
    )
  })
})
