import { type Detail, planOf } from '../kind/detail.ts'
import { fields, list, objectOf, text } from '../kind/json-line.ts'

/** Reads the details of a line of `codex exec --json`; it names changed files without their content. */
export const codexDetails = (line: string): readonly Detail[] => {
  const event = objectOf(line)
  const item = fields(event?.item)
  const call = text(item.id)
  switch (item.type) {
    case 'command_execution':
      return event?.type === 'item.started'
        ? [{ kind: 'input', call, command: text(item.command), edits: [] }]
        : [{ kind: 'result', call, text: text(item.aggregated_output), failed: item.status !== 'completed' }]
    case 'mcp_tool_call': {
      const said = list(fields(item.result).content).map((part) => text(part.text))
      return event?.type === 'item.completed'
        ? [
            {
              kind: 'result',
              call,
              text: said.join('\n') || text(fields(item.error).message),
              failed: item.status === 'failed',
            },
          ]
        : []
    }
    case 'reasoning':
      return text(item.text).trim() === '' ? [] : [{ kind: 'thought', text: text(item.text) }]
    case 'todo_list':
      return [planOf(list(item.items))]
    default:
      return []
  }
}
