import { ours } from '../../../domain/words/safe-text.ts'
import { modeText } from '../../../text/keys.ts'
import { checkoutText, movedText } from '../../../text/inbox.ts'
import type { ReadView } from '../../core/registry.ts'
import { shownKey } from '../../keys/bindings.ts'
import { acceptChanges, type CheckoutOverlay, checkoutSheet } from './checkout.ts'
import * as movedKeys from './moved.ts'

/** A target that was moved neither by aiswarm nor, as far as it knows, by the person. */
// prettier-ignore
export const moved: ReadView<movedKeys.MovedOverlay> = {
  kind: 'moved',
  about: { has: ({ kind }) => kind === 'moved' || kind === 'checkout', open: movedKeys.openMoved },
  title: modeText.moved,
  manner: 'reading',
  keys: [
    { id: 'accept-move', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, press: movedKeys.acceptMove },
    { id: 'put-back', keys: ['p'], shown: 'p', writes: true, footer: true, press: movedKeys.askPutBack },
  ],
  also: ['next', 'inbox'],
  empty: {},
  dialog: true,
  content: movedKeys.movedSheet,
  answer: { line: (state) => ours(movedText.answer(shownKey(state, 'accept-move'), shownKey(state, 'put-back'))), ready: () => true },
  click: null,
  asks: () => true,
  shows: (_, { move }, item) => item.kind === 'moved' && move.target === item.target,
}

/** Files of the main checkout that changed while agents ran. */
// prettier-ignore
export const checkout: ReadView<CheckoutOverlay> = {
  kind: 'checkout',
  title: modeText.checkout,
  manner: 'reading',
  keys: [{ id: 'accept-checkout', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, press: acceptChanges }],
  also: ['next', 'inbox'],
  empty: {},
  dialog: true,
  content: checkoutSheet,
  answer: { line: (state) => ours(checkoutText.answer(shownKey(state, 'accept-checkout'))), ready: () => true },
  click: null,
  asks: () => true,
  shows: (_, __, item) => item.kind === 'checkout',
}
