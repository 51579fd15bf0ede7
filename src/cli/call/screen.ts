import { Refusal } from '../../domain/rules/refusal.ts'

// Checks whether a console can be drawn on this terminal.

const otherwise = "'aiswarm status --watch' shows how things stand and 'aiswarm run' works the board off."

/** Names of terminals that only print lines, or that are unknown. */
const plain: ReadonlySet<string> = new Set(['dumb', 'unknown', 'emacs'])

/**
 * The reason why no console can be drawn; undefined if it can. Without TERM it is unknown whether the terminal can
 * position a cursor, and one that cannot would print the control sequences; the message tells how to set TERM, as
 * curses programs do.
 */
export const whyNoScreen = (isTerminal: boolean, environment: NodeJS.ProcessEnv): Refusal | undefined => {
  if (!isTerminal) return new Refusal('needs_terminal', `The console needs a terminal; without one, ${otherwise}`)
  const term = environment['TERM'] ?? ''
  if (term === '')
    return new Refusal('needs_terminal', `The console needs to know its terminal, and TERM is not set; TERM=xterm-256color is right for nearly all. Without it, ${otherwise}`)
  if (plain.has(term)) return new Refusal('needs_terminal', `The console needs a terminal that can place its cursor, and TERM says '${term}'; on this one, ${otherwise}`)
  return undefined
}
