import { type Detail, inputOf } from '../kind/detail.ts'
import { fields, objectOf, text } from '../kind/json-line.ts'

/** Reads the details of a line of `copilot --output-format json`. */
export const copilotDetails = (line: string): readonly Detail[] => {
  const event = objectOf(line)
  const data = fields(event?.data)
  const call = text(data.toolCallId)
  if (event?.type === 'tool.execution_start') return inputOf(call, fields(data.arguments))
  return event?.type === 'tool.execution_complete'
    ? [
        {
          kind: 'result',
          call,
          text: text(fields(data.result).content) || text(fields(data.error).message),
          failed: data.success === false,
        },
      ]
    : []
}
