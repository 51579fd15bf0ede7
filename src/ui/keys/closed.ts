import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import { consoleText } from '../../text/panes.ts'
import { viewOf } from '../core/front.ts'
import type { ConsoleState, Overlay } from '../core/state.ts'

/** Why the board takes no writes of this console, which shows it all the same; undefined if it does. */
export const whyClosed = ({ gone, supervisor }: Pick<ConsoleState, 'gone' | 'supervisor'>): string | undefined =>
  gone ?? supervisor.closed ?? undefined

export interface Answer {
  /** The effects of the keys. */
  readonly line: SafeText
  /** Whether they are available. */
  readonly ready: boolean
}

/** The line below a view with the effects of its keys; undefined if it has none. */
export const answerOf = (state: ConsoleState, overlay: Overlay): Answer | undefined => {
  const { answer, keys } = viewOf(state, overlay)
  if (answer === undefined) return undefined
  if (whyClosed(state) !== undefined && keys.some(({ writes }) => writes))
    return { line: ours(consoleText.takesNoWrites), ready: false }
  return { line: answer.line(state, overlay), ready: answer.ready(state, overlay) }
}
