import { Refusal } from '../../domain/rules/refusal.ts'
import type { Call } from './command.ts'

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
