import type { ReactNode } from 'react'
import { Box } from 'ink'
import { render } from 'ink-testing-library'
import stringWidth from 'string-width'

/** The lines that a component draws, without colours. */
export const draw = (element: ReactNode, width = 80): string[] =>
  drawRaw(element, width)
    .replace(sgr, '')
    .split('\n')
    .map((line) => line.trimEnd())

/** Like `draw`, with colours. */
export const drawRaw = (element: ReactNode, width = 80): string => {
  const { lastFrame, unmount } = render(
    <Box width={width} flexDirection="column">
      {element}
    </Box>,
  )
  const frame = lastFrame() ?? ''
  unmount()
  return frame
}

export const widest = (lines: readonly string[]): number => Math.max(...lines.map((line) => stringWidth(line)))

// oxlint-disable-next-line no-control-regex -- colour sequences are what is taken out
const sgr = /\u001b\[[0-9;:]*m/g
