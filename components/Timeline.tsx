import { Box } from 'ink'
import type { SafeText } from '../src/domain/words/safe-text.ts'
import { fit, widthOf } from './base/fit.ts'
import { Paint } from './base/Paint.tsx'
import { pastText } from '../src/text/history.ts'

export interface TimelineProps {
  /** The number of past events, and of all events. */
  readonly at: number
  readonly of: number
  /** The last event, and its time after the first. */
  readonly event: SafeText
  readonly after: SafeText
  readonly playing: boolean
  readonly width: number
}

/** The position in the past: a bar, and the event there. */
export const Timeline = ({ at, of, event, after, playing, width }: TimelineProps) => {
  const count = ` ${at}/${of} ${after}`
  const room = Math.max(4, width - 5 - widthOf(count))
  const place = of === 0 ? 0 : Math.min(room - 1, Math.round((at / of) * (room - 1)))
  return (
    <Box flexDirection="column">
      <Paint label={pastText.bar(playing, at, of, after)}>
        <Paint bold colour="yellow">{` ${playing ? '▶' : '‖'} `}</Paint>
        <Paint colour="yellow">{'━'.repeat(place)}</Paint>
        <Paint bold>●</Paint>
        <Paint dim>{'─'.repeat(room - 1 - place)}</Paint>
        {count}
      </Paint>
      <Paint>{fit(` ${event}`, width)}</Paint>
    </Box>
  )
}
