import { memo } from 'react'
import { Box } from 'ink'
import { Approval, Sheet } from '../../../components/Sheet.tsx'
import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import { goneText } from '../../text/panes.ts'
import { useConsole } from '../panes/context.ts'
import { answerOf } from '../keys/help.ts'
import { type Box as ViewBox, contentOf, frontOf, sheetOfLines, stayingIn, viewOf } from '../core/overlays.ts'
import type { DrawingProps } from '../core/registry.ts'
import type { ConsoleState, Overlay } from '../core/state.ts'
import { drawingOf } from './drawings.tsx'

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

/** The effects of the keys, in the line below the front view; undefined if there is no such line. */
export const answerBelow = (state: ConsoleState): SafeText | undefined => {
  const { overlay } = state.view
  return overlay === null ? undefined : answerOf(state, overlay)?.line
}
