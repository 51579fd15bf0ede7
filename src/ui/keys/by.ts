import type { Controller } from '../core/controller.ts'
import type { Transition } from '../core/state.ts'

/** A key handler that changes only the view. */
export const by =
  (transition: Transition) =>
  (controller: Controller): void =>
    controller.change(transition)
