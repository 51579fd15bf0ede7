import { panes, type Pane } from '../core/panes.ts'
import { type Arrangement, type Preferences, plainArrangement } from '../core/preferences.ts'
import { type ThemeWish, themeWishes } from '../core/theme.ts'

// The preferences with which the next console of this project begins.

/** The key of this part in the console's memory. */
export const KEPT = 'comfort'

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
  const kept = objectIn(memory[KEPT])
  const arrangement = objectIn(kept['arrangement'])
  const hidden = Array.isArray(arrangement['hidden'])
    ? panes.filter((pane) => (arrangement['hidden'] as unknown[]).includes(pane))
    : []
  return {
    theme: themeWishes.find((wish) => wish === kept['theme']) ?? null,
    arrangement: {
      zoomed: arrangement['zoomed'] === true,
      hidden: hidden.length < panes.length ? hidden : plainArrangement.hidden,
      wider: stepsIn(arrangement['wider']),
      taller: Object.fromEntries(
        panes
          .map((pane): [Pane, number] => [pane, stepsIn(objectIn(arrangement['taller'])[pane])])
          .filter(([, steps]) => steps !== 0),
      ),
    },
    guided: kept['guided'] === true,
  }
}

const objectIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {}

const stepsIn = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 6 ? value : 0
