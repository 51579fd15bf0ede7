import { type ReactNode } from 'react'
import { Box } from 'ink'
import { ours, type SafeText } from '../../../domain/words/safe-text.ts'
import { stepWords } from '../../../domain/session/plots.ts'
import { Frame, type Section } from '../../../../components/Frame.tsx'
import { Lines } from '../../../../components/Lines.tsx'
import type { SessionReport } from '../../../operations/sessions/report.ts'
import type { ConsoleState } from '../../core/state.ts'
import { Burn, burnNote, Lanes, lanesNote, Rates, ratesNote } from './charts.tsx'
import { type PlotLayout, plotLayout, type PlotsOverlay } from './state.ts'
import { commonText } from '../../../text/common.ts'
import { plotText } from '../../../text/history.ts'

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
