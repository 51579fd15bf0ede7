import { Box } from 'ink'
import type { SafeText } from '../src/domain/safe-text.ts'
import type { Ending } from '../src/domain/series.ts'
import { fit } from './fit.ts'
import { Paint } from './Paint.tsx'
import type { ColourName } from './theme.ts'
import { plotText } from '../src/text/plots.ts'

export interface GanttLane {
  readonly name: SafeText
  /** What each column of the plot shows; null where the agent attempted nothing. */
  readonly cells: readonly (Ending | null)[]
  /** Read aloud in place of the columns. */
  readonly said: SafeText
}

export interface GanttProps {
  /** Only those that are visible. */
  readonly lanes: readonly GanttLane[]
  readonly nameWidth: number
  readonly axis: SafeText
  /** What was left out, if anything; it stands below the marks. */
  readonly note: SafeText
  readonly plain: boolean
}

/** Another mark for each ending, so that they are told apart without colours. */
const marks: Readonly<Record<Ending, { readonly mark: string; readonly plain: string; readonly word: string; readonly colour?: ColourName; readonly dim?: boolean }>> = {
  completed: { mark: '█', plain: '#', word: plotText.endings.completed, colour: 'green' },
  failed: { mark: '✗', plain: 'x', word: plotText.endings.failed, colour: 'red' },
  stopped: { mark: '░', plain: '-', word: plotText.endings.stopped, dim: true },
  working: { mark: '▒', plain: '>', word: plotText.endings.working, colour: 'cyan' },
}

/** A lane for each agent, with its attempts over time. */
export const Gantt = ({ lanes, nameWidth, axis, note, plain }: GanttProps) => (
  <Box flexDirection="column">
    {/* Whoever listens is told the endings with each lane. */}
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

/** Equal neighbours as one piece. */
const runsOf = (cells: readonly (Ending | null)[]): readonly (readonly [Ending | null, number])[] => {
  const runs: [Ending | null, number][] = []
  for (const cell of cells) {
    const last = runs.at(-1)
    if (last && last[0] === cell) last[1]++
    else runs.push([cell, 1])
  }
  return runs
}
