import { dollars, tokenWords } from '../../domain/budget/budget.ts'
import { stepWords, sum } from '../../domain/session/plots.ts'
import { bucketStarts } from '../../domain/session/span.ts'
import { countOf } from '../../domain/words/counts.ts'
import { clockTime, duration, elapsed, type Instant } from '../../domain/words/time.ts'
import type { SessionReport } from '../../operations/sessions/report.ts'
import { markup, Markup } from './markup.ts'
import { aboutSeries, barPlot, burnPlot, endingWords, laneKey, lanePlot } from './plots.ts'

/** The report as one self-contained page: without scripts, fonts or pictures from elsewhere. */
export const reportPage = (report: SessionReport): string => {
  const { session, span } = report
  const heading = session.goal ?? session.id
  return markup`${new Markup('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${session.id}: report</title>
<style>${new Markup(style)}</style>
</head>
<body>
<header>
<h1>${heading}</h1>
<p class="soft">${session.goal === null ? 'Session' : session.id}, ${session.status}. ${dayAndTime(span.from)} to ${dayAndTime(span.to)}${session.endedAt === null ? ', still running' : ''}; ${duration(elapsed(span.from, span.to))}. Times are in ${zone()}; one bar covers ${stepWords(span.step)}.</p>
${facts(report)}
</header>
<main>
${ratePlots(report)}
${burnDownPlot(report)}
${lanesPlot(report)}
</main>
</body>
</html>
`.text
}

const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const dayAndTime = (at: Instant): string => {
  const date = new Date(at)
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')} ${clockTime(at)}`
}

const facts = ({ attempts, integrated, usage, tasks }: SessionReport): Markup => {
  const rows: readonly (readonly [string, string])[] = [
    ['Attempts completed', String(sum(attempts.completed))],
    ['Attempts failed', String(sum(attempts.failed))],
    ['Stopped or cancelled', String(sum(attempts.stopped))],
    ['Worktrees integrated', String(sum(integrated))],
    ['Tasks open at the end', String(tasks.open.at(-1))],
    ['Tokens in and out', `${tokenWords(sum(usage.tokensIn))} + ${tokenWords(sum(usage.tokensOut))}`],
    ['Cost', costOf(usage)],
  ]
  return markup`<dl>${rows.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** An unknown part of the cost is stated, not estimated. */
const costOf = ({ costUsd, tokensUnpriced }: SessionReport['usage']): string =>
  costUsd === null
    ? 'not reported'
    : `${dollars(sum(costUsd))}${sum(tokensUnpriced) === 0 ? '' : `, without the price of ${tokenWords(sum(tokensUnpriced))} tokens`}`

const ratePlots = (report: SessionReport): Markup[] => {
  const { attempts, usage } = report
  const tokens = usage.tokensIn.map((n, at) => n + usage.tokensOut[at]!)
  return [
    rates(report, 'completed', 'Throughput: attempts completed', attempts.completed, 'done', String),
    rates(report, 'failed', 'Failures: attempts failed or lost', attempts.failed, 'bad', String),
    rates(report, 'tokens', 'Tokens, in and out', tokens, 'plain', tokenWords, whenTold),
    ...(usage.costUsd === null
      ? []
      : [rates(report, 'cost', 'Cost in US dollars', usage.costUsd, 'plain', dollars, withTokens)]),
  ]
}

/** Most CLIs report their tokens while they run, and the price at the end. */
const whenTold = '; drawn where agents reported them'
const withTokens = '; the cost of a run is drawn where its tokens are'

const rates = (
  { span }: SessionReport,
  id: string,
  title: string,
  values: readonly number[],
  look: 'done' | 'bad' | 'plain',
  write: (value: number) => string,
  remark = '',
): Markup => {
  const starts = bucketStarts(span)
  const hours = Math.max(elapsed(span.from, span.to), 60_000) / 3_600_000
  return markup`<figure id="${id}"><figcaption><h2>${title}</h2><p class="soft">${write(sum(values))} in total, ${write(perHour(sum(values) / hours))} per hour${remark}</p></figcaption>
${barPlot({ id, title, about: aboutSeries(span, values, write) }, span, values, look, write)}
${numbers(
  title,
  ['from', title],
  values.map((value, at) => [dayAndTime(starts[at]!), value]),
)}
</figure>`
}

const perHour = (value: number): number => (value < 10 ? Math.round(value * 10_000) / 10_000 : Math.round(value))

const burnDownPlot = ({ span, tasks }: SessionReport): Markup => {
  const title = 'Burn-down: open tasks'
  const starts = bucketStarts(span)
  const about = `From ${tasks.open[0]} to ${tasks.open.at(-1)} open tasks; ${sum(tasks.created)} created and ${sum(tasks.closed)} closed.`
  return markup`<figure id="burn-down" class="wide"><figcaption><h2>${title}</h2><p class="soft">${about}</p></figcaption>
${burnPlot({ id: 'burn', title, about }, span, tasks.open)}
${numbers(
  title,
  ['from', 'created', 'closed', 'open at the end'],
  starts.map((at, n) => [dayAndTime(at), tasks.created[n]!, tasks.closed[n]!, tasks.open[n + 1]!]),
  (row) => row[1] === 0 && row[2] === 0,
)}
</figure>`
}

const lanesPlot = ({ span, lanes, leftOut }: SessionReport): Markup => {
  const title = 'Attempts of each agent'
  const drawn = sum(lanes.map((lane) => lane.spans.length))
  const left = [
    ...(leftOut.agents > 0 ? [`${countOf(leftOut.agents, 'agent')} with fewer attempts`] : []),
    ...(leftOut.attempts > 0 ? [`${countOf(leftOut.attempts, 'attempt')} in total`] : []),
  ].join(', ')
  const about = `${countOf(drawn, 'attempt')} of ${countOf(lanes.length, 'agent')}${left === '' ? '' : `. Left out: ${left}`}.`
  const rows = lanes.flatMap((lane) =>
    lane.spans.map((one) => [
      lane.agentId,
      `${one.taskId}/${one.attempt}`,
      one.title,
      dayAndTime(one.from),
      one.to === null ? '–' : dayAndTime(one.to),
      endingWords[one.ending],
    ]),
  )
  return markup`<figure id="lanes" class="wide"><figcaption><h2>${title}</h2><p class="soft">${about}</p></figcaption>
${laneKey()}
${lanePlot({ id: 'lane', title, about }, span, lanes)}
${numbers(title, ['agent', 'attempt', 'task', 'from', 'to', 'ended'], rows)}
</figure>`
}

type Row = readonly (string | number)[]

const hasNothing = ([, ...rest]: Row): boolean => rest.every((cell) => cell === 0)

/** The numbers of every plot as a table. In print, rows for stretches without events are omitted (`isQuiet`). */
const numbers = (title: string, heads: readonly string[], rows: readonly Row[], isQuiet = hasNothing): Markup =>
  markup`<details><summary>Numbers</summary><div class="scroll" tabindex="0" role="region" aria-label="${title}, as numbers"><table><thead><tr>${heads.map((head, at) => markup`<th scope="col"${classOf(rows[0]?.[at])}>${head}</th>`)}</tr></thead><tbody>${rows.map(
    (
      row,
    ) => markup`<tr${new Markup(isQuiet(row) ? ' class="quiet"' : '')}>${row.map((cell) => markup`<td${classOf(cell)}>${cell}</td>`)}</tr>
`,
  )}</tbody></table></div></details>`

const classOf = (cell: string | number | undefined): Markup =>
  new Markup(typeof cell === 'number' ? ' class="number"' : '')

/** The style sheet of the page: light or dark by the reader's preference, and without backgrounds in print. */
const style = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6470; --line: #d5dae0; --paper: #ffffff; --card: #f6f8fa; --done: #1a7f4b; --bad: #b3261e; --stop: #6b7280; --work: #0b62b8; --plain: #4b5fc0 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #a2acb8; --line: #3a424c; --paper: #14181d; --card: #1c2229; --done: #4fc08d; --bad: #ff8a80; --stop: #9aa4b0; --work: #6cb2f5; --plain: #98a6f5 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 3rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem }
h2 { font-size: 1.05rem; margin: 0 }
p { margin: .25rem 0 }
.soft { color: var(--soft); font-size: .9rem }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: .75rem; margin: 1rem 0 1.5rem; padding: 0 }
dl div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem }
dt { color: var(--soft); font-size: .85rem }
dd { margin: 0; font-size: 1.2rem; font-variant-numeric: tabular-nums }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem }
figure { margin: 0; min-width: 0; border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; break-inside: avoid }
figure.wide { grid-column: 1 / -1; break-inside: auto }
svg { display: block; width: 100%; margin-top: .5rem; overflow: visible }
svg text { fill: var(--soft); font-size: 12px; font-family: system-ui, sans-serif; font-variant-numeric: tabular-nums }
svg .name { fill: var(--ink) }
svg .axis { stroke: var(--line) }
svg .done { fill: var(--done) } svg .bad { fill: var(--bad) } svg .plain { fill: var(--plain) }
svg .open { fill: var(--plain); fill-opacity: .25; shape-rendering: crispEdges } svg .edge { stroke: var(--plain); stroke-width: 2 }
svg .completed { fill: var(--done) } svg .failed { fill: url(#hatched); stroke: var(--bad) } svg .stopped { fill: none; stroke: var(--stop); stroke-dasharray: 3 2 } svg .working { fill: var(--work); fill-opacity: .3; stroke: var(--work) }
#hatched rect { fill: var(--paper) } #hatched path { stroke: var(--bad); stroke-width: 2 }
.key { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: .5rem 0 0; padding: 0; font-size: .9rem }
.key svg { display: inline-block; width: 24px; height: 12px; margin: 0 .4rem 0 0; vertical-align: -1px }
details { margin-top: .5rem; font-size: .9rem }
summary { cursor: pointer; color: var(--soft) }
.scroll { max-height: 24rem; overflow: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .15rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top }
th { background: var(--paper); position: sticky; top: 0 }
td.number, th.number { text-align: right; white-space: nowrap }
.time { white-space: nowrap }
@media print { body { max-width: none; padding: 0; font-size: .8rem } .scroll { max-height: none; overflow: visible } details::details-content { content-visibility: visible; block-size: auto } tr.quiet { display: none } th { position: static } * { print-color-adjust: exact; -webkit-print-color-adjust: exact } }
`
