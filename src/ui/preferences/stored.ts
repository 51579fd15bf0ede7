import { type Arrangement, type Borders, panes, plainArrangement, type Preferences } from '../core/state.ts'
import { type ThemeWish, themeWishes } from '../core/theme.ts'

// The preferences with which the next console of this project begins.

/** The key of this part in the console's memory. */
export const PREFERENCES = 'comfort'

export interface KeptPreferences {
  readonly theme: ThemeWish | null
  readonly arrangement: Arrangement
  readonly guided: boolean
}

export const keptPreferences = ({ theme, arrangement, guided }: Preferences): KeptPreferences => ({
  theme: theme.wish,
  arrangement,
  guided,
})

/** The saved values, as far as they are valid: a person may have edited the file. */
export const readKept = (memory: Readonly<Record<string, unknown>>): KeptPreferences => {
  const kept = objectIn(memory[PREFERENCES])
  const arrangement = objectIn(kept['arrangement'])
  const hidden = Array.isArray(arrangement['hidden'])
    ? panes.filter((pane) => (arrangement['hidden'] as unknown[]).includes(pane))
    : []
  return {
    theme: themeWishes.find((wish) => wish === kept['theme']) ?? null,
    arrangement: {
      zoomed: arrangement['zoomed'] === true,
      hidden: hidden.length < panes.length ? hidden : plainArrangement.hidden,
      borders: Object.fromEntries(
        (['wide', 'narrow'] as const)
          .map((layout) => [layout, bordersIn(objectIn(arrangement['borders'])[layout])] as const)
          .filter(([, borders]) => borders.left !== undefined || Object.keys(borders.heights).length > 0),
      ),
    },
    guided: kept['guided'] === true,
  }
}

const objectIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {}

const bordersIn = (value: unknown): Borders => {
  const { left, heights } = objectIn(value)
  return {
    ...(isSize(left) ? { left } : {}),
    heights: Object.fromEntries(
      panes.flatMap((pane) => {
        const lines = objectIn(heights)[pane]
        return isSize(lines) ? [[pane, lines]] : []
      }),
    ),
  }
}

const isSize = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 1000
