import { Box } from 'ink'
import { type ComponentType, memo } from 'react'
import { Approval, Sheet } from '../../../components/Sheet.tsx'
import { ours } from '../../domain/words/safe-text.ts'
import { goneText } from '../../text/panes.ts'
import { type Box as ViewBox, contentOf, frontOf, sheetOfLines, stayingIn, viewOf } from '../core/overlays.ts'
import type { DrawingProps } from '../core/registry.ts'
import type { Overlay } from '../core/state.ts'
import { answerOf } from '../keys/help.ts'
import { useConsole } from '../panes/context.ts'
import { ConfirmView } from '../views/confirm/ConfirmView.tsx'
import { FormView } from '../views/form/FormView.tsx'
import { InboxView } from '../views/inbox/InboxView.tsx'
import type { views } from '../views/index.ts'
import { MemoryView } from '../views/memory/MemoryView.tsx'
import { PaletteView } from '../views/palette/PaletteView.tsx'
import { PastView } from '../views/past/PastView.tsx'
import { PlotsView } from '../views/plots/PlotsView.tsx'
import { ReviewView } from '../views/review/ReviewView.tsx'

/** The view over the panes in its box, and above it the view that stays visible in the rest of the body. */
export const Overlays = memo(({ box, body }: { readonly box: ViewBox; readonly body: number }) => {
  const state = useConsole((all) => all)
  const front = frontOf(state, state.view.overlay)
  if (front === null) return null
  const staying = stayingIn(state, front)
  const { columns, lines, top } = box
  if (!staying || front === staying) return <Front state={state} overlay={front} columns={columns} taken={lines} />
  return (
    <Box flexDirection="column" height={body}>
      {top > 0 ? <Front state={state} overlay={staying} columns={columns} taken={top} /> : null}
      {lines === 0 ? null : <Front state={state} overlay={front} columns={columns} taken={lines} />}
    </Box>
  )
})
Overlays.displayName = 'Overlays'

const Front = (props: DrawingProps<Overlay>) => {
  const { state, overlay, columns, taken } = props
  const Drawing = drawingOf(overlay)
  if (Drawing) return <Drawing {...props} />
  const { window } = viewOf(state, overlay)
  const height = Math.max(1, taken - 2)
  const seen = window?.(state, overlay, height)
  return seen ? <Sheet {...seen} width={columns} height={height} /> : <Read {...props} />
}

/** Lines to scroll, and below them the effects of the keys. */
const Read = ({ state, overlay, columns, taken }: DrawingProps<Overlay>) => {
  const answer = answerOf(state, overlay)
  const sheet = contentOf(state, overlay) ?? sheetOfLines(ours(goneText.title), [{ text: ours(goneText.says) }])
  const height = Math.max(1, taken - 2 - (answer ? 1 : 0))
  const top = Math.max(0, Math.min('top' in overlay ? overlay.top : 0, sheet.total - height))
  const lines = Array.from({ length: Math.min(height, sheet.total - top) }, (_, index) => sheet.line(top + index))
  const props = { title: sheet.title, lines, top, total: sheet.total, width: columns, height }
  return answer ? <Approval {...props} ready={answer.ready} answer={answer.line} /> : <Sheet {...props} />
}

/** The views with their own components. They are separate, because the console's logic is independent of React. */
type Drawn = Extract<(typeof views)[number], { readonly drawn: true }>['kind']

const drawings: { readonly [Kind in Drawn]: ComponentType<DrawingProps<Extract<Overlay, { readonly kind: Kind }>>> } = {
  approval: ReviewView,
  confirm: ConfirmView,
  form: FormView,
  inbox: InboxView,
  memory: MemoryView,
  palette: PaletteView,
  past: PastView,
  plots: PlotsView,
}

/** The component of the front view, if it has one. */
const drawingOf = (overlay: Overlay): ComponentType<DrawingProps<Overlay>> | undefined =>
  (drawings as Readonly<Record<string, ComponentType<DrawingProps<never>>>>)[overlay.kind] as
    ComponentType<DrawingProps<Overlay>> | undefined
