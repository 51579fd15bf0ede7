import type { Desk } from '../desk.ts'
import type { ConsoleState } from '../state.ts'
import { comforting } from './arrangement.ts'
import { nextWish, themeName, type ThemeWish } from './theme.ts'
import { themeText } from '../../text/comfort.ts'

export const whyNotTheme = ({ comfort }: ConsoleState): string | undefined => (comfort.theme.colourless ? themeText.noColours : undefined)

export const changeTheme = (desk: Desk): void => {
  desk.change(comforting(({ theme }) => ({ theme: { ...theme, wish: nextWish(theme.wish) } })))
  const { theme } = desk.state().comfort
  desk.tell(themeText.chosen(names[theme.wish], theme.wish !== 'auto' ? '' : theme.background ? themeText.now(themeName(theme)) : themeText.notTold))
}

const names: Readonly<Record<ThemeWish, string>> = themeText.names
