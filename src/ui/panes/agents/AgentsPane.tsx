import { memo } from 'react'
import { ours } from '../../../domain/words/safe-text.ts'
import { AgentTable } from '../../../../components/AgentTable.tsx'
import { useConsole, useRows } from '../context.ts'
import { shownKey } from '../../keys/bindings.ts'
import { foldedAgents } from '../../core/folded-agents.ts'
import { hostsIn, namesIn } from '../../core/pane-needs.ts'
import { rowsIn } from '../room.ts'
import { rowAtTop } from '../list-selection.ts'
import { agentSpinner } from '../../rows/progress.ts'
import { agentRow, agentTime } from '../../rows/agents.ts'
import { silentAfterIn } from '../../rows/hosts.ts'
import { shownAgents } from '../sorting.ts'
import { markedAgents } from './mark.ts'
import type { PaneProps } from '../board/BoardPane.tsx'
import { ENDED_AGENTS } from '../../../operations/screens/board.ts'
import { paneText } from '../../../text/panes.ts'

export const AgentsPane = memo(({ width, height }: PaneProps) => {
  const rows = useRows((state) => {
    const { board, view, now, processes } = state
    const marked = markedAgents(state)
    const fit = rowsIn(state, 'agents', width, height)
    const shown = shownAgents(state)
    const top = rowAtTop(state, 'agents', fit)
    return shown.slice(top, top + fit).map((agent) => ({
      ...agentRow(agent, now, processes[agent.id], board.requests, agent.id === view.agent, silentAfterIn(state)),
      marked: marked.includes(agent.id),
      time: agentTime(state, agent),
      spinner: agentSpinner(state, agent.id),
    }))
  })
  const empty = useConsole((state) =>
    state.preferences.agentless ? paneText.agentless : paneText.noAgents(shownKey(state, 'spawn')),
  )
  const names = useConsole((state) => namesIn(state.board.agents))
  const hosts = useConsole((state) => hostsIn(state.board.agents))
  const ended = useConsole((state) => {
    const { folded } = foldedAgents(state)
    return ours(folded === 0 ? '' : paneText.ended(folded, ENDED_AGENTS, shownKey(state, 'unfold-ended')))
  })
  return <AgentTable rows={rows} names={names} hosts={hosts} width={width} empty={ours(empty)} ended={ended} />
})
AgentsPane.displayName = 'AgentsPane'
