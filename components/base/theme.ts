import { createContext } from 'react'

/** The colours by the names that components use. The theme maps them to colours of the terminal. */
export const colourNames = ['red', 'yellow', 'green', 'cyan', 'magenta', 'blue'] as const
export type ColourName = (typeof colourNames)[number]

export interface Theme {
  /** Ink's colour for each name; null without colours. Weight and marks stay. */
  readonly colours: Readonly<Record<ColourName, string>> | null
  /** The way less important text is dimmed: by the terminal's faint text, by a colour, or not at all. */
  readonly dim: 'faint' | 'plain' | { readonly colour: string }
  /** Whether foreign text keeps its own colours, whose contrast is unknown. */
  readonly foreign: 'kept' | 'stripped'
}

export type ThemeName = 'dark' | 'light' | 'contrast-dark' | 'contrast-light' | 'mono'

/**
 * A colour of the 256-colour palette: its cube looks the same on every terminal, unlike the sixteen colours that each
 * terminal defines.
 */
const cube = (number: number): string => `ansi256(${number})`

export const themes: Readonly<Record<ThemeName, Theme>> = {
  // The sixteen colours of the terminal, which the person has configured for a dark background.
  dark: {
    colours: { red: 'red', yellow: 'yellow', green: 'green', cyan: 'cyan', magenta: 'magenta', blue: 'blue' },
    dim: 'faint',
    foreign: 'kept',
  },
  light: {
    colours: { red: cube(124), yellow: cube(94), green: cube(22), cyan: cube(24), magenta: cube(90), blue: cube(19) },
    dim: { colour: cube(240) },
    foreign: 'kept',
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
  },
  // The cube has no yellow that is dark enough on white: the darkest red replaces it, as far from red as possible.
  'contrast-light': {
    colours: { red: cube(88), yellow: cube(52), green: cube(22), cyan: cube(20), magenta: cube(55), blue: cube(17) },
    dim: 'plain',
    foreign: 'stripped',
  },
  mono: { colours: null, dim: 'faint', foreign: 'stripped' },
}

export const ThemeInUse = createContext<Theme>(themes.dark)
