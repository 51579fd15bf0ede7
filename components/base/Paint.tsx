import { isValidElement, type ReactNode, useContext } from 'react'
import chalk from 'chalk'
import { Text, useIsScreenReaderEnabled } from 'ink'
import { type ColourName, type Theme, ThemeInUse } from './theme.ts'
import { inWords } from '../../src/text/screen-reader.ts'

export interface PaintProps {
  readonly children?: ReactNode
  readonly colour?: ColourName | undefined
  readonly dim?: boolean | undefined
  readonly bold?: boolean | undefined
  readonly inverse?: boolean | undefined
  readonly label?: string
  readonly hidden?: boolean
  /** True for foreign text: a screen reader reads every character of it. */
  readonly asWritten?: boolean
}

/** The only component that colours text. One line, truncated at the edge of its box. */
export const Paint = ({ children, label, hidden = false, asWritten = false, ...paint }: PaintProps) => {
  const theme = useContext(ThemeInUse)
  const spoken = useIsScreenReaderEnabled()
  const { colour, ...weight } = paintIn(theme, paint)
  const text = textOf(children, theme, spoken)
  const heard = spoken && !asWritten ? (said: string): string => inWords(said) : (said: string): string => said
  return (
    <Text
      {...(colour === undefined ? {} : { color: colour })}
      {...(label === undefined ? {} : { 'aria-label': heard(label) })}
      aria-hidden={hidden}
      {...weight}
      wrap="truncate-end"
    >
      {text === undefined ? children : heard(text)}
    </Text>
  )
}

/**
 * The painted parts of a line as one text for Ink, which would visit a tree of parts in every frame. Undefined if there
 * is more than text.
 */
const textOf = (node: ReactNode, theme: Theme, spoken: boolean): string | undefined => {
  if (typeof node === 'string' || typeof node === 'number') return String(node)
  if (Array.isArray(node)) return joined(node as readonly ReactNode[], theme, spoken)
  if (!isValidElement<PaintProps>(node) || node.type !== Paint) return undefined
  const { children, label, hidden = false, ...paint } = node.props
  if (spoken) return hidden ? '' : (label ?? textOf(children, theme, spoken))
  const text = textOf(children, theme, spoken)
  return text === undefined ? undefined : painted(text, paintIn(theme, paint))
}

const joined = (nodes: readonly ReactNode[], theme: Theme, spoken: boolean): string | undefined => {
  let text = ''
  for (const node of nodes) {
    if (node === null || node === undefined || typeof node === 'boolean') continue
    const part = textOf(node, theme, spoken)
    if (part === undefined) return undefined
    text += part
  }
  return text
}

interface InkPaint {
  readonly colour: string | undefined
  readonly dimColor: boolean
  readonly bold: boolean
  readonly inverse: boolean
}

const paintIn = (
  theme: Theme,
  { colour, dim = false, bold = false, inverse = false }: Pick<PaintProps, 'colour' | 'dim' | 'bold' | 'inverse'>,
): InkPaint => ({
  colour: colourIn(theme, colour, dim),
  dimColor: dim && theme.dim === 'faint',
  bold,
  inverse,
})

/** Paints as Ink does, in its order. */
const painted = (text: string, { colour, dimColor, bold, inverse }: InkPaint): string => {
  let result = dimColor ? chalk.dim(text) : text
  if (colour !== undefined) result = inColour(result, colour)
  if (bold) result = chalk.bold(result)
  return inverse ? chalk.inverse(result) : result
}

const inColour = (text: string, colour: string): string => {
  const number = /^ansi256\((\d+)\)$/.exec(colour)?.[1]
  return number === undefined ? chalk[colour as ColourName](text) : chalk.ansi256(Number(number))(text)
}

/** A text's own colour stays, even if it is dimmed. */
const colourIn = ({ colours, dim: back }: Theme, colour: ColourName | undefined, dim: boolean): string | undefined => {
  if (colours === null) return undefined
  if (colour !== undefined) return colours[colour]
  return dim && typeof back === 'object' ? back.colour : undefined
}
