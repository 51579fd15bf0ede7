import { describe, expect, it } from 'vitest'
import { contextHealth } from '../../src/domain/agent/context-health.ts'
import type { AgentView } from '../../src/operations/views/agents.ts'
import { agentLines } from '../../src/ui/views/detail/agent.ts'
import { agentRow } from '../../src/ui/rows/agents.ts'
import { initialState } from '../../src/ui/store.ts'

const now = '2026-01-30T14:22:30.000Z'

const agent = (context: AgentView['context']): AgentView => ({
  id: 'backend-1',
  personaId: 'implementer',
  kind: 'claude',
  status: 'active',
  process: 'started',
  run: 1,
  processId: 12345,
  assignedWorktree: null,
  worktreePath: null,
  parentAgentId: null,
  registeredAt: now,
  lastHeartbeat: now,
  taskId: 3,
  exitCode: null,
  launchError: null,
  stopRequestedAt: null,
  stopReason: null,
  endedAt: null,
  left: [],
  freeSince: null,
  usage: { tokensIn: 0, tokensOut: 0, tokensCached: 0, tokensUnpriced: 0, costUsd: null },
  pausedAt: null,
  context,
})

const health = (tokens: number, estimated = false) => contextHealth({ tokens, window: 200_000, estimated })
const state = initialState(now)
const detail = (context: AgentView['context']): string =>
  agentLines(state, agent(context))[1]
    .map(({ text }) => text)
    .join('\n')

describe('the context of an agent', () => {
  it.each([
    [null, '–'],
    [health(24_000), '12%'],
    [health(24_000, true), '~12%'],
    [health(144_000), '72% ⚠'],
    [health(400_000, true), '~200% ⚠'],
  ])('is shown in its row: %j', (context, cell) => {
    expect(agentRow(agent(context), now, undefined, [], false).context).toBe(cell)
  })

  it('is shown in its detail with advice, on a narrow terminal as well', () => {
    expect(detail(health(143_000)).replaceAll(/\s+/g, ' ')).toContain(
      'context 143k of 200k (72%) ⚠, compression suggested: aiswarm memory compress --tokens 143000',
    )
    expect(detail(health(24_000, true))).toContain('context       ~24k of 200k (12%)')
    expect(detail(health(24_000))).not.toContain('compress')
    expect(detail(null)).not.toContain('context')
  })
})
