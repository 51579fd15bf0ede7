import type { Terminal } from '@xterm/headless'

// A picture of a terminal's screen as SVG: text stays text, so it is sharp at every size and can be searched.

/** The colours of a terminal: the sixteen of the palette, text, and background, as `#rrggbb`. */
export interface Palette {
  readonly name: string
  readonly sixteen: readonly string[]
  readonly text: string
  readonly background: string
}

export const dark: Palette = {
  name: 'dark',
  sixteen: [
    ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
    ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#f0f6fc'],
  ],
  text: '#d1d7e0',
  background: '#0d1117',
}

export const light: Palette = {
  name: 'light',
  sixteen: [
    ...['#24292f', '#cf222e', '#116329', '#7d4e00', '#0969da', '#8250df', '#1b7c83', '#6e7781'],
    ...['#57606a', '#a40e26', '#1a7f37', '#633c01', '#218bff', '#a475f9', '#3192aa', '#8c959f'],
  ],
  text: '#1f2328',
  background: '#ffffff',
}

/** The size of a cell, the line on which text stands in it, and the room around the screen (px). */
const WIDTH = 8.4
const HEIGHT = 17
const BASE = 13
const MARGIN = 14

/** How a cell is drawn. */
interface Look {
  readonly colour: string
  readonly background: string | null
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly underlined: boolean
}

interface Run extends Look {
  readonly column: number
  text: string
  columns: number
}

type Line = NonNullable<ReturnType<Terminal['buffer']['active']['getLine']>>
type Cell = NonNullable<ReturnType<Line['getCell']>>

/** The visible screen of a terminal as an SVG document; `title` is read by screen readers. */
export const svgOf = (terminal: Terminal, palette: Palette, title: string): string => {
  const { active } = terminal.buffer
  const rows = Array.from({ length: terminal.rows }, (_, row) =>
    drawnRow(runsOf(active.getLine(active.viewportY + row), terminal.cols, palette), row),
  )
  const [width, height] = [terminal.cols * WIDTH + 2 * MARGIN, terminal.rows * HEIGHT + 2 * MARGIN]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" height="${round(height)}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${palette.background}"/>`,
    `<g font-family="ui-monospace, 'SF Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" xml:space="preserve">`,
    ...rows.filter(Boolean),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

/**
 * Characters with a position of their own: symbols, Braille and wide ones. A font without them is replaced by one with
 * other widths, and not every program that draws SVG obeys `textLength`.
 */
const ALONE = /[\u2190-\u24ff\u25a0-\u{10ffff}]/u

const runsOf = (line: Line | undefined, columns: number, palette: Palette): readonly Run[] => {
  const runs: Run[] = []
  for (let column = 0; line && column < columns; column++) {
    const cell = line.getCell(column)
    // The second half of a wide character has no width of its own.
    if (!cell || cell.getWidth() === 0) continue
    const look = lookOf(cell, palette)
    const last = runs.at(-1)
    const text = cell.getChars() || ' '
    const joins = !ALONE.test(text) && last && !ALONE.test(last.text)
    if (joins && last.column + last.columns === column && isSame(last, look)) {
      last.text += text
      last.columns += cell.getWidth()
    } else runs.push({ ...look, column, text, columns: cell.getWidth() })
  }
  return runs
}

const lookOf = (cell: Cell, palette: Palette): Look => {
  const [colour, background] = [colourOf(cell, 'Fg', palette), colourOf(cell, 'Bg', palette)]
  const inverse = cell.isInverse() !== 0
  return {
    colour: inverse ? (background ?? palette.background) : (colour ?? palette.text),
    background: inverse ? (colour ?? palette.text) : background,
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underlined: cell.isUnderline() !== 0,
  }
}

const colourOf = (cell: Cell, ground: 'Fg' | 'Bg', { sixteen }: Palette): string | null => {
  const value = ground === 'Fg' ? cell.getFgColor() : cell.getBgColor()
  if (ground === 'Fg' ? cell.isFgRGB() : cell.isBgRGB()) return hex(value)
  if (!(ground === 'Fg' ? cell.isFgPalette() : cell.isBgPalette())) return null
  if (value < 16) return sixteen[value]!
  if (value >= 232) return hex((8 + 10 * (value - 232)) * 0x010101)
  // Colours 16 to 231 are a cube of six steps for each of red, green and blue.
  const cube = value - 16
  const [red, green, blue] = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((step) =>
    step === 0 ? 0 : 55 + 40 * step,
  ) as [number, number, number]
  return hex(red * 65_536 + green * 256 + blue)
}

const drawnRow = (runs: readonly Run[], row: number): string => {
  const top = MARGIN + row * HEIGHT
  const grounds = runs.flatMap(({ column, columns, background }) =>
    background === null
      ? []
      : [
          `<rect x="${round(MARGIN + column * WIDTH)}" y="${round(top)}" width="${round(columns * WIDTH)}" height="${HEIGHT}" fill="${background}"/>`,
        ],
  )
  const texts = runs.flatMap(wordsOf).map((run) => {
    const style = [
      run.bold && ' font-weight="bold"',
      run.dim && ' opacity="0.6"',
      run.italic && ' font-style="italic"',
      run.underlined && ' text-decoration="underline"',
    ]
    return `<text x="${round(MARGIN + run.column * WIDTH)}" y="${round(top + BASE)}" textLength="${round(run.columns * WIDTH)}" fill="${run.colour}"${style.filter(Boolean).join('')}>${escaped(run.text)}</text>`
  })
  return [...grounds, ...texts].join('')
}

/** The parts of a run between wide gaps, each in its place: a sum of rounded widths would move what follows a gap. */
const wordsOf = (run: Run): readonly Run[] =>
  [...run.text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => ({
    ...run,
    text,
    column: run.column + index,
    // A wide character is a run of its own.
    columns: text.length === run.text.length ? run.columns : text.length,
  }))

const isSame = (one: Look, other: Look): boolean =>
  one.colour === other.colour &&
  one.background === other.background &&
  one.bold === other.bold &&
  one.dim === other.dim &&
  one.italic === other.italic &&
  one.underlined === other.underlined

const hex = (value: number): string => `#${value.toString(16).padStart(6, '0')}`

const round = (value: number): string => String(Math.round(value * 10) / 10)

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
