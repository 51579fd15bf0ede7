import { nameOf } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Connection } from '../../operations/perform/core.ts'
import type { Call } from './command.ts'

// A decision that only a person makes: a typed answer at a terminal, never by an agent.

/** Shows a preview and asks for a name; any other answer changes nothing. */
export const askForName = async (call: Call, name: string, preview: string, question: string): Promise<void> => {
  const shown = `${preview.trim()}\n\n`
  // With --json both streams belong to the JSON value, so the preview is shown together with the question.
  if (!call.json) call.streams.out(shown)
  const answer = await askOrNothing(call, `${question} `, call.json ? shown : '')
  if (answer.trim() !== name) throw new Refusal('not_allowed', `'${name}' was not typed, so nothing was done.`)
}

/** One typed line. Ctrl-C and the end of input count as an empty one. */
export const askOrNothing = async (
  { streams }: Pick<Call, 'streams'>,
  question: string,
  above: string,
  isSecret = false,
): Promise<string> => {
  try {
    return await streams.ask(question, above, isSecret)
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return ''
    throw error
  }
}

/** Asks for a word at the terminal, unless `yes`; refuses if a person types another one. */
export const refuseUnlessMeant = async (
  call: Call,
  {
    word,
    what,
    above,
    yes,
  }: { readonly word: string; readonly what: string; readonly above: string; readonly yes: boolean },
): Promise<void> => {
  if (yes) return
  if (!call.streams.stdinIsTerminal)
    throw new Refusal('needs_terminal', `${what} needs an answer at a terminal, or --yes.`)
  if ((await askOrNothing(call, `Type ${word} to continue: `, above)).trim() !== word)
    throw new Refusal('not_allowed', `'${word}' was not typed, so nothing was done.`)
}

/**
 * Refuses an agent, with or without its token, even in a terminal that it opened itself. `what` is a verb and its
 * object.
 */
export const refuseAgent = ({ environment }: Call, { actor }: Connection, what: string): void => {
  const claimed = environment['AISWARM_AGENT_ID'] ?? ''
  if (actor.kind === 'person' && claimed === '') return
  const who =
    actor.kind === 'agent' ? `Agent ${actor.id}` : actor.kind === 'person' ? `Agent ${claimed}` : nameOf(actor)
  throw new Refusal('not_allowed', `${who} may not ${what}; only a person may do it.`)
}

/** A typed answer counts only in a terminal in which a person has logged in. `what` is a gerund and its object. */
export const needLogin = async ({ outside }: Connection, what: string): Promise<void> => {
  const why = await outside.whyNoLogin()
  if (why !== undefined)
    throw new Refusal(
      'needs_terminal',
      `${what} needs a person at their own terminal: ${why}. Use a terminal that was open before the agents started, or the console ('aiswarm').`,
    )
}
