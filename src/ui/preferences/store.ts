import type { StoreApi } from 'zustand/vanilla'
import type { ConsoleOptions } from '../options.ts'
import type { Controller } from '../core/controller.ts'
import { same } from '../core/same.ts'
import type { Preferences } from '../core/preferences.ts'
import { settingsIn } from '../core/overlays.ts'
import type { ConsoleState } from '../core/state.ts'
import { KEPT, keptPreferences } from './stored.ts'
import { notRemembered } from '../../text/comfort.ts'

/** The preferences without a theme that is only tried: it counts for the next console once it is saved. */
const chosen = ({ preferences, view }: ConsoleState): Preferences => {
  const settings = settingsIn(view.overlay)
  return settings ? { ...preferences, theme: settings.before.theme } : preferences
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
      memory.write(() => ({ [KEPT]: kept }))
    } catch (error) {
      controller.tell(notRemembered(error instanceof Error ? error.message : String(error)), 'refused')
    }
  })
