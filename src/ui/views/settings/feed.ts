import type { Feed } from '../../core/registry.ts'
import { changingPreferences } from '../../core/state.ts'
import { settingsIn } from './state.ts'

/** Undoes what was tried and not saved when the view is left, whichever way. */
export const startSettingsFeed: Feed = (_options, store) =>
  store.subscribe((after, before) => {
    const left = settingsIn(before.view.overlay)
    if (!left || Object.keys(left.changes).length === 0 || settingsIn(after.view.overlay)) return
    // An answered question leaves the view for a moment.
    setImmediate(() => {
      if (!settingsIn(store.getState().view.overlay))
        store.setState(
          changingPreferences(() => left.before),
          true,
        )
    })
  })
