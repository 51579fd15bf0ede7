import { memo, type ReactNode } from 'react'
import { Box } from 'ink'
import { Blank } from '../../../components/Blank.tsx'
import type { Box as ViewBox } from '../core/overlays.ts'
import { useConsole } from '../panes/context.ts'
import { Panes } from '../panes/Panes.tsx'
import { Overlays } from './Overlays.tsx'
import { SpokenPanes } from './SpokenPanes.tsx'

export interface BodyProps {
  readonly columns: number
  readonly rows: number
  readonly height: number
  /** Additional lines of a long notice. */
  readonly noticed: number
  readonly box: ViewBox | null
}

/**
 * The panes, and the view over them. The panes keep their places: a view as wide as the screen leaves the rest of them,
 * a dialog is drawn over them.
 */
export const Body = memo(({ columns, rows, height, noticed, box }: BodyProps) => {
  const spoken = useConsole((state) => state.preferences.spoken)
  const view = box && <Overlays box={box} body={height} />
  if (spoken)
    return (
      <Box height={height} flexDirection="column" overflow="hidden">
        {view ?? <SpokenPanes columns={columns} rows={rows} />}
      </Box>
    )
  const floats = box !== null && box.columns < columns
  const rest = box === null || floats ? height : box.over === 'panes' ? height - box.lines : 0
  const isAbove = box !== null && !floats && box.top === 0
  return (
    <Box height={height} flexDirection="column" overflow="hidden">
      {isAbove ? view : null}
      <Box
        height={rest}
        overflow="hidden"
        flexDirection="column"
        justifyContent={isAbove ? 'flex-end' : 'flex-start'}
        flexShrink={0}
      >
        {rest === 0 ? null : <Panes columns={columns} rows={rows} noticed={noticed} />}
      </Box>
      {floats ? <Floating box={box}>{view}</Floating> : isAbove ? null : view}
    </Box>
  )
})
Body.displayName = 'Body'

/** Blanks below it, because a line that is shorter than the box would show the panes. */
const Floating = ({ box, children }: { readonly box: ViewBox; readonly children: ReactNode }) => (
  <Box position="absolute" top={box.top} left={box.left} width={box.columns} height={box.lines}>
    <Blank columns={box.columns} lines={box.lines} />
    <Box position="absolute">{children}</Box>
  </Box>
)
