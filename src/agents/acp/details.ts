import { type Detail, inputOf, planOf } from '../kind/detail.ts'
import { type Fields, fields, list, objectOf, text } from '../kind/json-line.ts'
import { callOf } from './call.ts'

/** Reads the details of a line of an ACP agent. `titled` as in `Differences`. */
export const acpDetails =
  (titled: boolean) =>
  (line: string): readonly Detail[] => {
    const message = objectOf(line)
    const params = fields(message?.params)
    if (message?.method === 'session/request_permission') return called(fields(params.toolCall), titled)
    const update = fields(params.update)
    switch (update.sessionUpdate) {
      case 'agent_thought_chunk': {
        const thought = text(fields(update.content).text)
        return thought === '' ? [] : [{ kind: 'thought', text: thought }]
      }
      case 'tool_call':
        return called(update, titled)
      case 'tool_call_update':
        return [...called(update, titled), ...ended(update)]
      case 'plan':
        return [planOf(list(update.entries))]
      default:
        return []
    }
  }

const called = (call: Fields, titled: boolean): readonly Detail[] => {
  if (call.kind === undefined || (call.rawInput === undefined && call.content === undefined)) return []
  return inputOf(text(call.toolCallId), callOf(call, titled).input)
}

const ended = ({ toolCallId, status, content, rawOutput }: Fields): readonly Detail[] => {
  if (status !== 'completed' && status !== 'failed') return []
  const said = list(content).map((part) => text(fields(part.content).text))
  const output = text(rawOutput) || text(fields(rawOutput).output)
  return [{ kind: 'result', call: text(toolCallId), text: said.join('\n') || output, failed: status === 'failed' }]
}
