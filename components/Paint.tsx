import { createContext, type ReactNode, useContext } from 'react'
import { Text } from 'ink'

/** False where `NO_COLOR` asks for none; weight and marks stay. */
export const Colours = createContext(true)

export interface PaintProps {
  readonly children?: ReactNode
  readonly colour?: string | undefined
  readonly dim?: boolean | undefined
  readonly bold?: boolean | undefined
  readonly inverse?: boolean | undefined
  readonly label?: string
  readonly hidden?: boolean
}

/** The only place that colours text. One line, cut at the edge of its box. */
export const Paint = ({ children, colour, dim = false, bold = false, inverse = false, label, hidden = false }: PaintProps) => {
  const coloured = useContext(Colours)
  return (
    <Text
      {...(coloured && colour !== undefined ? { color: colour } : {})}
      {...(label === undefined ? {} : { 'aria-label': label })}
      aria-hidden={hidden}
      dimColor={dim}
      bold={bold}
      inverse={inverse}
      wrap="truncate-end"
    >
      {children}
    </Text>
  )
}
