import type { StoreApi } from 'zustand/vanilla'
import { Refusal } from '../domain/rules/refusal.ts'
import type { Settings } from '../domain/settings/settings.ts'
import { parseFilter } from '../domain/task/filter-parser.ts'
import { bindingText } from '../text/keys.ts'
import { notRemembered } from '../text/settings.ts'
import type { ConsoleOptions, Controller } from './core/controller.ts'
import { viewOf } from './core/overlays.ts'
import type { ConsoleTable } from './core/registry.ts'
import {
  type Arrangement,
  asList,
  boardShapes,
  type Borders,
  changingView,
  type ConsoleState,
  type Overlay,
  panes,
  plainArrangement,
  plainPreferences,
  type Preferences,
  type View,
} from './core/state.ts'
import { same } from './core/structural-sharing.ts'
import { type ThemeWish, themeWishes } from './core/theme.ts'
import { bind } from './keys/bindings.ts'
import { sortsIn } from './panes/sorting.ts'

// One console of a project saves for the next: the preferences, the sort orders, the shape of the board and its
// filter.

/** The initial preferences from the configuration, the saved state and the environment. Refuses invalid key bindings. */
export const beginPreferences = (
  { connection, memory, placeOf }: ConsoleOptions,
  environment: NodeJS.ProcessEnv,
  table: ConsoleTable,
): Preferences => {
  const { console: settings, agents } = connection.core.settings
  const bound = bind(table, settings.keys)
  if ('problem' in bound)
    throw new Refusal(
      'config_invalid',
      `${placeOf?.(['console', 'keys', bound.id]) ?? 'The configuration'}: ${bindingText.refused(bound.id, bound.problem)}`,
    )
  const kept = readKept(memory?.read() ?? {})
  return {
    ...plainPreferences,
    bindings: bound.bindings,
    // The configured theme takes precedence over the one chosen by a key.
    theme: {
      wish: settings.theme === 'auto' ? (kept.theme ?? 'auto') : settings.theme,
      background: undefined,
      colourless: Boolean(environment['NO_COLOR']),
    },
    arrangement: kept.arrangement,
    guided: kept.guided,
    strict: settings.strict,
    spoken: isSpoken(environment),
    agentless: isAgentless(agents),
  }
}

const isAgentless = ({ default: kind, personas, names }: Settings['agents']): boolean =>
  kind === null &&
  Object.keys(names).length === 0 &&
  Object.values(personas).every((persona) => persona.kind === undefined)

/** Ink itself accepts only `true`. */
const isSpoken = ({ INK_SCREEN_READER: wish }: NodeJS.ProcessEnv): boolean => wish === '1' || wish === 'true'

/** Saves the preferences for the next console whenever a saved part of it changes. Returns a function that stops it. */
export const keepPreferences = (
  controller: Pick<Controller, 'tell'>,
  store: StoreApi<ConsoleState>,
  memory: NonNullable<ConsoleOptions['memory']>,
): (() => void) =>
  store.subscribe((after, before) => {
    if (after.preferences === before.preferences && after.view.overlay === before.view.overlay) return
    const kept = keptPreferences(chosen(after))
    if (same(kept, keptPreferences(chosen(before)))) return
    try {
      memory.write(() => ({ [PREFERENCES]: kept }))
    } catch (error) {
      controller.tell(notRemembered(error instanceof Error ? error.message : String(error)), 'refused')
    }
  })

/** The preferences without what is only tried, such as a theme: it counts for the next console once it is saved. */
const chosen = (state: ConsoleState): Preferences => {
  const untried = (overlay: Overlay | null | undefined): Partial<Preferences> =>
    overlay ? { ...viewOf(state, overlay).untried?.(overlay), ...untried(overlay.behind) } : {}
  return { ...state.preferences, ...untried(state.view.overlay) }
}

// The preferences with which the next console of this project begins.

/** The key of this part in the console's memory. */
const PREFERENCES = 'comfort'

interface KeptPreferences {
  readonly theme: ThemeWish | null
  readonly arrangement: Arrangement
  readonly guided: boolean
}

const keptPreferences = ({ theme, arrangement, guided }: Preferences): KeptPreferences => ({
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

// The next console of this project begins with the same sort orders, board shape and filter.

/** The key of this part in the console's memory. */
const VIEW = 'view'

/** Restores the state of the previous console, and saves changes. Returns a function that stops it. */
export const keepView = (
  controller: Pick<Controller, 'tell' | 'change'>,
  store: StoreApi<ConsoleState>,
  memory: NonNullable<ConsoleOptions['memory']>,
): (() => void) => {
  controller.change(changingView(() => readView(memory.read())))
  let kept = keptView(store.getState().view)
  return store.subscribe((state) => {
    const { sorts, shape, filter } = state.view
    if ((sorts === kept.sorts && shape.as === kept.shape && filter === kept.filter) || isTried(state)) return
    const now = { sorts, shape: shape.as, filter }
    const changed = !same(now, kept)
    kept = now
    if (!changed) return
    try {
      memory.write(() => ({ [VIEW]: now }))
    } catch (error) {
      controller.tell(notRemembered(error instanceof Error ? error.message : String(error)), 'refused')
    }
  })
}

/** The saved values, as far as they are valid: a person may have edited the file. */
export const readView = (memory: Readonly<Record<string, unknown>>): Pick<View, 'sorts' | 'shape' | 'filter'> => {
  const kept = memory[VIEW]
  const { sorts, shape, filter } = (typeof kept === 'object' && kept !== null ? kept : {}) as Readonly<
    Record<string, unknown>
  >
  return {
    sorts: sortsIn(sorts),
    shape: { ...asList, as: boardShapes.find((one) => one === shape) ?? 'list' },
    filter: typeof filter === 'string' && parseFilter(filter).problem === null ? filter : '',
  }
}

const keptView = ({ sorts, shape, filter }: View) => ({ sorts, shape: shape.as, filter })

/** A filter that is being typed, for example, does not count yet. */
const isTried = (state: ConsoleState, overlay = state.view.overlay): boolean =>
  overlay !== null && (viewOf(state, overlay).tries === true || isTried(state, overlay.behind ?? null))
