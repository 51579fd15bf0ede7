import { type Theme, type ThemeName, themes } from '../../../components/base/theme.ts'
import { consoleThemes, type ConsoleTheme } from '../../domain/settings/settings.ts'

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

/** From the variable that some terminals set: foreground and background among the sixteen colours, such as `15;0`. */
export const backgroundOfVariable = (colorfgbg: string | undefined): Background | undefined => {
  const last = colorfgbg?.split(';').at(-1) ?? ''
  if (!/^\d{1,2}$/.test(last)) return undefined
  // Of the sixteen colours, white and the bright ones except grey are light.
  return [7, 9, 10, 11, 12, 13, 14, 15].includes(Number(last)) ? 'light' : 'dark'
}

/** From the answer to OSC 11: `rgb:RRRR/GGGG/BBBB` with one to four digits each. */
export const backgroundOfColour = (answer: string): Background | undefined => {
  const parts = /^rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})(?:\/[\da-f]{1,4})?$/i.exec(answer)?.slice(1, 4)
  if (!parts) return undefined
  const [red, green, blue] = parts.map((digits) => parseInt(digits, 16) / (16 ** digits.length - 1)) as [
    number,
    number,
    number,
  ]
  // ITU-R BT.709 luma of the raw values: accurate enough to distinguish light from dark.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? 'light' : 'dark'
}
