import { expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { registerAgent } from '../../../src/operations/agents/register-agent.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn-agent.ts'
import { perform } from '../../../src/operations/door/perform.ts'
import { askHuman } from '../../../src/operations/requests/ask-human.ts'
import { readBoard } from '../../../src/operations/screens/read-board.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { agentActor, openCore } from '../../support/core.ts'
import { countStatements } from '../../support/statements.ts'

// Over a network each statement is a round trip, so a screen must not need more of them unnoticed.

it.each([2, 30])('read_board takes at most 41 statements on a board of %s of everything', async (size) => {
  const world = await openCore()
  await world.perform(beginSession, {})
  for (let n = 1; n <= size; n++) {
    await world.worktree(`w${n}`)
    await world.task({ dependencies: n > 5 ? [Math.ceil(n / 3)] : [], acceptanceCriteria: ['a'] })
    await world.perform(registerAgent, { id: `a${n}`, personaId: 'implementer' })
    await world.perform(askHuman, { agentId: `a${n}`, question: 'why?' }, agentActor(`a${n}`))
  }
  await world.perform(spawnAgent, { personaId: 'implementer', taskId: 1 })
  const { core, during } = countStatements(world.core)
  const { statements, value } = await during(() => perform(core, readBoard, {}, person))
  expect(statements).toBeLessThanOrEqual(41)
  expect(value.tasks).toHaveLength(size)
  expect(value.agents).toHaveLength(size + 1)
  expect(value.attention).toHaveLength(size)
})
