import { changingView, type Transition } from '../../core/state.ts'
import { inboxItems, itemAtHand } from './list.ts'

// The marks of items that are answered together.

export const mark: Transition = (state) => {
  const found = itemAtHand(state)
  return inMarks((marked) =>
    marked.includes(found!.place) ? marked.filter((place) => place !== found!.place) : [...marked, found!.place],
  )(state)
}

/** Marks all items like the selected one; pressed again unmarks them. */
export const markAlike: Transition = (state) => {
  const { item } = itemAtHand(state)!
  const alike = inboxItems(state).filter(
    (one) => one.receipt === null && one.item.kind === item.kind && one.item.like === item.like,
  )
  const places = alike.map(({ place }) => place)
  return inMarks((marked) =>
    places.every((place) => marked.includes(place))
      ? marked.filter((place) => !places.includes(place))
      : [...new Set([...marked, ...places])],
  )(state)
}

function inMarks(change: (marked: readonly string[]) => readonly string[]): Transition {
  return changingView(({ overlay }) =>
    overlay?.kind === 'inbox' ? { overlay: { ...overlay, marked: change(overlay.marked) } } : {},
  )
}
