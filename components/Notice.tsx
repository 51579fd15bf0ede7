import { Box } from 'ink'
import type { SafeText } from '../src/domain/safe-text.ts'
import { type Tone, toneLooks } from './look.ts'
import { noticeLines } from './notice-lines.ts'
import { Paint } from './Paint.tsx'

export interface NoticeProps {
  readonly text: SafeText
  readonly tone: Tone
  readonly width?: number
  /** Lines that it may take; what is longer is cut. */
  readonly most?: number
}

/** A receipt, or the sentence of a refusal: all of it, on a narrow screen in more than one line. */
export const Notice = ({ text, tone, width = Infinity, most = 1 }: NoticeProps) => {
  const { mark, colour, word } = toneLooks[tone]
  if (text === '') return <Paint> </Paint>
  return (
    <Box flexDirection="column">
      {noticeLines(text, width, most).map((line, at) => (
        <Paint key={at} colour={colour} hidden={at > 0} label={`${word}: ${text}`}>
          {at === 0 ? ` ${mark} ${line}` : `   ${line}`}
        </Paint>
      ))}
    </Box>
  )
}
