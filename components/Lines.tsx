import { type ReactNode, useContext } from 'react'
import { Box, useIsScreenReaderEnabled } from 'ink'
import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { type Code, codeColours, type Marks, paintedCode } from './base/code.ts'
import { Paint } from './base/Paint.tsx'
import { type ColourName, ThemeInUse } from './base/theme.ts'
import { inWords, spokenText } from '../src/text/screen-reader.ts'

/** A line of a view that can be scrolled. */
export interface Line {
  readonly text: SafeText
  readonly colour?: ColourName | undefined
  readonly bold?: boolean
  readonly dim?: boolean
  /** Dark on its colour: the brightest of a page. */
  readonly inverse?: boolean
  /** Precedes the text without being part of it, such as a number. */
  readonly lead?: SafeText
  /** Highlighted parts of the text: from (inclusive) and to (exclusive). */
  readonly marks?: Marks
  /** True if the cursor is on it. */
  readonly cursor?: boolean
  /** True for foreign text, which is read aloud unchanged. */
  readonly theirs?: boolean
  /** The same as code: one version of a line, or both beside each other. */
  readonly code?: readonly Code[]
}

/** The visible lines, from the top. */
export const Lines = ({ lines }: { readonly lines: readonly Line[] }) => (
  <Box flexDirection="column">
    {lines.map((line, index) => (
      <LineOf key={index} {...line} />
    ))}
  </Box>
)

const LineOf = ({ text, lead, marks = [], cursor = false, theirs = false, code, ...paint }: Line) => {
  const { foreign, diff } = useContext(ThemeInUse)
  const coloured = foreign === 'kept'
  const spoken = useIsScreenReaderEnabled()
  if (spoken && theirs)
    return (
      <Paint
        asWritten
      >{`${cursor ? spokenText.selected : ''}${lead === undefined ? '' : `${inWords(lead)} `}${coloured ? text : text.replace(sgr, '')}`}</Paint>
    )
  // An empty line takes a row too.
  if (lead === undefined && !cursor) return <Paint {...paint}>{` ${coloured ? text : text.replace(sgr, '')}`}</Paint>
  const colours = code ? codeColours(diff) : null
  return (
    <Paint {...(code ? {} : paint)} bold={cursor || paint.bold}>
      <Paint colour="cyan" bold label={cursor ? spokenText.selected : ''}>
        {cursor ? '▸' : ' '}
      </Paint>
      {code === undefined
        ? [lead, ...marked(text, marks)]
        : code.map((one, n) => (colours ? paintedCode(colours, one) : plainCode(one, n, code.length)))}
    </Paint>
  )
}

/** A line of code in one colour; beside another one it fills its half. */
const plainCode = (
  { before = ours(''), lead, text, marks, change, blanks }: Code,
  key: number,
  of: number,
): ReactNode => [
  before,
  <Paint key={`code ${key}`} colour={change === null ? undefined : change === 'added' ? 'green' : 'red'}>
    {[lead, ...marked(text, marks), key + 1 < of ? ' '.repeat(Math.max(0, blanks)) : '']}
  </Paint>,
]

const marked = (text: string, marks: Marks): readonly ReactNode[] =>
  partsOf(text, marks).map(([part, isMarked], n) =>
    isMarked ? (
      <Paint key={n} inverse>
        {part}
      </Paint>
    ) : (
      part
    ),
  )

/** Splits a text into highlighted and other parts. */
const partsOf = (text: string, marks: Marks): readonly (readonly [string, boolean])[] => {
  const parts: [string, boolean][] = []
  let at = 0
  for (const [from, to] of marks) {
    parts.push([text.slice(at, from), false], [text.slice(from, to), true])
    at = to
  }
  return [...parts, [text.slice(at), false]]
}

// oxlint-disable-next-line no-control-regex -- colour sequences are what is taken out
const sgr = /\u001b\[[0-9;:]*m/g
