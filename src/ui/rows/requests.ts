import type { Line } from '../../../components/Lines.tsx'
import type { ColourName } from '../../../components/base/theme.ts'
import { ours } from '../../domain/words/safe-text.ts'
import type { RequestView } from '../../operations/requests/requests.ts'
import { requestText } from '../../text/inbox.ts'
import { heading, verbatim } from './lines.ts'

/** The complete text of a request: no part of it is hidden. */
export const askedLines = (request: RequestView, width: number): readonly Line[] => [
  ...verbatim(request.subject, width),
  ...request.options.flatMap((option, index) => verbatim(`${index + 1}. ${option}`, width)),
  ...inputLines(request, width),
]

/** An edit as lines that go and lines that come; anything else as it was passed. */
const inputLines = ({ input, subject }: RequestView, width: number): readonly Line[] => {
  if (typeof input !== 'object' || input === null) return []
  const given = input as Record<string, unknown>
  const [goes, comes] = ['old_string', given['new_string'] === undefined ? 'content' : 'new_string']
  const edits = [...marked(given[goes], '-', 'red', width), ...marked(given[comes], '+', 'green', width)]
  const isShown = (key: string, value: unknown): boolean =>
    value === subject || ((key === goes || key === comes) && typeof value === 'string')
  const rest = Object.fromEntries(Object.entries(given).filter(([key, value]) => !isShown(key, value)))
  return [
    ...(edits.length === 0 ? [] : [...heading(requestText.change), ...edits]),
    ...(Object.keys(rest).length === 0
      ? []
      : [...heading(requestText.passed), ...verbatim(JSON.stringify(rest, null, 2), width)]),
  ]
}

const marked = (text: unknown, mark: string, colour: ColourName, width: number): readonly Line[] =>
  typeof text !== 'string' || text === ''
    ? []
    : verbatim(text, width - 1).map((line) => ({ text: ours(`${mark}${line.text}`), colour }))
