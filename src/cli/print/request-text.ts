import { safeText, spelledOut } from '../../domain/words/safe-text.ts'
import { duration, elapsed, type Instant } from '../../domain/words/time.ts'
import type { RequestView } from '../../operations/requests/requests.ts'
import { blocks, columns, pairs, section } from './columns.ts'

export const requestList = (requests: readonly RequestView[], now: Instant): string =>
  requests.length === 0
    ? 'No requests.'
    : columns(
        ['ID', 'AGENT', 'ASKS', 'TOOL', 'STATE', 'AGE', 'ABOUT'],
        requests.map(({ id, agentId, kind, tool, status, askedAt, subject }) => [
          id,
          agentId,
          kind,
          tool,
          status,
          duration(elapsed(askedAt, now)),
          subject.slice(0, 200),
        ]),
        ['ID', 'AGE'],
      )

export const requestDetail = (
  { id, agentId, kind, tool, taskId, askedAt, subject, input, options, rule }: RequestView,
  now: Instant,
): string =>
  blocks([
    pairs([
      ['request', id],
      ['agent', agentId],
      ['task', taskId],
      ['asks', kind],
      ['tool', tool && flat(tool)],
      ['since', duration(elapsed(askedAt, now))],
      ['rule', rule && flat(rule)],
    ]),
    spelledOut(subject).join('\n'),
    section('Answers', options.map(flat)),
    input === null ? '' : spelledOut(JSON.stringify(input, null, 2)).join('\n'),
  ])

export const requestLine = ({ id, agentId, status, answer }: RequestView): string =>
  safeText(`Request ${id} of ${agentId}: ${status}${status === 'answered' ? `: ${answer}` : ''}`)

/** The subject of a person's decision, on one line. */
const flat = (text: string): string => spelledOut(text).join(' ')
