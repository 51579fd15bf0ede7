import { type Detail, inputOf, planOf } from '../kind/detail.ts'
import { type Fields, fields, list, objectOf, text } from '../kind/json-line.ts'

/** Reads the details of a line of the stream of messages that Claude Code introduced (message-stream.ts). */
export const messageDetails = (line: string): readonly Detail[] => {
  const message = objectOf(line)
  const content = list(fields(message?.message).content)
  if (message?.type === 'assistant') return content.flatMap(spokenIn)
  return message?.type === 'user' && message.isReplay !== true ? content.flatMap(resultIn) : []
}

const spokenIn = (block: Fields): readonly Detail[] => {
  if (block.type === 'thinking')
    return text(block.thinking).trim() === '' ? [] : [{ kind: 'thought', text: text(block.thinking) }]
  if (block.type !== 'tool_use') return []
  const input = fields(block.input)
  // A CLI that hides tools calls them through one tool, which names them.
  const inner = block.name === 'tool_call' && text(input.name) !== '' ? fields(input.arguments) : input
  const steps = list(inner.todos)
  if (steps.length > 0) return [planOf(steps)]
  return inputOf(text(block.id), inner)
}

const resultIn = (block: Fields): readonly Detail[] =>
  block.type === 'tool_result'
    ? [
        {
          kind: 'result',
          call: text(block.tool_use_id),
          text: wordsOf(block.content),
          failed: block.is_error === true,
        },
      ]
    : []

const wordsOf = (content: unknown): string =>
  text(content) ||
  list(content)
    .map((part) => (part.type === 'text' ? text(part.text) : `[${text(part.type)}]`))
    .join('\n')
