import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import { keyed, shownKey } from '../keys/bindings.ts'
import { roomsIn, shownPanes } from '../core/layout.ts'
import {
  type Arrangement,
  changingPreferences,
  changingView,
  type ConsoleState,
  type Pane,
  panes,
  type Transition,
} from '../core/state.ts'
import { unsaying } from '../core/reducers.ts'
import { arrangementText } from '../../text/panes.ts'

// Panes are zoomed and hidden.

export const arranging = (
  change: (arrangement: Arrangement, state: ConsoleState) => Partial<Arrangement>,
): Transition =>
  changingPreferences(({ arrangement }, state) => ({
    arrangement: { ...arrangement, ...change(arrangement, state) },
    hid: null,
  }))

/** If only one pane is visible anyway, zooming it has no effect. */
export const whyNotZoom = (state: ConsoleState): string | undefined => (manyFit(state) ? undefined : whyOnePane(state))

export const zoom: Transition = arranging(({ zoomed }) => ({ zoomed: !zoomed }))

/** The last pane cannot be hidden. */
export const whyNotHide = (state: ConsoleState): string | undefined => {
  if (comesBack(state)) return undefined
  if (isZoomed(state)) return arrangementText.zoomed
  return shownPanes(state.preferences.arrangement, state.view.pane).length > 1 ? undefined : arrangementText.lastPane
}

/** Hides the focused pane. Pressed again at once, it shows the pane again. */
export const hide: Transition = (state) => {
  const { preferences, view } = state
  if (comesBack(state))
    return showPane(preferences.hid!.pane)(
      changingView(() => ({ pane: preferences.hid!.pane, about: aboutAt(preferences.hid!.pane, view.about) }))(state),
    )
  const rest = shownPanes(preferences.arrangement, view.pane).filter((pane) => pane !== view.pane)
  const to = rest.find((pane) => panes.indexOf(pane) > panes.indexOf(view.pane)) ?? rest[0]!
  const hidden = arranging(({ hidden: before }) => ({
    hidden: [...before.filter((pane) => pane !== view.pane), view.pane],
  }))(state)
  const moved = changingView(() => ({
    pane: to,
    about: aboutAt(to, view.about),
    notice: { text: hiddenNotice(state, view.pane), tone: 'told' },
  }))(hidden)
  return changingPreferences(() => ({ hid: { pane: view.pane, to } }))(moved)
}

/** A hidden pane that gets the focus is shown again, and the notice about it is removed. */
export const showPane =
  (pane: Pane): Transition =>
  (state) =>
    unsaying(hiddenNotice(state, pane))(
      arranging(({ hidden }) => (hidden.includes(pane) ? { hidden: hidden.filter((one) => one !== pane) } : {}))(state),
    )

const hiddenNotice = (state: ConsoleState, pane: Pane): SafeText =>
  ours(arrangementText.isHidden(arrangementText.panes[pane], shownKey(state, pane)))

/** A pane grows at the cost of another. */
export const whyNotAnyLarger = (state: ConsoleState): string | undefined => {
  if (isZoomed(state)) return arrangementText.zoomed
  return manyFit(state) ? undefined : whyOnePane(state)
}

const whyOnePane = ({ preferences, view }: ConsoleState): string =>
  shownPanes(preferences.arrangement, view.pane).length > 1 ? arrangementText.onePane : arrangementText.lastPane

/** True if several panes are visible, or would be without the zoom. */
const manyFit = (state: ConsoleState): boolean =>
  Object.keys(roomsIn(state, { ...state.preferences.arrangement, zoomed: false })).length > 1

/** With room for one pane, or one pane left, the zoom hides nothing. */
const isZoomed = (state: ConsoleState): boolean => state.preferences.arrangement.zoomed && manyFit(state)

/** The reason why panes are missing, possibly a choice of weeks ago, and the keys that show them. */
export const arrangementNote = (state: ConsoleState): string => {
  const { view, preferences } = state
  if (isZoomed(state)) return keyed(state, arrangementText.isZoomed)
  const away = panes.filter((pane) => pane !== view.pane && preferences.arrangement.hidden.includes(pane))
  return away.length === 0 ? '' : keyed(state, arrangementText.areHidden(away.map((pane) => `{${pane}}`).join(' ')))
}

const comesBack = ({ preferences: { hid }, view }: ConsoleState): boolean => hid !== null && hid.to === view.pane

const aboutAt = (pane: Pane, before: ConsoleState['view']['about']): ConsoleState['view']['about'] =>
  pane === 'log' ? before : pane
