import { type ReactNode, useContext } from 'react'
import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { cut, widthOf } from './base/fit.ts'
import { Paint } from './base/Paint.tsx'
import { type Theme, ThemeInUse } from './base/theme.ts'

export interface Section {
  readonly key: string
  readonly title: SafeText
  /** At the right end of the title line. */
  readonly note?: SafeText
  readonly focused: boolean
  /** Lines inside. */
  readonly height: number
  readonly body: ReactNode
}

/**
 * Panes one below the other in one border, with their titles in its lines. The focused title is bold and in brackets.
 */
export const Frame = ({ sections, width }: { readonly sections: readonly Section[]; readonly width: number }) => {
  const border = borderIn(useContext(ThemeInUse))
  return (
    <Box flexDirection="column" width={width} flexShrink={0}>
      {sections.map(({ key, height, body, ...title }, index) => (
        <Box key={key} flexDirection="column" flexShrink={0}>
          <TitleLine {...title} width={width} first={index === 0} />
          <Box
            borderStyle="round"
            borderTop={false}
            borderBottom={false}
            {...border}
            width={width}
            height={height}
            flexDirection="column"
            overflow="hidden"
          >
            {body}
          </Box>
        </Box>
      ))}
      <Paint dim hidden>{`╰${'─'.repeat(Math.max(0, width - 2))}╯`}</Paint>
    </Box>
  )
}

/** The side borders are dimmed like the title lines. */
const borderIn = ({ dim }: Theme) =>
  typeof dim === 'object' ? { borderColor: dim.colour } : { borderDimColor: dim === 'faint' }

/** The fewest columns in which a long note is still understandable. */
const LEAST = 16

const TitleLine = ({
  title,
  note = ours(''),
  focused,
  width,
  first,
}: Omit<Section, 'key' | 'height' | 'body'> & { width: number; first: boolean }) => {
  const name = cut(title, Math.max(0, width - 6))
  const room = width - 5 - widthOf(name)
  // A truncated short note, such as `1–9 of 646`, would be wrong.
  const end = note === '' || (widthOf(note) > room - 3 && room < 3 + LEAST) ? '' : ` ${cut(note, room - 3)} `
  const line = '─'.repeat(Math.max(0, room - widthOf(end)))
  return (
    <Paint label={note === '' ? title : `${title}, ${note}`}>
      <Paint dim>{first ? '╭' : '├'}</Paint>
      <Paint bold={focused} colour={focused ? 'cyan' : undefined}>
        {focused ? `[${name}]` : ` ${name} `}
      </Paint>
      <Paint dim>{line}</Paint>
      <Paint>{end}</Paint>
      <Paint dim>{first ? '─╮' : '─┤'}</Paint>
    </Paint>
  )
}
