import { panes, type Pane } from '../state.ts'
import { type Arrangement, type Comfort, plainArrangement } from './state.ts'
import { type ThemeWish, themeWishes } from './theme.ts'

// What of the comfort the next console of this project begins with.

/** The part of the console's memory that is ours. */
export const KEPT = 'comfort'

export interface KeptComfort {
  readonly theme: ThemeWish | null
  readonly arrangement: Arrangement
  readonly guided: boolean
}

export const keptComfort = ({ theme, arrangement, guided }: Comfort): KeptComfort => ({ theme: theme.wish, arrangement, guided })

/** What was kept, as far as it makes sense: anybody may have edited the file. */
export const readKept = (memory: Readonly<Record<string, unknown>>): KeptComfort => {
  const kept = objectIn(memory[KEPT])
  const arrangement = objectIn(kept['arrangement'])
  const hidden = Array.isArray(arrangement['hidden']) ? panes.filter((pane) => (arrangement['hidden'] as unknown[]).includes(pane)) : []
  return {
    theme: themeWishes.find((wish) => wish === kept['theme']) ?? null,
    arrangement: {
      zoomed: arrangement['zoomed'] === true,
      hidden: hidden.length < panes.length ? hidden : plainArrangement.hidden,
      wider: stepsIn(arrangement['wider']),
      taller: Object.fromEntries(panes.map((pane): [Pane, number] => [pane, stepsIn(objectIn(arrangement['taller'])[pane])]).filter(([, steps]) => steps !== 0)),
    },
    guided: kept['guided'] === true,
  }
}

const objectIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {}

const stepsIn = (value: unknown): number => (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 6 ? value : 0)
