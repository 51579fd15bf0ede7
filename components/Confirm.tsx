import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { Frame } from './Frame.tsx'
import { Paint } from './base/Paint.tsx'
import { confirmText } from '../src/text/panes.ts'

export interface ConfirmProps {
  /** The exact effects, one per line. */
  readonly lines: readonly SafeText[]
  /** The effects of the keys. */
  readonly answers: SafeText
  readonly width: number
  /** Lines inside the border. */
  readonly height: number
}

/** Asks before an irreversible action. Only `y` confirms. If not everything fits, it says so. */
export const Confirm = ({ lines, answers, width, height }: ConfirmProps) => {
  const hidden = lines.length + 1 > height ? lines.length - Math.max(0, height - 2) : 0
  return (
    <Frame
      width={width}
      sections={[
        {
          key: 'confirm',
          title: ours(confirmText.title),
          focused: true,
          height: Math.min(height, lines.length + 1),
          body: (
            <Box flexDirection="column">
              {lines.slice(0, lines.length - hidden).map((line, index) => (
                <Paint key={index} bold={index === 0}>{` ${line}`}</Paint>
              ))}
              {hidden > 0 ? <Paint colour="yellow">{` ${confirmText.hidden(hidden)}`}</Paint> : ''}
              <Paint colour="yellow">{` ${answers}`}</Paint>
            </Box>
          ),
        },
      ]}
    />
  )
}
