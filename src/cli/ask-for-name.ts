import { Refusal } from '../domain/refusal.ts'
import type { Call } from './command.ts'

/** Shows what will happen and wants a name typed; anything else leaves all as it is. */
export const askForName = async (call: Call, name: string, preview: string, question: string): Promise<void> => {
  // With --json, standard output belongs to the result alone.
  const show = call.json ? call.streams.err : call.streams.out
  show(`${preview.trim()}\n\n`)
  const answer = await call.streams.ask(`${question} `).catch(abandoned)
  if (answer.trim() !== name) throw new Refusal('not_allowed', `'${name}' was not typed, so nothing was done.`)
}

/** Ctrl-C or the end of input is an answer too: no. */
const abandoned = (error: unknown): string => {
  if (error instanceof Error && error.name === 'AbortError') return ''
  throw error
}
