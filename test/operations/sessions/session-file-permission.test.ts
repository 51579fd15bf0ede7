import { expect, it } from 'vitest'
import { claimTask } from '../../../src/operations/tasks/claims.ts'
import { requestPermission } from '../../../src/operations/requests/permissions.ts'
import { openCore } from '../../support/core.ts'

it('an agent may write its own progress and result files without asking, and no other file', async () => {
  const { perform, agent, task, root } = await openCore()
  await task()
  const backend = await agent('backend')
  await perform(claimTask, { taskId: 1, agentId: 'backend' }, backend)
  const edits = async (name: string) =>
    (
      await perform(
        requestPermission,
        { toolName: 'Write', input: { file_path: `${root}/.serena/memories/${name}`, content: 'x' } },
        backend,
      )
    ).status
  expect(await edits('progress-backend.md')).toBe('allowed')
  expect(await edits('result-backend.md')).toBe('allowed')
  expect(await edits('result-backend-2.md')).toBe('open')
  expect(await edits('../../../result-backend.md')).toBe('open')
})
