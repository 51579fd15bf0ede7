import { PassThrough } from 'node:stream'
import { Fragment, type ReactNode } from 'react'
import fc from 'fast-check'
import { render, renderToString, Text } from 'ink'
import { expect, it, vi } from 'vitest'
import { Paint, type PaintProps } from '../../components/base/Paint.tsx'
import { inWords } from '../../src/text/screen-reader.ts'
import { colourNames, type Theme, ThemeInUse, themes } from '../../components/base/theme.ts'

// The components ask for colours when they are loaded.
vi.hoisted(() => (process.env['FORCE_COLOR'] = '2'))

interface Part {
  readonly paint: Omit<PaintProps, 'children'>
  readonly children: readonly (string | Part)[]
}

const paint = fc.record(
  {
    colour: fc.constantFrom(...colourNames),
    dim: fc.boolean(),
    bold: fc.boolean(),
    inverse: fc.boolean(),
    label: fc.constantFrom('heard', 'said'),
    hidden: fc.boolean(),
  },
  { requiredKeys: [] },
)
const text = fc.constantFrom('task', ' ', '', '日本', 'a long piece of a title ', '⚑', '\u001b[31mred\u001b[39m', '▸')
const { part } = fc.letrec<{ part: Part; child: string | Part }>((tie) => ({
  part: fc.record({ paint, children: fc.array(tie('child'), { maxLength: 4 }) }),
  child: fc.oneof({ depthSize: 'small', withCrossShrink: true }, text, tie('part')),
}))

const painted = ({ paint, children }: Part, key = 0): ReactNode => (
  <Paint key={key} {...paint}>
    {children.map((child, n) => (typeof child === 'string' ? child : painted(child, n)))}
  </Paint>
)

/** The same parts as nested texts of Ink. */
const asInkDoes = (
  { paint: { colour, dim = false, bold = false, inverse = false, label, hidden = false }, children }: Part,
  theme: Theme,
): ReactNode => {
  const back = dim && typeof theme.dim === 'object' ? theme.dim.colour : undefined
  const color = theme.colours === null ? undefined : colour === undefined ? back : theme.colours[colour]
  return (
    <Text
      {...(color === undefined ? {} : { color })}
      {...(label === undefined ? {} : { 'aria-label': label })}
      aria-hidden={hidden}
      dimColor={dim && theme.dim === 'faint'}
      bold={bold}
      inverse={inverse}
      wrap="truncate-end"
    >
      {children.map((child, n) =>
        typeof child === 'string' ? child : <Fragment key={n}>{asInkDoes(child, theme)}</Fragment>,
      )}
    </Text>
  )
}

const themed = (theme: Theme, node: ReactNode): ReactNode => <ThemeInUse value={theme}>{node}</ThemeInUse>

it('a line of painted parts looks like nested texts of Ink, in every theme and width', () => {
  fc.assert(
    fc.property(
      part,
      fc.constantFrom(...Object.values(themes)),
      fc.integer({ min: 1, max: 60 }),
      (some, theme, columns) => {
        expect(renderToString(themed(theme, painted(some)), { columns })).toBe(
          renderToString(asInkDoes(some, theme), { columns }),
        )
      },
    ),
    { numRuns: 1500 },
  )
})

it('a line of painted parts sounds like nested texts of Ink to a screen reader, in words', () => {
  fc.assert(
    fc.property(part, (some) => {
      expect(heard(painted(some))).toBe(inWords(heard(asInkDoes(some, themes.dark))))
    }),
    { numRuns: 300 },
  )
})

it('an element between painted texts keeps its place', () => {
  const Own = () => <Text>own</Text>
  expect(
    renderToString(
      <Paint>
        a<Own />
        <Paint bold>b</Paint>
        {null}
        {3}
      </Paint>,
    ),
  ).toBe('aown\u001b[1mb\u001b[22m3')
})

/** The first frame. */
const heard = (node: ReactNode): string => {
  const frames: string[] = []
  const stdout = Object.assign(new PassThrough(), {
    columns: 60,
    rows: 20,
    write: (text: string) => frames.push(text) > 0,
  })
  const { unmount } = render(node, {
    stdout: stdout as unknown as NodeJS.WriteStream,
    debug: true,
    patchConsole: false,
    isScreenReaderEnabled: true,
  })
  unmount()
  return frames[0] ?? ''
}
