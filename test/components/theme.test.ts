import { expect, test } from 'vitest'
import { colourNames, themes, type ThemeName } from '../../components/base/theme.ts'

type Colour = readonly [red: number, green: number, blue: number]

/** A colour of the 256-colour palette, as every terminal shows it: a cube of six steps, then greys. */
const colourOf = (written: string): Colour => {
  const number = Number(/^ansi256\((\d+)\)$/.exec(written)![1])
  expect(number).toBeGreaterThanOrEqual(16)
  if (number >= 232) return [8 + 10 * (number - 232), 8 + 10 * (number - 232), 8 + 10 * (number - 232)]
  const step = (n: number): number => (n === 0 ? 0 : 55 + 40 * n)
  return [step(Math.floor((number - 16) / 36)), step(Math.floor((number - 16) / 6) % 6), step((number - 16) % 6)]
}

/** WCAG 2.2: relative luminance and contrast ratio. */
const luminance = (colour: Colour): number => {
  const [red, green, blue] = colour.map((value) =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
const contrast = (a: Colour, b: Colour): number => {
  const [dark, light] = [luminance(a), luminance(b)].sort((one, other) => one - other) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

const white: Colour = [255, 255, 255]
const black: Colour = [0, 0, 0]
/** Backgrounds of real terminals: xterm, Solarized, GitHub light; VS Code, Dracula. */
const lightOnes: readonly Colour[] = [white, [253, 246, 227], [246, 248, 250]]
const darkOnes: readonly Colour[] = [black, [30, 30, 30], [40, 42, 54]]

const least = (name: ThemeName, backgrounds: readonly Colour[]): number => {
  const { colours, dim } = themes[name]
  const written = [...Object.values(colours!), ...(typeof dim === 'object' ? [dim.colour] : [])]
  return Math.min(
    ...written.flatMap((colour) => backgrounds.map((background) => contrast(colourOf(colour), background))),
  )
}

test('the contrast ratio matches WCAG', () => {
  expect(contrast(black, white)).toBeCloseTo(21)
  expect(contrast([118, 118, 118], white)).toBeCloseTo(4.54, 1)
})

test('each colour of the light theme has WCAG AA contrast on light backgrounds', () => {
  expect(least('light', lightOnes)).toBeGreaterThanOrEqual(4.5)
})

test('each colour of the high-contrast theme has WCAG AAA contrast, on the darkest, the lightest and the common backgrounds', () => {
  expect(least('contrast-dark', darkOnes)).toBeGreaterThanOrEqual(7)
  expect(least('contrast-light', lightOnes)).toBeGreaterThanOrEqual(7)
})

test('each part of code has WCAG AA contrast on the grounds of a diff', () => {
  const full = (hex: string): Colour => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as unknown as Colour
  for (const [name, backgrounds] of [
    ['dark', darkOnes],
    ['light', lightOnes],
  ] as const) {
    const { added, removed, addedWords, removedWords, text, parts } = themes[name].diff!
    const grounds = [
      ...backgrounds,
      ...[added, removed].flatMap(({ full: hex, cube }) => [full(hex), colourOf(`ansi256(${cube})`)]),
      full(addedWords),
      full(removedWords),
    ]
    const ratios = [text, ...Object.values(parts)].flatMap((number) =>
      grounds.map((ground) => contrast(colourOf(`ansi256(${number})`), ground)),
    )
    expect(Math.min(...ratios), name).toBeGreaterThanOrEqual(4.5)
  }
})

/** Björn Ottosson's OKLab, in which equal distances look equally different. */
const seen = (colour: Colour): Colour => {
  const [red, green, blue] = colour.map((value) =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number]
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}

test('two colours of a theme are far enough apart to be distinguished from each other and from the text', () => {
  for (const [name, text] of [
    ['light', black],
    ['contrast-light', black],
    ['contrast-dark', white],
  ] as const) {
    const colours = [...colourNames.map((colour) => seen(colourOf(themes[name].colours![colour]))), seen(text)]
    const distances = colours.flatMap((one, at) =>
      colours.slice(at + 1).map((other) => Math.hypot(...one.map((value, part) => value - other[part]!))),
    )
    expect(Math.min(...distances), name).toBeGreaterThanOrEqual(0.09)
  }
})

test('every theme except the one without colours has every colour, and no two themes are equal', () => {
  for (const [name, { colours }] of Object.entries(themes)) {
    if (name === 'mono') expect(colours).toBeNull()
    else expect(new Set(colourNames.map((colour) => colours![colour])).size, name).toBe(colourNames.length)
  }
})
