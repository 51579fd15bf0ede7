import { ours, safeText } from '../../domain/words/safe-text.ts'
import { keyed } from './names.ts'
import type { ConsoleState, View } from '../core/state.ts'
import type { TypedLine } from '../core/view-row.ts'

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
