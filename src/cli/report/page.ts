import { dollars, tokenWords } from '../../domain/budget/budget.ts'
import { stepWords, sum } from '../../domain/session/plots.ts'
import { bucketStarts } from '../../domain/session/span.ts'
import { countOf } from '../../domain/words/counts.ts'
import { clockTime, duration, elapsed, type Instant } from '../../domain/words/time.ts'
import type { SessionReport } from '../../operations/sessions/session-report.ts'
import { Markup, markup } from './markup.ts'
import { aboutSeries, barPlot, burnPlot, endingWords, laneKey, lanePlot } from './plots.ts'
import { style } from './style.ts'
import { numbers } from './number-table.ts'

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
