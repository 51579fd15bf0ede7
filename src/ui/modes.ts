import type { Mode } from './state.ts'
import { modeText } from '../text/modes.ts'

/** What may lie over the panes, in the order of the help, with the words above its keys there. */
export const modeTitles: Readonly<Record<Mode, string>> = modeText

export const modes = Object.keys(modeTitles) as readonly Mode[]
