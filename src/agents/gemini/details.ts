import { type Detail, inputOf } from '../kind/detail.ts'
import { fields, objectOf, text } from '../kind/json-line.ts'

/** Reads the details of a line of `gemini -o stream-json`. */
export const geminiDetails = (line: string): readonly Detail[] => {
  const event = objectOf(line)
  const call = text(event?.tool_id)
  if (event?.type === 'tool_use') return inputOf(call, fields(event.parameters))
  return event?.type === 'tool_result'
    ? [
        {
          kind: 'result',
          call,
          text: text(event.output) || text(fields(event.error).message),
          failed: event.status === 'error',
        },
      ]
    : []
}
