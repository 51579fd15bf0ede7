import { Box } from 'ink'
import { memo } from 'react'
import { Sentences } from '../../../components/Sentences.tsx'
import { fold } from '../../../components/base/fit.ts'
import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import { spokenText } from '../../text/screen-reader.ts'
import { tasksAround, topIn, windowOfSelected } from '../core/board-window.ts'
import { layoutOf } from '../core/layout.ts'
import { type ConsoleState, type Pane, panes } from '../core/state.ts'
import { markedAgents } from '../panes/agents.ts'
import { arrangementNote } from '../panes/arrangement.ts'
import { guideOf } from '../panes/board.ts'
import { useRows } from '../panes/context.ts'
import { rowAtTop } from '../panes/list.ts'
import { logSubject } from '../panes/log.ts'
import { shownAgents, shownTasks, shownWorktrees } from '../panes/sorting.ts'
import { agentRow } from '../rows/agents.ts'
import { silentAfterIn } from '../rows/hosts.ts'
import { agentSentence, logSentence, taskSentence, worktreeSentence } from '../rows/sentences.ts'
import { boardRow, rowReason } from '../rows/tasks.ts'
import { mergesNow, radarMark, worktreeRow } from '../rows/worktrees.ts'

/** Sentences are below each other, however wide the screen is. */
const ONE_COLUMN = 99

/** The panes for a screen reader: the visible panes one below the other, as many sentences of each as fit. */
export const SpokenPanes = memo(({ columns, rows }: { readonly columns: number; readonly rows: number }) => {
  const read = useRows((state) => {
    const { rooms } = layoutOf(Math.min(columns, ONE_COLUMN), rows, state.view.pane, 0, state.preferences.arrangement)
    const read = panes.flatMap((pane) => {
      const height = rooms[pane]?.height
      return height === undefined
        ? []
        : [
            {
              pane,
              heading: headingOf(state, pane),
              sentences: foldedTo(columns, sentencesOf[pane](state, rows)),
              height,
              last: pane === 'log',
            },
          ]
    })
    return inRoom(read).map(({ pane, heading, sentences }) => ({ pane, heading, sentences }))
  })
  return (
    <Box flexDirection="column">
      {read.map(({ pane, ...props }) => (
        <Sentences key={pane} {...props} />
      ))}
    </Box>
  )
})
SpokenPanes.displayName = 'SpokenPanes'

const headingOf = (state: ConsoleState, pane: Pane): SafeText => {
  const { view, board } = state
  const missing = arrangementNote(state)
  const all = Object.values(board.counts).reduce((sum, count) => sum + count, 0)
  const names: Record<Pane, string> = {
    board: spokenText.headings.board(all),
    agents: spokenText.headings.agents(board.agents.length),
    log: spokenText.headings.log(logSubject(state)),
    worktrees: spokenText.headings.worktrees(board.worktrees.length),
  }
  const focus = view.pane === pane ? `${spokenText.hasFocus}${missing === '' ? '' : `, ${missing}`}` : ''
  return ours(`${names[pane]}${focus}.`)
}

/** At most so many, including the selected one. */
const sentencesOf: Record<Pane, (state: ConsoleState, height: number) => readonly SafeText[]> = {
  board: (state, height) => {
    const { board, view, now } = state
    if (board.tasks.length === 0) return view.filter === '' ? guideOf(state) : [ours(spokenText.noTaskFound)]
    return tasksRead(state, height).map((task) =>
      taskSentence({ ...boardRow(task, now, board.attention, task.id === view.task), reason: rowReason(state, task) }),
    )
  },
  agents: (state, height) => {
    const { board, view, now, processes } = state
    const marked = markedAgents(state)
    const top = rowAtTop(state, 'agents', height)
    return shownAgents(state)
      .slice(top, top + height)
      .map((agent) =>
        agentSentence({
          ...agentRow(agent, now, processes[agent.id], board.requests, agent.id === view.agent, silentAfterIn(state)),
          marked: marked.includes(agent.id),
        }),
      )
  },
  log: ({ log, view }, height) => {
    const end = Math.max(Math.min(height, log.length), log.length - view.back)
    return log
      .slice(Math.max(0, end - height), end)
      .map(logSentence)
      .filter((text) => text !== '')
  },
  worktrees: (state, height) => {
    const { view, observed } = state
    const top = rowAtTop(state, 'worktrees', height)
    return shownWorktrees(state)
      .slice(top, top + height)
      .map((worktree) =>
        worktreeSentence(
          worktreeRow(
            worktree,
            observed[worktree.name],
            radarMark(state, worktree.name),
            mergesNow(state, worktree),
            worktree.name === view.worktree,
            { now: state.now, silentAfter: silentAfterIn(state) },
          ),
        ),
      )
  },
}

/** In the order in which they are drawn; of columns that of the selection. */
const tasksRead = (state: ConsoleState, height: number): readonly TaskView[] => {
  const { view } = state
  if (view.shape.as === 'list') return window(shownTasks(state), rowAtTop(state, 'board', height), height)
  const tasks = tasksAround(state)
  const of = view.shape.as === 'tree' ? ('tree' as const) : windowOfSelected(state)?.column
  if (of === undefined) return []
  const selected = tasks.findIndex(({ id }) => id === view.task)
  return window(tasks, topIn(tasks, view.shape.tops[of], selected, height), height)
}

const window = (tasks: readonly TaskView[], top: number, height: number): readonly TaskView[] =>
  tasks.slice(top, top + height)

// Sentences wrap, within the lines that the screen leaves for all of them.

/** Additional lines of the keys and the header as sentences; a small screen keeps enough for a pane. */
export const linesSpoken = (columns: number, rows: number): number =>
  Math.max(0, Math.min(columns < 100 ? 3 : 1, rows - 10))

/** A wrapped sentence. */
type Folded = readonly SafeText[]

export const foldedTo = (columns: number, sentences: readonly SafeText[]): readonly Folded[] =>
  sentences.map((text) => fold(text, columns))

interface PaneRead {
  readonly sentences: readonly Folded[]
  /** Lines that the layout assigns to it. */
  readonly height: number
  /** True if the last sentence matters most, instead of the selected one. */
  readonly last: boolean
}

/**
 * The panes with the lines that fit; unused lines go to a truncated sentence of another pane, then to the first pane
 * that has more.
 */
export const inRoom = <Pane extends PaneRead>(
  panes: readonly Pane[],
): readonly (Omit<Pane, 'sentences'> & { readonly sentences: Folded })[] => {
  // There is no border below the last pane.
  let spare = 1 + panes.reduce((sum, { sentences, height }) => sum + Math.max(0, height - sentences.flat().length), 0)
  const given = (wanted: number): number => {
    const more = Math.max(0, Math.min(spare, wanted))
    spare -= more
    return more
  }
  const whole = panes.map((pane) => pane.height + given((pane.sentences[keptIn(pane)]?.length ?? 0) - pane.height))
  return panes.map((pane, at) => ({
    ...pane,
    sentences: linesRead(pane, whole[at]! + given(pane.sentences.flat().length - whole[at]!)),
  }))
}

/** The index of the sentence that matters most. */
const keptIn = ({ sentences, last }: PaneRead): number =>
  last ? sentences.length - 1 : sentences.findIndex(([line]) => line?.startsWith(spokenText.selected))

/**
 * At most so many lines of whole sentences, including the one that matters most; if that is longer, only its beginning.
 */
const linesRead = (pane: PaneRead, height: number): Folded => {
  const { sentences } = pane
  const kept = keptIn(pane)
  let [from, to] = [0, sentences.length]
  while (to - from > 1 && sentences.slice(from, to).flat().length > height) {
    if (to - 1 > kept) to--
    else from++
  }
  return sentences.slice(from, to).flat().slice(0, height)
}
