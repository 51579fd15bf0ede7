import { memo } from 'react'
import { Gauge } from '../../../components/Gauge.tsx'
import { useRows } from '../panes/context.ts'
import { gaugeLines } from './state.ts'

/** The measurements below the footer, while they are shown. */
export const GaugeLines = memo(({ width }: { readonly width: number }) => <Gauge lines={useRows((state) => gaugeLines(state, width))} />)
GaugeLines.displayName = 'GaugeLines'
