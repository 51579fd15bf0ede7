import { Box } from 'ink'
import type { ReactNode } from 'react'
import { BURN_AXIS, BurnDown } from '../../../../components/BurnDown.tsx'
import { Frame, type Section } from '../../../../components/Frame.tsx'
import { Gantt } from '../../../../components/Gantt.tsx'
import { Lines } from '../../../../components/Lines.tsx'
import { SPARK_LABEL, SPARK_NOTE, Sparkline } from '../../../../components/Sparkline.tsx'
import { burnLine, inColumns, roundUp, stepWords, sum } from '../../../domain/session/plots.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import type { SessionReport } from '../../../operations/sessions/report.ts'
import { commonText, counts } from '../../../text/common.ts'
import { plotText } from '../../../text/history.ts'
import type { ConsoleState } from '../../core/state.ts'
import { lanesThatFit, plotLayout, type PlotLayout, type PlotsOverlay } from './plots.ts'
import { axisLine, cellsOf, halves, saidLane, seriesOf } from './series.ts'

/** The plots over the panes, as many of them as fit. */
export const PlotsView = ({
  state,
  overlay,
  columns,
  taken,
}: {
  state: ConsoleState
  overlay: PlotsOverlay
  columns: number
  taken: number
}) => {
  const { report, plain } = state.plots
  if (!report)
    return (
      <Nothing
        text={state.board.session ? commonText.reading : plotText.noSession}
        columns={columns}
        height={taken - 2}
      />
    )
  const layout = plotLayout(columns, taken, overlay.part)
  const side = layout.as === 'beside' ? Math.floor(columns / 2) : columns
  const sections = sectionsOf(report, plain, layout, overlay, {
    left: side,
    right: layout.as === 'beside' ? columns - side : columns,
  })
  if (layout.as === 'one')
    return (
      <Frame
        width={columns}
        sections={[{ ...sections[layout.part === 'all' ? 'rates' : layout.part], focused: true }]}
      />
    )
  if (layout.as === 'stacked') return <Frame width={columns} sections={Object.values(sections)} />
  return (
    <Box>
      <Frame width={side} sections={[sections.rates, sections['burn-down']]} />
      <Frame width={columns - side} sections={[sections.lanes]} />
    </Box>
  )
}

/** The sections of the plots; the lanes are on the right where two columns fit. */
const sectionsOf = (
  report: SessionReport,
  plain: boolean,
  layout: PlotLayout,
  overlay: PlotsOverlay,
  columns: { left: number; right: number },
) => {
  const [left, right] = [columns.left - 2, columns.right - 2]
  return {
    rates: section(
      plotText.rates(stepWords(report.span.step)),
      ratesNote(report),
      layout.rates,
      <Rates report={report} plain={plain} width={left} height={layout.rates} />,
    ),
    'burn-down': section(
      plotText.burnDown,
      burnNote(report),
      layout.burnDown,
      <Burn report={report} plain={plain} width={left} height={layout.burnDown} />,
    ),
    lanes: section(
      plotText.lanes,
      lanesNote(report, overlay, layout),
      layout.lanes,
      <Lanes report={report} plain={plain} width={right} height={layout.lanes} top={overlay.top} />,
    ),
  }
}

const section = (title: string, note: SafeText, height: number, body: ReactNode): Section => ({
  key: title,
  title: ours(title),
  note,
  focused: false,
  height,
  body,
})

const Nothing = ({ text, columns, height }: { text: string; columns: number; height: number }) => (
  <Frame
    width={columns}
    sections={[section(plotText.title, ours(''), Math.max(1, height), <Lines lines={[{ text: ours(text) }]} />)]}
  />
)

interface PlotProps {
  readonly report: SessionReport
  readonly plain: boolean
  /** Columns and lines inside the border. */
  readonly width: number
  readonly height: number
}

const ratesNote = ({ session, attempts }: SessionReport): SafeText =>
  ours(plotText.ended(safeText(session.id), sum(attempts.completed) + sum(attempts.failed) + sum(attempts.stopped)))

const Rates = ({ report, plain, width, height }: PlotProps) => {
  const all = seriesOf(report)
  // The line of times is shown once each plot has several lines.
  const lines = Math.floor((height - 1) / all.length)
  const tall = lines >= 2
  // A series without values has nothing to draw: its lines are those of the others.
  const drawnOnes = all.filter(({ values }) => values.some((value) => value > 0)).length
  const heightOf = (values: readonly number[]): number => {
    if (!tall || values.every((value) => value === 0)) return 1
    return Math.floor((height - 1 - (all.length - drawnOnes)) / drawnOnes)
  }
  const across = tall ? width - 2 : width - SPARK_LABEL - SPARK_NOTE
  return (
    <Box flexDirection="column">
      {all.slice(0, tall ? all.length : height - 1).map(({ label, note, short, values, write, colour }) => {
        const drawn = inColumns(values, across)
        const most = roundUp(Math.max(...drawn))
        return (
          <Sparkline
            key={label}
            label={label}
            note={tall ? note : short}
            values={drawn}
            most={most}
            mostWords={ours(write(most))}
            width={width}
            height={heightOf(values)}
            beside={!tall}
            colour={colour}
            plain={plain}
          />
        )
      })}
      <Lines
        lines={[
          {
            text: ours(`${' '.repeat(tall ? 0 : SPARK_LABEL - 1)}${axisLine(report.span, across, 'buckets')}`),
            dim: true,
          },
        ]}
      />
    </Box>
  )
}

const burnNote = ({ tasks }: SessionReport): SafeText =>
  ours(plotText.burnNote(tasks.open.at(-1), sum(tasks.created), sum(tasks.closed)))

const Burn = ({ report, plain, width, height }: PlotProps) => {
  const across = Math.max(1, width - BURN_AXIS - 1)
  const open = burnLine(report.tasks.open, report.tasks.created)
  return (
    <BurnDown
      open={halves(open, across * (plain ? 1 : 2))}
      most={roundUp(Math.max(...open))}
      axis={axisLine(report.span, across, 'buckets')}
      height={height}
      plain={plain}
    />
  )
}

const lanesNote = ({ lanes }: SessionReport, { top }: PlotsOverlay, layout: PlotLayout): SafeText => {
  const fits = lanesThatFit(layout)
  const first = Math.min(top, Math.max(0, lanes.length - fits))
  return ours(
    lanes.length > fits
      ? plotText.agentsSeen(first + 1, Math.min(lanes.length, first + fits), lanes.length)
      : counts.agents(lanes.length),
  )
}

const Lanes = ({ report, plain, width, height, top }: PlotProps & { readonly top: number }) => {
  const fits = Math.max(1, height - 2)
  const first = Math.max(0, Math.min(top, report.lanes.length - fits))
  const nameWidth = Math.min(24, Math.floor(width / 3))
  const across = Math.max(1, width - nameWidth - 1)
  const { agents, attempts } = report.leftOut
  const left = [
    ...(agents > 0 ? [counts.agents(agents)] : []),
    ...(attempts > 0 ? [counts.attempts(attempts)] : []),
  ].join(', ')
  const lanes = report.lanes
    .slice(first, first + fits)
    .map((lane) => ({ name: safeText(lane.agentId), cells: cellsOf(report.span, lane, across), said: saidLane(lane) }))
  return (
    <Gantt
      lanes={lanes}
      nameWidth={nameWidth}
      axis={axisLine(report.span, across, 'exact')}
      note={ours(left === '' ? '' : plotText.leftOut(left))}
      plain={plain}
    />
  )
}
