import { memo } from 'react'
import { ours } from '../../domain/safe-text.ts'
import { AgentTable } from '../../../components/AgentTable.tsx'
import { useRows } from '../context.ts'
import { topFor } from '../layout.ts'
import { indexIn } from '../movement.ts'
import { agentRow } from '../rows.ts'
import type { PaneProps } from './BoardPane.tsx'

export const AgentsPane = memo(({ width, height }: PaneProps) => {
  const rows = useRows((state) => {
    const { board, view, now, processes } = state
    const fit = Math.max(1, height - 1)
    const top = topFor(view.tops.agents, indexIn(state, 'agents'), fit, board.agents.length)
    return board.agents.slice(top, top + fit).map((agent) => agentRow(agent, now, processes[agent.id], board.requests, agent.id === view.agent))
  })
  return <AgentTable rows={rows} width={width} empty={ours('No agents; s spawns one.')} />
})
AgentsPane.displayName = 'AgentsPane'
