import type { ColourName } from '../../../../components/base/theme.ts'
import { dollars, tokenWords } from '../../../domain/budget/budget.ts'
import { axisTime, type Ending, shareOf, sum } from '../../../domain/session/plots.ts'
import type { Span } from '../../../domain/session/span.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { elapsed, instant, milliseconds } from '../../../domain/words/time.ts'
import type { Lane, SessionReport } from '../../../operations/sessions/report.ts'
import { plotText } from '../../../text/history.ts'

// The data of the plots.

interface RateSeries {
  readonly label: SafeText
  readonly note: SafeText
  /** A short form for little room. */
  readonly short: SafeText
  readonly values: readonly number[]
  readonly write: (value: number) => string
  readonly colour: ColourName
}

/** The events of each stretch of time: each with its sum, and the rate per hour. */
export const seriesOf = ({ span, attempts, usage }: SessionReport): readonly RateSeries[] => {
  const hours = Math.max(elapsed(span.from, span.to), 60_000) / 3_600_000
  const series = (
    label: string,
    values: readonly number[],
    write: (value: number) => string,
    colour: ColourName,
  ): RateSeries => {
    const all = sum(values)
    const note = ours(`${write(all)}, ${write(rounded(all / hours))}/h`)
    return { label: ours(label), note, short: note, values, write, colour }
  }
  return [
    series(plotText.endings.completed, attempts.completed, String, 'green'),
    series(plotText.endings.failed, attempts.failed, String, 'red'),
    series(
      plotText.tokens,
      usage.tokensIn.map((n, at) => n + usage.tokensOut[at]!),
      tokenWords,
      'cyan',
    ),
    usage.costUsd === null
      ? {
          label: ours(plotText.cost),
          note: ours(plotText.notTold),
          short: ours(plotText.notTold),
          values: span.buckets === 0 ? [] : usage.tokensIn.map(() => 0),
          write: dollars,
          colour: 'cyan',
        }
      : lacking(series(plotText.cost, usage.costUsd, dollars, 'cyan'), sum(usage.tokensUnpriced)),
  ]
}

/** A sum mentions what it lacks; with little room, as the header does. */
const lacking = (costs: RateSeries, unpriced: number): RateSeries =>
  unpriced === 0
    ? costs
    : {
        ...costs,
        note: ours(plotText.unpriced(costs.note, tokenWords(unpriced))),
        short: ours(costs.note.replace(',', '+,')),
      }

const rounded = (value: number): number => (value < 10 ? Math.round(value * 100) / 100 : Math.round(value))

/** The times at both ends of a plot, and between them if there is room. */
export const axisLine = (span: Span, width: number, as: 'buckets' | 'exact'): SafeText => {
  const [from, to] =
    as === 'exact'
      ? [milliseconds(span.from), milliseconds(span.to)]
      : [milliseconds(span.start), milliseconds(span.start) + span.buckets * span.step]
  const [first, middle, last] = [0, 0.5, 1].map((share) =>
    axisTime(span, instant(Math.round(from + share * (to - from)))),
  )
  // A truncated time would be wrong.
  if (width < first!.length + last!.length + 1) return ours(width < first!.length ? '' : first!)
  const gap = width - first!.length - last!.length
  const inner =
    gap >= middle!.length + 8 ? ' '.repeat(Math.floor((width - middle!.length) / 2) - first!.length) + middle! : ''
  return ours(first! + inner + ' '.repeat(gap - inner.length) + last!)
}

/** Open tasks at so many points, evenly over the session. */
export const halves = (open: readonly number[], places: number): readonly number[] =>
  Array.from({ length: places }, (_, at) => open[Math.round((at / Math.max(1, places - 1)) * (open.length - 1))]!)

/** The worst outcome is shown where several attempts share a column. */
const order: readonly Ending[] = ['completed', 'stopped', 'working', 'failed']

export const cellsOf = (span: Span, { spans }: Lane, columns: number): readonly (Ending | null)[] => {
  const cells: (Ending | null)[] = Array.from({ length: columns }, () => null)
  for (const { from, to, ending } of spans) {
    const first = Math.min(columns - 1, Math.floor(shareOf(span, from) * columns))
    const last = Math.max(first, Math.min(columns - 1, Math.ceil(shareOf(span, to ?? span.to) * columns) - 1))
    for (let at = first; at <= last; at++)
      if (order.indexOf(ending) >= (cells[at] === null ? -1 : order.indexOf(cells[at]!))) cells[at] = ending
  }
  return cells
}

/** `backend-1: 4 attempts, 3 completed, 1 failed` */
export const saidLane = ({ agentId, attempts, spans }: Lane): SafeText => {
  const counts = order.flatMap((ending) => {
    const n = spans.filter((span) => span.ending === ending).length
    return n === 0 ? [] : [`${n} ${plotText.endingHeard[ending]}`]
  })
  return ours([plotText.saidLane(safeText(agentId), attempts), ...counts].join(', '))
}
