import { Box } from 'ink'
import type { SafeText } from '../src/domain/words/safe-text.ts'
import type { Ending } from '../src/domain/session/plots.ts'
import { fit } from './base/fit.ts'
import { Paint } from './base/Paint.tsx'
import type { ColourName } from './base/theme.ts'
import { plotText } from '../src/text/history.ts'

export interface GanttLane {
  readonly name: SafeText
  /** The outcome in each column of the plot; null if the agent had no attempt. */
  readonly cells: readonly (Ending | null)[]
  /** Read aloud in place of the columns. */
  readonly said: SafeText
}

export interface GanttProps {
  /** Only visible lanes. */
  readonly lanes: readonly GanttLane[]
  readonly nameWidth: number
  readonly axis: SafeText
  /** The number of omitted lanes, if any, below the marks. */
  readonly note: SafeText
  readonly plain: boolean
}

/** Each outcome has another mark, so that they differ without colours. */
const marks: Readonly<
  Record<
    Ending,
    {
      readonly mark: string
      readonly plain: string
      readonly word: string
      readonly colour?: ColourName
      readonly dim?: boolean
    }
  >
> = {
  completed: { mark: '█', plain: '#', word: plotText.endings.completed, colour: 'green' },
  failed: { mark: '✗', plain: 'x', word: plotText.endings.failed, colour: 'red' },
  stopped: { mark: '░', plain: '-', word: plotText.endings.stopped, dim: true },
  working: { mark: '▒', plain: '>', word: plotText.endings.working, colour: 'cyan' },
}

/** A lane for each agent, with its attempts over time. */
export const Gantt = ({ lanes, nameWidth, axis, note, plain }: GanttProps) => (
  <Box flexDirection="column">
    {/* Hidden from screen readers, which read the outcomes with each lane. */}
    <Paint {...(note === '' ? { hidden: true } : { label: note })}>
      {' '}
      {Object.values(marks).map(({ word, mark, plain: ascii, ...paint }) => (
        <Paint key={word} {...paint}>{`${plain ? ascii : mark} ${word}  `}</Paint>
      ))}
      <Paint dim>{note}</Paint>
    </Paint>
    {lanes.map(({ name, cells, said }) => (
      <Paint key={name} label={said}>
        {` ${fit(name, nameWidth - 2)} `}
        {runsOf(cells).map(([ending, length], at) => {
          if (ending === null) return <Paint key={at}>{' '.repeat(length)}</Paint>
          const { mark, plain: ascii, word: _, ...paint } = marks[ending]
          return (
            <Paint key={at} {...paint}>
              {(plain ? ascii : mark).repeat(length)}
            </Paint>
          )
        })}
      </Paint>
    ))}
    <Paint dim hidden>{`${' '.repeat(nameWidth)}${axis}`}</Paint>
  </Box>
)

/** Joins equal neighbours. */
const runsOf = (cells: readonly (Ending | null)[]): readonly (readonly [Ending | null, number])[] => {
  const runs: [Ending | null, number][] = []
  for (const cell of cells) {
    const last = runs.at(-1)
    if (last && last[0] === cell) last[1]++
    else runs.push([cell, 1])
  }
  return runs
}
