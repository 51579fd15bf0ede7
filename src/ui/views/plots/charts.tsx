import { Box } from 'ink'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { burnLine, inColumns, roundUp, sum } from '../../../domain/session/plots.ts'
import { BURN_AXIS, BurnDown } from '../../../../components/BurnDown.tsx'
import { Gantt } from '../../../../components/Gantt.tsx'
import { Lines } from '../../../../components/Lines.tsx'
import { SPARK_LABEL, SPARK_NOTE, Sparkline } from '../../../../components/Sparkline.tsx'
import type { SessionReport } from '../../../operations/sessions/report.ts'
import { axisLine, cellsOf, halves, saidLane, seriesOf } from './rows.ts'
import { lanesThatFit, type PlotLayout, type PlotsOverlay } from './state.ts'
import { counts } from '../../../text/common.ts'
import { plotText } from '../../../text/history.ts'

interface PlotProps {
  readonly report: SessionReport
  readonly plain: boolean
  /** Columns and lines inside the border. */
  readonly width: number
  readonly height: number
}

export const ratesNote = ({ session, attempts }: SessionReport): SafeText =>
  ours(plotText.ended(safeText(session.id), sum(attempts.completed) + sum(attempts.failed) + sum(attempts.stopped)))

export const Rates = ({ report, plain, width, height }: PlotProps) => {
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

export const burnNote = ({ tasks }: SessionReport): SafeText =>
  ours(plotText.burnNote(tasks.open.at(-1), sum(tasks.created), sum(tasks.closed)))

export const Burn = ({ report, plain, width, height }: PlotProps) => {
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

export const lanesNote = ({ lanes }: SessionReport, { top }: PlotsOverlay, layout: PlotLayout): SafeText => {
  const fits = lanesThatFit(layout)
  const first = Math.min(top, Math.max(0, lanes.length - fits))
  return ours(
    lanes.length > fits
      ? plotText.agentsSeen(first + 1, Math.min(lanes.length, first + fits), lanes.length)
      : counts.agents(lanes.length),
  )
}

export const Lanes = ({ report, plain, width, height, top }: PlotProps & { readonly top: number }) => {
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
