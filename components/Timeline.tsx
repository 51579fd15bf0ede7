import { Box } from 'ink'
import type { SafeText } from '../src/domain/safe-text.ts'
import { fit, widthOf } from './fit.ts'
import { Paint } from './Paint.tsx'
import { pastText } from '../src/text/past.ts'

export interface TimelineProps {
  /** How many of how many events have happened. */
  readonly at: number
  readonly of: number
  /** The event that happened last, and how long after the first. */
  readonly event: SafeText
  readonly after: SafeText
  readonly playing: boolean
  readonly width: number
}

/** Where in the past one is: a bar, and what happened there. */
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
