import type { AgentKind } from '../../agents/kind/kind.ts'
import type { Detail, Reading } from '../../agents/reading/reading.ts'
import { type Heard, sentIn } from '../../agents/kind/conversation.ts'
import { about } from '../../agents/kind/json-line.ts'
import type { Saying } from '../../contracts/conversation.ts'

/** The readers of a kind: every protocol is read by them, and none by its own format here. */
type Readers = Pick<AgentKind, 'read' | 'details' | 'talk'>

/** Reads everything that is said in a line of output; `messageOf` names the message with an id of the journal. Never throws. */
export const sayingsOf = (
  line: string,
  kind: Readers | undefined,
  messageOf: (uuid: string) => number | undefined,
): readonly Saying[] => {
  if (line.trim() === '') return []
  if (kind?.read === undefined || (!line.startsWith('{') && !line.startsWith('[')))
    return [{ kind: 'output', text: line }]
  const details = kind.details?.(line) ?? []
  return [
    ...heardIn(line, kind).flatMap((heard) => heardFrom(heard, messageOf)),
    ...details.filter(({ kind }) => kind === 'thought'),
    ...kind.read(line).flatMap(saidIn),
    ...details.filter((detail): detail is Exclude<Detail, { kind: 'thought' }> => detail.kind !== 'thought'),
  ]
}

/** A line is read alone here, so a protocol with a driver shows a message where the driver handed it over. */
const heardIn = (line: string, { talk }: Readers): readonly Heard[] => {
  const sent = sentIn(line)
  if (sent !== undefined) return [{ kind: 'seen', id: sent }]
  const heard = talk?.listen()(line) ?? []
  return talk?.protocol === 'stream-json' ? heard : heard.filter(({ kind }) => kind === 'asks')
}

const heardFrom = (heard: Heard, messageOf: (uuid: string) => number | undefined): readonly Saying[] => {
  if (heard.kind === 'asks')
    return [
      { kind: 'asks', call: heard.call, tool: heard.tool, about: about(heard.input), input: sortedJson(heard.input) },
    ]
  if (heard.kind !== 'seen') return []
  const id = messageOf(heard.id)
  return id === undefined ? [] : [{ kind: 'message', id }]
}

const saidIn = (reading: Reading): readonly Saying[] => {
  switch (reading.kind) {
    case 'text':
      return [{ kind: 'text', text: reading.text, continues: reading.continues === true }]
    case 'tool':
      return [{ kind: 'tool', call: reading.call ?? '', name: reading.name, about: reading.about }]
    case 'tool_failed':
    case 'denied':
      return [
        {
          kind: 'failed',
          call: reading.call ?? '',
          name: reading.name,
          about: reading.about,
          denied: reading.kind === 'denied',
        },
      ]
    case 'no_server':
    case 'limited':
    case 'unauthorized':
    case 'no_session':
      return [{ kind: 'note', level: 'warn', text: reading.sentence }]
    case 'ended':
      return [{ kind: 'ended', ok: reading.ok, text: reading.ok ? '' : reading.sentence }]
    case 'note':
      return [{ kind: 'note', level: reading.level, text: reading.text }]
    case 'session':
    case 'model':
    case 'usage':
    case 'context':
      return []
  }
}

/** The same JSON whatever the order of its keys, which a database may change. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
