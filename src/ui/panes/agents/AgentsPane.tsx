import { memo } from 'react'
import { ours } from '../../../domain/words/safe-text.ts'
import { AgentTable } from '../../../../components/AgentTable.tsx'
import { useConsole, useRows } from '../context.ts'
import { shownKey } from '../../keys/names.ts'
import { topFor } from '../../core/layout.ts'
import { indexIn } from '../list-selection.ts'
import { agentTime } from '../../rows/row-reason.ts'
import { agentRow } from '../../rows/agent-row.ts'
import { shownAgents } from '../sorting.ts'
import type { PaneProps } from '../board/BoardPane.tsx'
import { paneText } from '../../../text/panes.ts'

export const AgentsPane = memo(({ width, height }: PaneProps) => {
  const rows = useRows((state) => {
    const { board, view, now, processes } = state
    const fit = Math.max(1, height - 1)
    const top = topFor(view.tops.agents, indexIn(state, 'agents'), fit, board.agents.length)
    return shownAgents(state)
      .slice(top, top + fit)
      .map((agent) => ({
        ...agentRow(agent, now, processes[agent.id], board.requests, agent.id === view.agent),
        time: agentTime(state, agent),
      }))
  })
  const empty = useConsole((state) =>
    state.preferences.agentless ? paneText.agentless : paneText.noAgents(shownKey(state, 'spawn')),
  )
  return <AgentTable rows={rows} width={width} empty={ours(empty)} />
})
AgentsPane.displayName = 'AgentsPane'
