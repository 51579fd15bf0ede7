import { changeWords } from '../../../domain/integration/external-changes.ts'
import { ours } from '../../../domain/words/safe-text.ts'
import { acceptCheckout } from '../../../operations/integration/drift-answers.ts'
import type { CheckoutChangeView } from '../../../operations/integration/drift.ts'
import type { Controller } from '../../core/controller.ts'
import { heading, paragraph, verbatim, widthIn } from '../../rows/lines.ts'
import { itemOf, settle } from '../../actions/answers.ts'
import type { SheetContent } from '../../core/registry.ts'
import { sheetOfLines } from '../../core/overlays.ts'
import type { ConsoleState } from '../../core/state.ts'
import { checkoutText } from '../../../text/inbox.ts'

// Changes of the main checkout by other programs: a person reviews and accepts them.

export interface CheckoutOverlay {
  readonly kind: 'checkout'
  readonly change: CheckoutChangeView
  readonly top: number
}

export const acceptChanges = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'checkout') return
  settle(
    controller,
    itemOf(controller.state(), { kind: 'checkout' }),
    checkoutText.did,
    acceptCheckout,
    { changes: overlay.change.changes },
    () => checkoutText.accepted,
  )
}

export const checkoutSheet = (state: ConsoleState, { change: { changes, agents } }: CheckoutOverlay): SheetContent => {
  const width = widthIn(state)
  return sheetOfLines(ours(checkoutText.title), [
    ...paragraph(checkoutText.why(agents.join(', ')), width),
    ...heading(checkoutText.files),
    ...changes.flatMap((change) => verbatim(changeWords(change), width)),
    { text: ours('') },
    ...paragraph(checkoutText.hint, width),
  ])
}
