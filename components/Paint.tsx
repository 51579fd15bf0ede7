import { type ReactNode, useContext } from 'react'
import { Text } from 'ink'
import { type ColourName, type Theme, ThemeInUse } from './theme.ts'

export interface PaintProps {
  readonly children?: ReactNode
  readonly colour?: ColourName | undefined
  readonly dim?: boolean | undefined
  readonly bold?: boolean | undefined
  readonly inverse?: boolean | undefined
  readonly label?: string
  readonly hidden?: boolean
}

/** The only place that colours text. One line, cut at the edge of its box. */
export const Paint = ({ children, colour, dim = false, bold = false, inverse = false, label, hidden = false }: PaintProps) => {
  const theme = useContext(ThemeInUse)
  const painted = colourIn(theme, colour, dim)
  return (
    <Text
      {...(painted === undefined ? {} : { color: painted })}
      {...(label === undefined ? {} : { 'aria-label': label })}
      aria-hidden={hidden}
      dimColor={dim && theme.dim === 'faint'}
      bold={bold}
      inverse={inverse}
      wrap="truncate-end"
    >
      {children}
    </Text>
  )
}

/** A colour of its own stays, also where it stands back. */
const colourIn = ({ colours, dim: back }: Theme, colour: ColourName | undefined, dim: boolean): string | undefined => {
  if (colours === null) return undefined
  if (colour !== undefined) return colours[colour]
  return dim && typeof back === 'object' ? back.colour : undefined
}
