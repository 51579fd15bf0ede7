import { expect, it } from 'vitest'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { registerAgent, spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { askHuman } from '../../../src/operations/requests/questions.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { agentActor, openCore } from '../../support/core.ts'
import { countStatements } from '../../support/statements.ts'
import { readResults } from '../../../src/operations/sessions/results.ts'
import { claimTask, reportTaskProgress } from '../../../src/operations/tasks/claims.ts'

// Over a network each statement is a round trip, so a screen must not need more of them unnoticed.

it.each([2, 30])('read_board takes at most 42 statements on a board of %s of everything', async (size) => {
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
  expect(statements).toBeLessThanOrEqual(42)
  expect(value.tasks).toHaveLength(size)
  expect(value.agents).toHaveLength(size + 1)
  expect(value.attention).toHaveLength(size)
})

it('read_results takes as many statements for thirty tasks as for four, and has the newest notes of each', async () => {
  const counts: number[] = []
  for (const size of [4, 30]) {
    const world = await openCore()
    for (let taskId = 1; taskId <= size; taskId++) await world.task()
    await world.perform(registerAgent, { id: 'a', personaId: 'implementer' })
    for (const taskId of [1, 2]) {
      await world.perform(claimTask, { taskId, agentId: 'a' })
      for (let note = 1; note <= 22; note++)
        await world.perform(reportTaskProgress, { taskId, agentId: 'a', progressNote: `note ${note} of ${taskId}` })
    }
    const { core, during } = countStatements(world.core)
    const { statements, value } = await during(() => perform(core, readResults, { since: '' }, system()))
    counts.push(statements)
    const notes = (taskId: number) => value.find(({ id }) => id === taskId)!.notes.map(({ message }) => message)
    for (const taskId of [1, 2])
      expect(notes(taskId)).toEqual(Array.from({ length: 20 }, (_, at) => `note ${at + 3} of ${taskId}`))
    expect(value.map(({ id, notes }) => [id, notes.length])).toEqual(
      Array.from({ length: size }, (_, at) => [at + 1, at < 2 ? 20 : 0]),
    )
  }
  expect(counts[1]).toBe(counts[0])
})
