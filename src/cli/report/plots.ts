import { axisTime, type Ending, roundUp, shareOf, sum } from '../../domain/session/plots.ts'
import { bucketStarts, type Span } from '../../domain/session/span.ts'
import { duration, elapsed, instant, milliseconds } from '../../domain/words/time.ts'
import type { Lane } from '../../operations/sessions/report.ts'
import { type Markup, markup } from './markup.ts'

// Plots as inline SVG. Horizontal positions are in percent, so that text keeps its size on any screen.

/** The left edge and the width of the plot, in percent. The number of its top is above it. */
const [LEFT, WIDE] = [0, 100]
const TOP = 20

export interface Plot {
  /** The prefix of ids for elements that describe the plot; unique on the page. */
  readonly id: string
  readonly title: string
  /** A description of the plot for readers who cannot see it. */
  readonly about: string
}

/** Bars, one for each bucket. */
export const barPlot = (
  plot: Plot,
  span: Span,
  values: readonly number[],
  look: 'done' | 'bad' | 'plain',
  write: (value: number) => string,
): Markup => {
  const most = roundUp(Math.max(...values))
  const high = 90
  const starts = bucketStarts(span)
  const bars = values.flatMap((value, at) => {
    if (value <= 0) return []
    // A value above zero stays visible, however small it is.
    const height = Math.max(1.5, (value / most) * high)
    const about = `${axisTime(span, starts[at]!)}: ${write(value)}`
    return [
      markup`<rect class="${look}" x="${percent(LEFT + (at / values.length) * WIDE)}%" width="${percent((WIDE / values.length) * 0.86)}%" y="${round(TOP + high - height)}" height="${round(height)}" data-value="${value}"><title>${about}</title></rect>`,
    ]
  })
  return svg(plot, TOP + high + 24, [...axes(high, most, write), ...bars, ...times(span, high, 'buckets')])
}

/** The number of open tasks at the beginning and at the end of every bucket. */
export const burnPlot = (plot: Plot, span: Span, open: readonly number[]): Markup => {
  const most = roundUp(Math.max(...open))
  const high = 160
  const step = WIDE / (open.length - 1)
  const y = (value: number): number => round(TOP + high - (value / most) * high)
  const pieces = open.slice(0, -1).flatMap((from, at) => {
    const [left, to] = [LEFT + at * step, open[at + 1]!]
    return [
      markup`<rect class="open" x="${percent(left)}%" width="${percent(step)}%" y="${y(to)}" height="${round(TOP + high - y(to))}" data-open="${to}"><title>${`${axisTime(span, instant(milliseconds(span.start) + at * span.step))}: ${to} open`}</title></rect>`,
      markup`<line class="edge" x1="${percent(left)}%" x2="${percent(left)}%" y1="${y(from)}" y2="${y(to)}"/><line class="edge" x1="${percent(left)}%" x2="${percent(left + step)}%" y1="${y(to)}" y2="${y(to)}"/>`,
    ]
  })
  return svg(plot, TOP + high + 24, [...axes(high, most, String), ...pieces, ...times(span, high, 'buckets')])
}

const LANE = 34

/** A lane for each agent, a bar for each attempt. The outcomes differ in filling and edge, not only in colour. */
export const lanePlot = (plot: Plot, span: Span, lanes: readonly Lane[]): Markup => {
  const high = Math.max(1, lanes.length) * LANE
  const rows = lanes.map((lane, at) => {
    const y = TOP + at * LANE
    const bars = lane.spans.map(({ from, to, ending, taskId, attempt, title }) => {
      const [left, right] = [shareOf(span, from), shareOf(span, to ?? span.to)]
      const about = `Task ${taskId}, attempt ${attempt}: ${title} (${endingWords[ending]}, ${duration(elapsed(from, to ?? span.to))})`
      return markup`<rect class="${ending}" x="${percent(LEFT + left * WIDE)}%" width="${percent(Math.max(0.25, (right - left) * WIDE))}%" y="${y + 16}" height="12" rx="2" data-attempt="${taskId}/${attempt}"><title>${about}</title></rect>`
    })
    return markup`<g><text class="name" x="${LEFT}%" y="${y + 11}">${cut(lane.agentId)}</text><line class="axis" x1="${LEFT}%" x2="${LEFT + WIDE}%" y1="${y + 30}" y2="${y + 30}"/>${bars}</g>`
  })
  return svg(plot, TOP + high + 24, [hatching, ...rows, ...times(span, high, 'exact')])
}

export const endingWords: Readonly<Record<Ending, string>> = {
  completed: 'completed',
  failed: 'failed',
  stopped: 'stopped or cancelled',
  working: 'in progress',
}

/** The legend of the fillings. */
export const laneKey = (): Markup =>
  markup`<ul class="key">${(Object.keys(endingWords) as Ending[]).map(
    (ending) =>
      markup`<li><svg aria-hidden="true" width="24" height="12"><rect class="${ending}" x="1" y="1" width="22" height="10" rx="2"/></svg>${endingWords[ending]}</li>`,
  )}</ul>`

const hatching = markup`<defs><pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6"/><path d="M-1 1l2-2M0 6l6-6M5 7l2-2"/></pattern></defs>`

const svg = ({ id, title, about }: Plot, height: number, body: readonly Markup[]): Markup =>
  markup`<svg role="img" aria-labelledby="${id}-title ${id}-about" height="${height}"><title id="${id}-title">${title}</title><desc id="${id}-about">${about}</desc>${body}</svg>`

/** The bottom and the top of the vertical axis, the top with its number. */
const axes = (high: number, most: number, write: (value: number) => string): readonly Markup[] => [
  markup`<text x="${LEFT}%" y="${TOP - 6}">${write(most)}</text>`,
  ...[TOP, TOP + high].map(
    (at) => markup`<line class="axis" x1="${LEFT}%" x2="${LEFT + WIDE}%" y1="${at}" y2="${at}"/>`,
  ),
]

/** Three times below a plot that is as wide as all buckets, or exactly as the session. */
const times = (span: Span, high: number, width: 'buckets' | 'exact'): readonly Markup[] => {
  const [from, to] =
    width === 'exact'
      ? [milliseconds(span.from), milliseconds(span.to)]
      : [milliseconds(span.start), milliseconds(span.start) + span.buckets * span.step]
  return [0, 0.5, 1].map((share) => {
    const anchor = share === 0 ? 'start' : share === 1 ? 'end' : 'middle'
    return markup`<text x="${percent(LEFT + share * WIDE)}%" y="${TOP + high + 18}" text-anchor="${anchor}">${axisTime(span, instant(from + share * (to - from)))}</text>`
  })
}

/** A summary of a series for readers who cannot see it. */
export const aboutSeries = (span: Span, values: readonly number[], write: (value: number) => string): string => {
  const most = Math.max(...values)
  if (most <= 0) return 'Nothing.'
  return `${write(sum(values))} in total; maximum at ${axisTime(span, bucketStarts(span)[values.indexOf(most)]!)}: ${write(most)}.`
}

/** A name truncated for a narrow screen; the table has the full name. */
const cut = (name: string): string => (name.length <= 30 ? name : `${name.slice(0, 29)}…`)

const percent = (value: number): number => Math.round(value * 1000) / 1000
const round = (value: number): number => Math.round(value * 100) / 100
