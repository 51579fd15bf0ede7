import { ours, type SafeText } from '../src/domain/safe-text.ts'
import { Frame } from './Frame.tsx'
import { type Line, Lines } from './Lines.tsx'
import { Paint } from './Paint.tsx'
import { inboxText } from '../src/text/inbox.ts'

export interface InboxProps {
  /** Only the visible lines; an item has one or two. */
  readonly rows: readonly Line[]
  /** Number of the first visible item, from 0, of those that fit, of all there are and of those that are marked. */
  readonly top: number
  readonly shown: number
  readonly total: number
  readonly marked: number
  /** Failed tasks that are too many to be listed here. */
  readonly unlisted: number
  /** All that is asked by the item under the cursor, as far as it fits, and what tells of the lines that do not. */
  readonly asked: readonly Line[]
  readonly cutOff: SafeText
  readonly width: number
  /** Lines inside of the list and of what is asked; none where there is no room for it. */
  readonly list: number
  readonly panel: number
}

/** All that waits for a person, and what one of it asks. */
export const Inbox = ({ rows, top, shown, total, marked, unlisted, asked, cutOff, width, list, panel }: InboxProps) => {
  const range = total > shown ? inboxText.range(top + 1, Math.min(total, top + shown), total) : ''
  const note = ours([marked === 0 ? '' : inboxText.marked(marked), unlisted === 0 ? '' : inboxText.unlisted(unlisted), range].filter((part) => part !== '').join('  '))
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
        ...(panel === 0 ? [] : [{ key: 'asked', title: ours(inboxText.asked), note: cutOff, focused: false, height: panel, body: <Lines lines={asked} /> }]),
      ]}
    />
  )
}
