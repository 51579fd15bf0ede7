import { graphemesOf } from '../../../components/base/fit.ts'
import { viewOf } from '../core/front.ts'
import { changingView, type ConsoleState, type Transition } from '../core/state.ts'

// Types text into the front view.

/** Adds a letter, or a whole paste, whose line breaks become spaces unless the text may have several lines. */
export const type =
  (text: string): Transition =>
  (state) => {
    const said = takesLines(state)
      ? text.replace(/\r\n?/g, '\n').replaceAll('\t', '  ')
      : text.replace(/[\r\n\t]+/g, ' ')
    return editing((before) => before + said)(state)
  }

/** Begins another line in a text of several lines. */
export const breakLine: Transition = (state) => (takesLines(state) ? editing((before) => `${before}\n`)(state) : state)

/** True if what is typed into the front view may have several lines. */
export const takesLines = (state: ConsoleState): boolean => {
  const { overlay } = state.view
  return overlay !== null && viewOf(state, overlay).takesLines?.(overlay) === true
}

export const rubOut: Transition = (state) =>
  editing((before) =>
    [...graphemesOf(before)]
      .slice(0, -1)
      .map(({ segment }) => segment)
      .join(''),
  )(state)

export const rubOutWord: Transition = (state) => editing((before) => before.replace(/\S*\s*$/, ''))(state)

export const rubOutAll: Transition = (state) => editing(() => '')(state)

function editing(edit: (before: string) => string): Transition {
  return changingView(({ overlay }, state) =>
    overlay ? (viewOf(state, overlay).edit?.(state, overlay, edit) ?? {}) : {},
  )
}
