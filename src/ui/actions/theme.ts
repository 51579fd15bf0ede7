import { themeText } from '../../text/settings.ts'
import type { Controller } from '../core/controller.ts'
import { changingPreferences, type ConsoleState } from '../core/state.ts'
import { nextWish, themeName, type ThemeWish } from '../core/theme.ts'

export const whyNotTheme = ({ preferences }: ConsoleState): string | undefined =>
  preferences.theme.colourless ? themeText.noColours : undefined

export const changeTheme = (controller: Controller): void => {
  controller.change(changingPreferences(({ theme }) => ({ theme: { ...theme, wish: nextWish(theme.wish) } })))
  const { theme } = controller.state().preferences
  controller.tell(
    themeText.chosen(
      names[theme.wish],
      theme.wish !== 'auto' ? '' : theme.background ? themeText.now(themeName(theme)) : themeText.notTold,
    ),
  )
}

const names: Readonly<Record<ThemeWish, string>> = themeText.names
