import { graphemesOf } from '../../../components/base/fit.ts'
import { ours, safeText } from '../../domain/words/safe-text.ts'
import { viewOf } from '../core/overlays.ts'
import type { TypedLine } from '../core/registry.ts'
import { changingView, type ConsoleState, type Transition, type View } from '../core/state.ts'
import { keyed } from './bindings.ts'

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

// Views that consist of one typed line.

interface Typed {
  readonly text: string
}

/** The line with its hint, or with the reason for which a key was just refused. */
export const typedLine =
  (hint: string) =>
  (state: ConsoleState, { text }: Typed): TypedLine => ({
    text: safeText(text),
    ...(refusedHint(state.view.notice) ?? { hint: ours(keyed(state, hint)), wrong: false }),
  })

export const typedText = <Own extends Typed & { readonly kind: string }>(
  _: ConsoleState,
  overlay: Own,
  edit: (before: string) => string,
): Partial<View> => ({ overlay: { ...overlay, text: edit(overlay.text) } }) as Partial<View>

/** The reason for which a key was just refused: a typed line takes the place of the notice. */
export const refusedHint = ({ tone, text }: View['notice']): Pick<TypedLine, 'hint' | 'wrong'> | undefined =>
  tone === 'refused' && text !== '' ? { hint: text, wrong: true } : undefined
