import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { Frame } from './Frame.tsx'
import { type Line, Lines } from './Lines.tsx'
import { Paint } from './base/Paint.tsx'
import { inboxText } from '../src/text/inbox.ts'

export interface InboxProps {
  /** Only visible lines; an item has one or two. */
  readonly rows: readonly Line[]
  /** The index of the first visible item, and the numbers of visible, all and marked items. */
  readonly top: number
  readonly shown: number
  readonly total: number
  readonly marked: number
  /** The number of failed tasks that do not fit in the list. */
  readonly unlisted: number
  /** The question of the selected item, as far as it fits, and a note about the remaining lines. */
  readonly asked: readonly Line[]
  readonly cutOff: SafeText
  readonly width: number
  /** Lines inside the list and inside the question; 0 without room for it. */
  readonly list: number
  readonly panel: number
}

/** All inbox items, and the question of the selected one. */
export const Inbox = ({ rows, top, shown, total, marked, unlisted, asked, cutOff, width, list, panel }: InboxProps) => {
  const range = total > shown ? inboxText.range(top + 1, Math.min(total, top + shown), total) : ''
  const note = ours(
    [marked === 0 ? '' : inboxText.marked(marked), unlisted === 0 ? '' : inboxText.unlisted(unlisted), range]
      .filter((part) => part !== '')
      .join('  '),
  )
  return (
    <Frame
      width={width}
      sections={[
        {
          key: 'inbox',
          title: ours(inboxText.title),
          note,
          focused: true,
          height: list,
          body: total === 0 ? <Paint dim>{`  ${inboxText.nothing}`}</Paint> : <Lines lines={rows} />,
        },
        ...(panel === 0
          ? []
          : [
              {
                key: 'asked',
                title: ours(inboxText.asked),
                note: cutOff,
                focused: false,
                height: panel,
                body: <Lines lines={asked} />,
              },
            ]),
      ]}
    />
  )
}
