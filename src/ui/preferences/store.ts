import type { StoreApi } from 'zustand/vanilla'
import type { ConsoleOptions, Controller } from '../core/controller.ts'
import { same } from '../core/structural-sharing.ts'
import type { ConsoleState, Overlay, Preferences } from '../core/state.ts'
import { viewOf } from '../core/overlays.ts'
import { PREFERENCES, keptPreferences } from './stored.ts'
import { notRemembered } from '../../text/settings.ts'

/** The preferences without what is only tried, such as a theme: it counts for the next console once it is saved. */
const chosen = (state: ConsoleState): Preferences => {
  const untried = (overlay: Overlay | null | undefined): Partial<Preferences> =>
    overlay ? { ...viewOf(state, overlay).untried?.(overlay), ...untried(overlay.behind) } : {}
  return { ...state.preferences, ...untried(state.view.overlay) }
}

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
