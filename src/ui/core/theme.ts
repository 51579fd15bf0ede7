import { type Theme, type ThemeName, themes } from '../../../components/base/theme.ts'
import { type ConsoleTheme, consoleThemes } from '../../domain/settings/settings.ts'

/** The themes that a person may choose; `auto` follows the background of the terminal. */
export const themeWishes = consoleThemes
export type ThemeWish = ConsoleTheme

export type Background = 'dark' | 'light'

/** The theme of the console. */
export interface ThemeChoice {
  readonly wish: ThemeWish
  /** Undefined if the terminal does not report it: then it counts as dark, as most are. */
  readonly background: Background | undefined
  /** True if `NO_COLOR` is set. */
  readonly colourless: boolean
}

export const themeName = ({ wish, background = 'dark', colourless }: ThemeChoice): ThemeName => {
  if (colourless) return 'mono'
  if (wish === 'contrast') return `contrast-${background}`
  return wish === 'auto' ? background : wish
}

/** The theme; a terminal of unknown background gets no colours that only one background can bear. */
export const themeOf = (choice: ThemeChoice): Theme =>
  choice.wish === 'auto' && choice.background === undefined && !choice.colourless ? unknown : themes[themeName(choice)]

const unknown: Theme = { ...themes.dark, diff: null }

/** The next theme in the cycle of the key. */
export const nextWish = (wish: ThemeWish): ThemeWish =>
  themeWishes[(themeWishes.indexOf(wish) + 1) % themeWishes.length]!
