import { Refusal } from '../../domain/rules/refusal.ts'

// Checks whether a console can be drawn on this terminal.

const otherwise = "use 'aiswarm status --watch' to see the state, or 'aiswarm run' to run the tasks."

/** Names of terminals that only print lines, or that are unknown. */
const plain: ReadonlySet<string> = new Set(['dumb', 'unknown', 'emacs'])

/**
 * The reason why no console can be drawn; undefined if it can. Without TERM it is unknown whether the terminal can
 * position a cursor, and one that cannot would print the control sequences; the message tells how to set TERM, as
 * curses programs do.
 */
export const whyNoScreen = (isTerminal: boolean, environment: NodeJS.ProcessEnv): Refusal | undefined => {
  if (!isTerminal) return new Refusal('needs_terminal', `The console needs a terminal. Without one, ${otherwise}`)
  const term = environment['TERM'] ?? ''
  if (term === '')
    return new Refusal(
      'needs_terminal',
      `TERM is not set, so the console does not know its terminal. Set TERM=xterm-256color, which fits nearly all terminals. Without it, ${otherwise}`,
    )
  if (plain.has(term))
    return new Refusal(
      'needs_terminal',
      `The console needs a terminal that can position its cursor, but TERM is '${term}'. On this terminal, ${otherwise}`,
    )
  return undefined
}
