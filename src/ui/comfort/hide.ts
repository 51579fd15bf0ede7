import type { Desk } from '../desk.ts'
import { shownKey } from '../key-table.ts'
import { hide } from './arrangement.ts'

/** Hides the pane that has the focus, and names the key that brings it back. */
export const hidePane = (desk: Desk): void => desk.change(hide(shownKey))
