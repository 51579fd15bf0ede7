import { fold, widthOf } from '../../../../components/base/fit.ts'
import { ours, type SafeText } from '../../../domain/words/safe-text.ts'
import { modeText } from '../../../text/keys.ts'
import { confirmText } from '../../../text/panes.ts'
import { behindAnswer } from '../../actions/answers.ts'
import type { Controller } from '../../core/controller.ts'
import { close, columnsOver } from '../../core/overlays.ts'
import { by, type DrawnView } from '../../core/registry.ts'
import { keyed } from '../../keys/bindings.ts'

/** A question before an action. */
export interface ConfirmOverlay {
  readonly kind: 'confirm'
  readonly lines: readonly SafeText[]
  readonly carryOut: (controller: Controller) => void
}

const confirmed = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'confirm') return
  controller.change(behindAnswer(undefined, controller.connection.core.clock()))
  overlay.carryOut(controller)
}

// prettier-ignore
export const confirm: DrawnView<ConfirmOverlay> = {
  kind: 'confirm',
  title: modeText.confirm,
  manner: 'asking',
  keys: [
    { id: 'yes', keys: ['y'], shown: 'y', answers: true, footer: true, press: confirmed },
    { id: 'no', keys: ['n', 'escape', 'q'], shown: 'n esc', footer: true, press: by(close) },
  ],
  empty: {},
  dialog: true,
  drawn: true,
  lines: ({ lines }, columns) => confirmLines(lines, columns).length + 3,
  words: (state, overlay, line, height) => {
    const lines = confirmLines(overlay.lines, columnsOver(state, overlay))
    const last = Math.min(Math.max(1, height - 2), lines.length + 1)
    return line === last ? { text: ours(keyed(state, confirmText.answers)), from: 2 } : undefined
  },
  click: null,
  asks: () => true,
}

/** The question, in lines that fit. */
export const confirmLines = (lines: readonly SafeText[], columns: number): readonly SafeText[] =>
  lines.flatMap((line) => (widthOf(line) > columns - 4 ? fold(line, columns - 4) : [line]))
