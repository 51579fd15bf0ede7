import type { AgentRunView } from '../../../operations/agents/runs.ts'
import type { TaskDetail } from '../../../operations/tasks/detail.ts'
import { modeText } from '../../../text/keys.ts'
import type { ReadView } from '../../core/registry.ts'
import { startDetailFeed, startSizeFeed } from './feed.ts'
import { allowHost, whyNoHost } from './allow-host.ts'
import * as detailKeys from './detail.ts'
import { detailSheet } from './detail.ts'
import { type DetailFolds, nothingOpened, type OpenedDetail } from './sections.ts'
import * as press from '../../actions/open-item.ts'
import type { ListPane } from '../../core/state.ts'

export interface DetailOverlay extends DetailFolds {
  readonly kind: 'detail'
  readonly of: ListPane
  readonly top: number
}

export interface DetailContents {
  /** The selected task with its attempts. */
  readonly detail: TaskDetail | null
  /** The loaded data of the open sections in the front detail. */
  readonly opened: OpenedDetail
  /** The runs of the selected agent. */
  readonly runs: readonly AgentRunView[]
}

// prettier-ignore
export const detail: ReadView<DetailOverlay, DetailContents> = {
  kind: 'detail',
  title: modeText.detail,
  manner: 'reading',
  opens: [{ id: 'open', keys: ['enter'], shown: 'enter', footer: true, blocked: press.whyNothingToOpen, press: press.openDetail }],
  keys: [
    { id: 'next-section', keys: [']'], shown: ']', footer: true, blocked: detailKeys.whyNoSection, press: detailKeys.toSection(1) },
    { id: 'previous-section', keys: ['['], shown: '[', blocked: detailKeys.whyNoSection, press: detailKeys.toSection(-1) },
    { id: 'allow-host', keys: ['N'], shown: 'N', writes: true, blocked: whyNoHost, press: allowHost },
    { id: 'fold-section', keys: [' '], shown: 'space', footer: true, blocked: detailKeys.whyNoSection, press: detailKeys.foldSection },
  ],
  also: ['spawn', 'retry', 'integrate', 'diff', 'abort', 'discard', 'say', 'take-over', 'fork', 'new', 'next', 'inbox', 'shell', 'edit', 'editor', 'radar', 'race', 'undo', 'guard', 'commands', 'memory', 'logs', 'past', 'trail', 'plots', 'close'],
  empty: { detail: null, opened: nothingOpened, runs: [] },
  feed: ({ connection }, store, careful) => {
    const stops = [startDetailFeed(connection, store, careful), startSizeFeed(connection, store)]
    return () => stops.forEach((stop) => stop())
  },
  content: detailSheet,
  click: detailKeys.selectSection,
  showsLog: ({ of, folds }) => of === 'board' && folds?.['logs'] === true,
  shows: ({ view }, { of }, item) => {
    if (of === 'board') return item.taskId !== null && item.taskId === view.task
    return of === 'worktrees' ? item.worktree !== null && item.worktree === view.worktree : item.agentId !== null && item.agentId === view.agent
  },
}
