import { type Detail, inputOf } from '../kind/detail.ts'
import { fields, objectOf, text } from '../kind/json-line.ts'

/** Reads the details of a line of `opencode run --format json`, which reports a call at its end. */
export const opencodeDetails = (line: string): readonly Detail[] => {
  const event = objectOf(line)
  if (event?.type !== 'tool_use') return []
  const part = fields(event.part)
  const state = fields(part.state)
  const call = text(part.callID)
  return [
    ...inputOf(call, fields(state.input)),
    {
      kind: 'result',
      call,
      text: text(state.output) || text(state.error),
      failed: state.status === 'error',
    },
  ]
}
