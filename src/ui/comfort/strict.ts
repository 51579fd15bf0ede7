import type { Desk } from '../desk.ts'
import { shownKey } from '../key-table.ts'
import type { KeyRow } from '../keys.ts'
import { comforting } from './arrangement.ts'

// The strict mode (`console.strict`): what is typed by mistake, such as a word meant for another window, does nothing.
// A leader key rather than the same key twice: words are full of double letters.

/** True for the one stroke behind the leader key. */
export const isLed = (desk: Desk): boolean => {
  const { led } = desk.state().comfort
  if (led) desk.change(comforting(() => ({ led: false })))
  return led
}

/** Says so where a key acts and the leader key is missing before it. */
export const needsLeader = (desk: Desk, row: KeyRow): boolean => {
  if (!desk.state().comfort.strict || !(row.acts ?? row.answers)) return false
  desk.tell(`Strict mode: ${shownKey(desk.state(), 'leader')} and then ${row.shown} ${row.label === 'yes' ? 'says yes' : `does '${row.label}'`}.`, 'refused')
  return true
}

export const whyNotLead = (state: Parameters<NonNullable<KeyRow['blocked']>>[0]): string | undefined =>
  state.comfort.strict ? undefined : 'The strict mode is off; console.strict in the configuration switches it on.'

export const lead = (desk: Desk): void => {
  desk.change(comforting(() => ({ led: true })))
  desk.tell('The next key acts.')
}
