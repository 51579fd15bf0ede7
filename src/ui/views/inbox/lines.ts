import { ours, spelledOut } from '../../../domain/words/safe-text.ts'
import { duration, elapsed } from '../../../domain/words/time.ts'
import type { Attention } from '../../../operations/screens/attention.ts'
import type { InboxProps } from '../../../../components/Inbox.tsx'
import type { Line } from '../../../../components/Lines.tsx'
import { cut, fit } from '../../../../components/base/fit.ts'
import { attentionLooks } from '../../../../components/base/look.ts'
import { verbatim, widthIn } from '../../rows/lines.ts'
import { keyed, shownKey } from '../../keys/bindings.ts'
import { topFor } from '../../core/layout.ts'
import { reasonOfTask } from '../../rows/tasks.ts'
import { reasonOfWorktree } from '../../rows/worktrees.ts'
import { byTheMinute } from '../../rows/progress.ts'
import { askedLines } from '../../rows/requests.ts'
import { taskOf, worktreeOf } from '../../core/selection.ts'
import { itemSentence } from '../../rows/sentences.ts'
import type { ConsoleState } from '../../core/state.ts'
import { cursorIn, type InboxItem, inboxItems, type InboxOverlay, inboxRoom, itemsThatFit } from './inbox.ts'
import { inboxText } from '../../../text/inbox.ts'

// The contents of the inbox: two lines per item if there is room, and below them the selected one completely.

export const inboxWindow = (state: ConsoleState, overlay: InboxOverlay): Omit<InboxProps, 'width'> => {
  const items = inboxItems(state)
  const at = cursorIn(items, overlay)
  const { list, each } = inboxRoom(state)
  const panel = panelIn(state, items)
  const fits = itemsThatFit(state)
  const top = topFor(overlay.top, at, fits, items.length)
  const found = items[at]
  return {
    rows: items
      .slice(top, top + fits)
      .flatMap((one, index) => linesOf(state, one, top + index === at, overlay.marked.includes(one.place), each)),
    top,
    shown: fits,
    total: items.length,
    marked: overlay.marked.length,
    unlisted: Math.max(
      0,
      (state.board.counts['failed'] ?? 0) - state.board.attention.filter(({ kind }) => kind === 'failed').length,
    ),
    list,
    panel,
    asked: found ? panelLines(state, found).slice(0, panel) : [],
    cutOff: ours(found ? inboxText.cutOff(panelLines(state, found).length - panel, shownKey(state, 'item-open')) : ''),
  }
}

/** Lines of the inbox without its border: its items, and the tallest of their questions. */
export const inboxHeight = (state: ConsoleState): number => {
  const items = inboxItems(state)
  const { list, each } = inboxRoom(state)
  const panel = panelIn(state, items)
  return Math.min(list, Math.max(1, items.length * each)) + (panel > 0 ? panel + 1 : 0)
}

/** Lines of the question: the same for each item, so that the list keeps its place; all there are for a long list. */
const panelIn = (state: ConsoleState, items: readonly InboxItem[]): number => {
  const { panel } = inboxRoom(state)
  if (items.length > itemsThatFit(state)) return panel
  return Math.min(panel, Math.max(1, ...items.map((item) => panelLines(state, item).length)))
}

/** Columns before the words: mark, kind, time. */
const LEAD = 26

const linesOf = (
  state: ConsoleState,
  { item, receipt }: InboxItem,
  cursor: boolean,
  marked: boolean,
  each: 1 | 2,
): readonly Line[] => {
  const look = attentionLooks[item.kind]
  const width = Math.max(10, state.view.size.columns - 4)
  const head = `${marked ? '◆' : ' '} ${look.mark} ${fit(look.word, 13)} ${fit(byTheMinute(elapsed(item.since, state.now)), 5, 'right')}  `
  const words = spelledOut(item.text).join(' ')
  const evidence = spelledOut(item.evidence).join(' ')
  if (state.preferences.spoken) {
    const said =
      receipt === null ? { words, evidence } : { words: spelledOut(receipt.words).join(' '), evidence: words }
    return [
      {
        text: itemSentence({
          kind: look.word,
          time: byTheMinute(elapsed(item.since, state.now)),
          ...said,
          selected: cursor,
          marked,
        }),
      },
    ]
  }
  const first: Line =
    receipt === null
      ? {
          text: ours(cut(`${head}${words}`, width)),
          lead: ours(''),
          cursor,
          colour: look.colour,
          dim: look.dim === true,
        }
      : {
          text: ours(cut(`${head}${receipt.confirmed ? '✓' : '…'} ${spelledOut(receipt.words).join(' ')}`, width)),
          lead: ours(''),
          cursor,
          colour: receipt.confirmed ? 'green' : 'yellow',
        }
  if (each === 1) return [first]
  const below = receipt === null ? evidence : words
  return [first, { text: ours(cut(`${' '.repeat(LEAD)}${below}`, width)), lead: ours(''), dim: true }]
}

/** The complete question, with its evidence. */
const panelLines = (state: ConsoleState, { item, receipt }: InboxItem): readonly Line[] => {
  const width = widthIn(state)
  const request = state.board.requests.find(({ id }) => id === item.requestId)
  if (receipt !== null) return [...verbatim(receipt.words, width), ...verbatim(item.text, width)]
  if (request)
    return [...askedLines(request, width), ...secondary([expiry(state, request.expiresAt), item.evidence], width)]
  const answers = item.kind === 'budget' ? keyed(state, inboxText.budget(item.taskId)) : null
  return [...verbatim(item.text, width), ...secondary([reasonOf(state, item), item.evidence, answers], width)]
}

const secondary = (parts: readonly (string | null)[], width: number): readonly Line[] =>
  parts
    .filter((part) => part !== null && part !== '')
    .flatMap((part) => verbatim(part!, width).map((line) => ({ ...line, dim: true })))

const expiry = ({ now }: ConsoleState, at: string | null): string | null =>
  at === null ? null : inboxText.expiresIn(duration(elapsed(now, at)))

const reasonOf = (state: ConsoleState, item: Attention): string | null => {
  // Its text is the reason.
  if (item.kind === 'unstartable') return null
  const task = taskOf(state, item.taskId)
  // The item itself states the error.
  if (task) return reasonOfTask(state, task).replace(/^(failed at [\d:]+[^:]*): [^]*$/, '$1')
  const worktree = worktreeOf(state, item.worktree)
  return worktree ? reasonOfWorktree(state, worktree) : null
}

/** True if the complete question of an item is on the screen, so that it may be answered without opening it. */
export const isWhollySeen = (state: ConsoleState, item: Attention): boolean => {
  const request = state.board.requests.find(({ id }) => id === item.requestId)
  const { panel } = inboxRoom(state)
  if (request) return askedLines(request, widthIn(state)).length <= panel
  return item.kind === 'budget' && panelLines(state, { item, place: '', receipt: null }).length <= panel
}
