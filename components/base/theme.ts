import { createContext } from 'react'

/** The colours by the names that components use. The theme maps them to colours of the terminal. */
export const colourNames = ['red', 'yellow', 'green', 'cyan', 'magenta', 'blue'] as const
export type ColourName = (typeof colourNames)[number]

/** The parts of code that have a colour of their own. */
export type CodePart = 'keyword' | 'string' | 'number' | 'name' | 'comment'

/** A background, on a terminal with all colours and on one with 256. */
export interface Ground {
  readonly full: string
  readonly cube: number
}

/** The colours of a diff on a terminal with at least 256 colours. */
export interface DiffColours {
  /** The grounds of lines, and of their words that differ. */
  readonly added: Ground
  readonly removed: Ground
  readonly addedWords: string
  readonly removedWords: string
  /** Colours of the cube: of text on a ground, and of the parts of code. */
  readonly text: number
  readonly parts: Readonly<Record<CodePart, number>>
}

export interface Theme {
  /** Ink's colour for each name; null without colours. Weight and marks stay. */
  readonly colours: Readonly<Record<ColourName, string>> | null
  /** The way less important text is dimmed: by the terminal's faint text, by a colour, or not at all. */
  readonly dim: 'faint' | 'plain' | { readonly colour: string }
  /** Whether foreign text keeps its own colours, whose contrast is unknown. */
  readonly foreign: 'kept' | 'stripped'
  /** Null if a changed line has one colour only, as with 16 colours. */
  readonly diff: DiffColours | null
}

export type ThemeName = 'dark' | 'light' | 'contrast-dark' | 'contrast-light' | 'mono'

/**
 * A colour of the 256-colour palette: its cube looks the same on every terminal, unlike the sixteen colours that each
 * terminal defines.
 */
const cube = (number: number): string => `ansi256(${number})`

// A ground is as far from the background as it must be to be seen, and every colour on it has WCAG AA contrast.
const onDark: DiffColours = {
  added: { full: '#10301c', cube: 22 },
  removed: { full: '#3d1519', cube: 52 },
  addedWords: '#1d5a33',
  removedWords: '#7a262d',
  text: 254,
  parts: { keyword: 219, string: 157, number: 159, name: 229, comment: 153 },
}

const onLight: DiffColours = {
  added: { full: '#dcf5df', cube: 194 },
  removed: { full: '#fde2e2', cube: 224 },
  addedWords: '#a6e0b2',
  removedWords: '#f8c4c4',
  text: 16,
  parts: { keyword: 90, string: 22, number: 24, name: 52, comment: 239 },
}

export const themes: Readonly<Record<ThemeName, Theme>> = {
  // The sixteen colours of the terminal, which the person has configured for a dark background.
  dark: {
    colours: { red: 'red', yellow: 'yellow', green: 'green', cyan: 'cyan', magenta: 'magenta', blue: 'blue' },
    dim: 'faint',
    foreign: 'kept',
    diff: onDark,
  },
  light: {
    colours: { red: cube(124), yellow: cube(94), green: cube(22), cyan: cube(24), magenta: cube(90), blue: cube(19) },
    dim: { colour: cube(240) },
    foreign: 'kept',
    diff: onLight,
  },
  'contrast-dark': {
    colours: {
      red: cube(217),
      yellow: cube(228),
      green: cube(120),
      cyan: cube(123),
      magenta: cube(219),
      blue: cube(153),
    },
    dim: 'plain',
    foreign: 'stripped',
    diff: null,
  },
  // The cube has no yellow that is dark enough on white: the darkest red replaces it, as far from red as possible.
  'contrast-light': {
    colours: { red: cube(88), yellow: cube(52), green: cube(22), cyan: cube(20), magenta: cube(55), blue: cube(17) },
    dim: 'plain',
    foreign: 'stripped',
    diff: null,
  },
  mono: { colours: null, dim: 'faint', foreign: 'stripped', diff: null },
}

export const ThemeInUse = createContext<Theme>(themes.dark)
