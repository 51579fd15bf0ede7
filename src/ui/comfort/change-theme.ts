import type { Desk } from '../desk.ts'
import type { ConsoleState } from '../state.ts'
import { comforting } from './arrangement.ts'
import { nextWish, themeName, type ThemeWish } from './theme.ts'

export const whyNotTheme = ({ comfort }: ConsoleState): string | undefined =>
  comfort.theme.colourless ? 'NO_COLOR is set in the environment, so there are no colours to choose.' : undefined

export const changeTheme = (desk: Desk): void => {
  desk.change(comforting(({ theme }) => ({ theme: { ...theme, wish: nextWish(theme.wish) } })))
  const { theme } = desk.state().comfort
  desk.tell(`Theme: ${names[theme.wish]}${theme.wish === 'auto' ? `, ${theme.background ? `${themeName(theme)} now` : 'which does not tell'}` : ''}.`)
}

const names: Readonly<Record<ThemeWish, string>> = { auto: 'as the background of the terminal', dark: 'dark', light: 'light', contrast: 'high contrast', mono: 'without colours' }
