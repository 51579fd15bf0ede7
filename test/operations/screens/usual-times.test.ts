import { expect, it } from 'vitest'
import { usualKey } from '../../../src/domain/task/status.ts'
import { claimTask, completeTask, failTask, startTask } from '../../../src/operations/tasks/claims.ts'
import { readUsualTimes } from '../../../src/operations/screens/pace.ts'
import { minute, openCore } from '../../support/core.ts'

it('the usual times are the medians of at least three completed attempts, for agents and for commands', async () => {
  const { task, agent, perform, pass } = await openCore()
  const actor = await agent('backend')
  const attempt = async (minutes: number, command: string | undefined, end: 'completed' | 'failed'): Promise<void> => {
    const { id } = await task(command === undefined ? {} : { command })
    await perform(claimTask, { taskId: id, agentId: 'backend' }, actor)
    pass(90 * minute)
    await perform(startTask, { taskId: id }, actor)
    pass(minutes * minute)
    if (end === 'completed') await perform(completeTask, { taskId: id }, actor)
    else await perform(failTask, { taskId: id, errorMessage: 'no' }, actor)
  }
  for (const minutes of [5, 30, 10]) await attempt(minutes, undefined, 'completed')
  await attempt(300, undefined, 'failed')
  for (const minutes of [1, 1]) await attempt(minutes, 'true', 'completed')
  expect(await perform(readUsualTimes, {})).toEqual({
    [usualKey({ personaId: 'implementer', isCommand: false })]: 10 * minute,
  })
  await attempt(2, 'true', 'completed')
  expect(await perform(readUsualTimes, {})).toMatchObject({
    [usualKey({ personaId: 'implementer', isCommand: true })]: minute,
  })
})
