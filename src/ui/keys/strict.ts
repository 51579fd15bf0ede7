import { ours } from '../../domain/words/safe-text.ts'
import type { Controller } from '../core/controller.ts'
import { shownKey } from './names.ts'
import type { KeyRow } from './row.ts'
import { changingPreferences, unsaying } from '../core/reducers.ts'
import { strictText } from '../../text/settings.ts'

// The strict mode (`console.strict`) ignores accidental input, such as a word meant for another window. Such input may
// open forms and the palette, which change nothing, but the key that submits them requires the leader key. It is a
// leader key rather than a repeated key, because words often contain double letters.

/** True for the one key after the leader key. */
export const isLed = (controller: Controller): boolean => {
  const { led } = controller.state().preferences
  if (led)
    controller.change((state) =>
      unsaying(ours(strictText.nextActs))(changingPreferences(() => ({ led: false }))(state)),
    )
  return led
}

/** Shows a notice if a key acts and the leader key is missing. */
export const needsLeader = (controller: Controller, row: KeyRow): boolean => {
  if (!controller.state().preferences.strict || !(row.acts ?? row.answers)) return false
  controller.tell(
    strictText.needsLeader(
      shownKey(controller.state(), 'leader'),
      row.shown,
      row.id === 'yes' ? strictText.saysYes : strictText.does(row.label),
    ),
    'refused',
  )
  return true
}

export const whyNotLead = (state: Parameters<NonNullable<KeyRow['blocked']>>[0]): string | undefined =>
  state.preferences.strict ? undefined : strictText.isOff

export const lead = (controller: Controller): void => {
  controller.change(changingPreferences(() => ({ led: true })))
  controller.tell(strictText.nextActs)
}
