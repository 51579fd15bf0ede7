import { safeText } from '../../domain/words/safe-text.ts'
import type { Controller } from '../core/controller.ts'
import { open } from '../core/overlays.ts'
import type { ConsoleState, Overlay } from '../core/state.ts'

/** The exact effects of an action, one per line, and the function that carries it out. */
export interface Question {
  readonly lines: readonly string[]
  readonly carryOut: (controller: Controller) => void
}

/** Asks before something is done that is not easily undone. */
export const ask = (controller: Controller, question: (state: ConsoleState) => Question): void =>
  controller.change((state) => open(asked(question(state)))(state))

export const asked = ({ lines, carryOut }: Question): Overlay => ({
  kind: 'confirm',
  lines: lines.map(safeText),
  carryOut,
})
