import { modeText } from '../../../text/keys.ts'
import { by, type DrawnView } from '../../core/registry.ts'
import { open } from '../../core/overlays.ts'
import { startPlotFeed } from './feed.ts'
import { moveLanes, noPlots, type PlotContents, plotsOverlay, type PlotsOverlay, turnPlots } from './plots.ts'

// prettier-ignore
export const plots: DrawnView<PlotsOverlay, { readonly plots: PlotContents }> = {
  kind: 'plots',
  title: modeText.plots,
  manner: 'reading',
  opens: [{ id: 'plots', keys: ['P'], shown: 'P', press: by(open(plotsOverlay)) }],
  keys: [
    { id: 'next-plot', keys: ['tab', 'right', 'l'], shown: 'tab', footer: true, press: by(turnPlots(1)) },
    { id: 'previous-plot', keys: ['shift-tab', 'left', 'h'], shown: 'shift-tab', press: by(turnPlots(-1)) },
  ],
  empty: { plots: noPlots },
  feed: startPlotFeed,
  drawn: true,
  scroll: moveLanes,
  click: null,
}
