import { Box } from 'ink'
import type { SafeText } from '../src/domain/words/safe-text.ts'
import { type Tone, toneLooks } from './base/look.ts'
import { noticeLines } from './lines/notice.ts'
import { Paint } from './base/Paint.tsx'

export interface NoticeProps {
  readonly text: SafeText
  readonly tone: Tone
  readonly width?: number
  /** The most lines; longer text is truncated. */
  readonly most?: number
}

/** A receipt, or the sentence of a refusal: complete, on a narrow screen in several lines. */
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
