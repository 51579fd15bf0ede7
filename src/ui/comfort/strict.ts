import { ours } from '../../domain/safe-text.ts'
import type { Desk } from '../desk.ts'
import { shownKey } from '../key-names.ts'
import type { KeyRow } from '../keys.ts'
import { comforting, unsaying } from './arrangement.ts'
import { strictText } from '../../text/comfort.ts'

// The strict mode (`console.strict`): what is typed by mistake, such as a word meant for another window, does nothing.
// It opens forms and the list of commands, which do nothing yet, and stops before the key that would send them off.
// A leader key rather than the same key twice: words are full of double letters.

/** True for the one stroke behind the leader key. */
export const isLed = (desk: Desk): boolean => {
  const { led } = desk.state().comfort
  if (led) desk.change((state) => unsaying(ours(strictText.nextActs))(comforting(() => ({ led: false }))(state)))
  return led
}

/** Says so where a key acts and the leader key is missing before it. */
export const needsLeader = (desk: Desk, row: KeyRow): boolean => {
  if (!desk.state().comfort.strict || !(row.acts ?? row.answers)) return false
  desk.tell(strictText.needsLeader(shownKey(desk.state(), 'leader'), row.shown, row.id === 'yes' ? strictText.saysYes : strictText.does(row.label)), 'refused')
  return true
}

export const whyNotLead = (state: Parameters<NonNullable<KeyRow['blocked']>>[0]): string | undefined => (state.comfort.strict ? undefined : strictText.isOff)

export const lead = (desk: Desk): void => {
  desk.change(comforting(() => ({ led: true })))
  desk.tell(strictText.nextActs)
}
