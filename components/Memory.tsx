import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { Frame } from './Frame.tsx'
import { type Line, Lines } from './Lines.tsx'
import { Paint } from './base/Paint.tsx'
import { memoryText } from '../src/text/memory.ts'
import { rangeText, shownTab } from '../src/text/panes.ts'

export interface MemoryProps {
  readonly tabs: readonly { readonly name: SafeText; readonly shown: boolean }[]
  /** The searched words and the number of results; null while a tab is shown. */
  readonly sought: SafeText | null
  /** Only visible rows. */
  readonly rows: readonly Line[]
  /** The index of the first visible row, and the number of all rows. */
  readonly top: number
  readonly total: number
  /** Shown if there are no rows. */
  readonly empty: SafeText
  readonly width: number
  /** Lines inside the border, including that of the tabs. */
  readonly height: number
}

/** The memories, one tab each, or the results of a search in all of them. */
export const Memory = ({ tabs, sought, rows, top, total, empty, width, height }: MemoryProps) => {
  const fit = height - 1
  const note = total > fit ? ours(rangeText(top + 1, Math.min(total, top + fit), total)) : ours('')
  return (
    <Frame
      width={width}
      sections={[
        {
          key: 'memory',
          title: ours(memoryText.title),
          note,
          focused: true,
          height,
          body: (
            <Box flexDirection="column">
              {sought === null ? <Tabs tabs={tabs} /> : <Paint bold colour="cyan">{` ${sought}`}</Paint>}
              {total === 0 ? <Paint dim>{`  ${empty}`}</Paint> : <Lines lines={rows} />}
            </Box>
          ),
        },
      ]}
    />
  )
}

const Tabs = ({ tabs }: Pick<MemoryProps, 'tabs'>) => (
  <Paint label={tabs.map(({ name, shown }) => (shown ? shownTab(name) : name)).join(', ')}>
    {tabs.map(({ name, shown }, index) => (
      <Paint key={name} bold={shown} dim={!shown} colour={shown ? 'cyan' : undefined}>
        {shown ? `[${index + 1} ${name}]` : ` ${index + 1} ${name} `}
      </Paint>
    ))}
  </Paint>
)
