import { Refusal } from '../domain/refusal.ts'
import type { Call } from './command.ts'

/** Shows what will happen and wants a name typed; anything else leaves all as it is. */
export const askForName = async (call: Call, name: string, preview: string, question: string): Promise<void> => {
  const shown = `${preview.trim()}\n\n`
  // With --json both streams belong to the one value, so a person is shown it beside the question.
  if (!call.json) call.streams.out(shown)
  const answer = await call.streams.ask(`${question} `, call.json ? shown : '').catch(abandoned)
  if (answer.trim() !== name) throw new Refusal('not_allowed', `'${name}' was not typed, so nothing was done.`)
}

/** Ctrl-C or the end of input is an answer too: no. */
const abandoned = (error: unknown): string => {
  if (error instanceof Error && error.name === 'AbortError') return ''
  throw error
}
