import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/safe-text.ts'
import { Frame } from './Frame.tsx'
import { Paint } from './Paint.tsx'

export interface ConfirmProps {
  /** What exactly will happen, a line each. */
  readonly lines: readonly SafeText[]
  readonly width: number
}

/** Asks before something that cannot be taken back. Only `y` says yes. */
export const Confirm = ({ lines, width }: ConfirmProps) => (
  <Frame
    width={width}
    sections={[
      {
        key: 'confirm',
        title: ours('Do this?'),
        focused: true,
        height: lines.length + 1,
        body: (
          <Box flexDirection="column">
            {lines.map((line, index) => (
              <Paint key={index} bold={index === 0}>{` ${line}`}</Paint>
            ))}
            <Paint colour="yellow">{' y yes   n no'}</Paint>
          </Box>
        ),
      },
    ]}
  />
)
