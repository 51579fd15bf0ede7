import type { Controller } from '../../core/controller.ts'
import { shellLineOf } from '../../core/form.ts'
import type { ConsoleState } from '../../core/state.ts'
import { paletteText } from '../../../text/palette.ts'

export const whyNotCopy = (state: ConsoleState): string | undefined =>
  lineIn(state) === undefined ? paletteText.nothingToCopy : undefined

/** Copies the line that does the same in a shell. */
export const copyLine = (controller: Controller): void => {
  const line = lineIn(controller.state())
  if (line === undefined) return
  controller.copy(line)
  controller.tell(paletteText.copied(line), 'done')
}

const lineIn = ({ view: { overlay } }: ConsoleState): string | undefined =>
  overlay?.kind === 'form' ? shellLineOf(overlay.form) : undefined
