import { memo } from 'react'
import { Box } from 'ink'
import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import { Sentences } from '../../../components/Sentences.tsx'
import { tasksAround, topIn, windowOfSelected } from '../core/board-window.ts'
import { arrangementNote } from '../panes/arrangement.ts'
import { guideOf } from '../panes/board.ts'
import { useRows } from '../panes/context.ts'
import { layoutOf } from '../core/layout.ts'
import { rowAtTop } from '../panes/list.ts'
import { logSubject } from '../panes/log.ts'
import { mergesNow, radarMark, worktreeRow } from '../rows/worktrees.ts'
import { boardRow, rowReason } from '../rows/tasks.ts'
import { silentAfterIn } from '../rows/hosts.ts'
import { agentRow } from '../rows/agents.ts'
import { markedAgents } from '../panes/agents.ts'
import { shownAgents, shownTasks, shownWorktrees } from '../panes/sorting.ts'
import { type ConsoleState, type Pane, panes } from '../core/state.ts'
import { foldedTo, inRoom } from '../panes/spoken-lines.ts'
import { agentSentence, logSentence, taskSentence, worktreeSentence } from '../rows/sentences.ts'
import { spokenText } from '../../text/screen-reader.ts'

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
