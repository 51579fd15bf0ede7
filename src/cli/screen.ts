import { Refusal } from '../domain/refusal.ts'

// Whether a console can be drawn where this program was started.

const otherwise = "'aiswarm status --watch' shows how things stand and 'aiswarm run' works the board off."

/** Names that stand for a terminal that prints line below line, or for one that nobody knows. */
const plain: ReadonlySet<string> = new Set(['dumb', 'unknown', 'emacs'])

/**
 * Why no console can be drawn; undefined where it can. Without TERM nobody has said that this terminal can place a cursor,
 * and one that cannot would be covered with the sequences that do; the sentence says how to say so, as curses programs expect it.
 */
export const whyNoScreen = (isTerminal: boolean, environment: NodeJS.ProcessEnv): Refusal | undefined => {
  if (!isTerminal) return new Refusal('needs_terminal', `The console needs a terminal; without one, ${otherwise}`)
  const term = environment['TERM'] ?? ''
  if (term === '')
    return new Refusal('needs_terminal', `The console needs to know its terminal, and TERM is not set; TERM=xterm-256color is right for nearly all. Without it, ${otherwise}`)
  if (plain.has(term)) return new Refusal('needs_terminal', `The console needs a terminal that can place its cursor, and TERM says '${term}'; on this one, ${otherwise}`)
  return undefined
}
