import { expect, it, vi } from 'vitest'
import { ThemeInUse, type ThemeName, themes } from '../../components/base/theme.ts'
import { Log } from '../../components/Log.tsx'
import { Lines } from '../../components/Lines.tsx'
import { ours } from '../../src/domain/words/safe-text.ts'
import { errorLook } from '../../src/ui/views/review/output.ts'
import { draw, drawRaw } from './frame.tsx'

// The components ask for colours when they are loaded.
vi.hoisted(() => (process.env['FORCE_COLOR'] = '1'))

const lines = [
  { text: ours('a heading') },
  { text: ours('old words'), lead: ours('  7 -'), colour: 'red' as const },
  {
    text: ours('new words here'),
    lead: ours('  7 +'),
    colour: 'green' as const,
    marks: [[0, 3] as const, [10, 14] as const],
  },
  { text: ours('under the cursor'), cursor: true },
]

it('a line shows its number and the cursor', () => {
  expect(draw(<Lines lines={lines} />)).toEqual([
    ' a heading',
    '   7 -old words',
    '   7 +new words here',
    '▸under the cursor',
  ])
})

it('changed words are marked with and without colours', () => {
  const marked = '\u001b[7mnew\u001b[27m words \u001b[7mhere\u001b[27m'
  expect(drawRaw(<Lines lines={lines} />)).toContain(marked)
  const plain = drawRaw(
    <ThemeInUse value={themes.mono}>
      <Lines lines={lines} />
    </ThemeInUse>,
  )
  expect(plain).toContain(marked)
  expect(plain).not.toContain('\u001b[32m')
})

it.each(Object.keys(themes) as ThemeName[])('the line of an error is inverse and bold in the theme %s', (theme) => {
  const error = { ...errorLook, text: ours('an error'), theirs: true }
  const drawn = drawRaw(
    <ThemeInUse value={themes[theme]}>
      <Lines lines={[lines[0]!, error]} />
    </ThemeInUse>,
  )
  const [heading, shown] = drawn.split('\n')
  expect(heading).not.toContain('\u001b[7m')
  expect(shown).toContain('\u001b[7m')
  expect(shown).toContain('\u001b[1m')
})

it('the colours of a program are kept only in themes without a promised contrast', () => {
  const coloured = [{ text: ours('\u001b[34mhardly read on black\u001b[39m') }]
  const drawn = (theme: ThemeName): string =>
    drawRaw(
      <ThemeInUse value={themes[theme]}>
        <Lines lines={coloured} />
        <Log empty={ours('')} lines={[{ key: 1, time: ours(''), look: 'output', text: coloured[0]!.text }]} />
      </ThemeInUse>,
    )
  for (const theme of ['dark', 'light'] as const) expect(drawn(theme).split('\u001b[34m')).toHaveLength(3)
  for (const theme of ['contrast-dark', 'contrast-light', 'mono'] as const)
    expect(drawn(theme)).not.toContain('\u001b[34m')
})
