import { expect, test } from 'vitest'
import { requestPermission } from '../../../src/operations/requests/permissions.ts'
import { listRequests } from '../../../src/operations/requests/requests.ts'
import { claimTask, completeTask, failTask } from '../../../src/operations/tasks/claims.ts'
import { openCore, refusal } from '../../support/core.ts'

const MEGABYTE = 1024 * 1024
/** A value whose JSON has this many bytes. */
const ofBytes = (bytes: number): string => 'x'.repeat(bytes - 2)

const openHeld = async () => {
  const { perform, task, agent, show } = await openCore()
  const { id: taskId } = await task()
  const actor = await agent('backend-1')
  await perform(claimTask, { taskId }, actor)
  return { perform, taskId, actor, task, show }
}

test('a result of 1 MB is accepted, and one byte more is refused with advice', async () => {
  const { perform, taskId, actor, show } = await openHeld()
  const tooLarge = await refusal(perform(completeTask, { taskId, resultData: ofBytes(MEGABYTE + 1) }, actor))
  expect([tooLarge.code, tooLarge.message]).toEqual([
    'invalid_input',
    'complete_task at resultData: it is 1.1 MB of JSON, but at most 1 MB is allowed; write it to a file in the worktree and list that in artifacts.',
  ])
  expect((await show(taskId)).status).toBe('claimed')
  expect(await perform(completeTask, { taskId, resultData: ofBytes(MEGABYTE) }, actor)).toMatchObject({
    status: 'completed',
  })
})

test('bytes are counted, not letters', async () => {
  const { perform, taskId, actor } = await openHeld()
  expect(
    (await refusal(perform(completeTask, { taskId, resultData: { log: 'ü'.repeat(MEGABYTE) } }, actor))).message,
  ).toContain('it is 2.1 MB of JSON, but at most 1 MB is allowed')
})

test('a permission request of more than 1 MB is refused, and nothing of it is stored', async () => {
  const { perform, actor } = await openHeld()
  const ask = (bytes: number) =>
    perform(requestPermission, { toolName: 'Write', input: { file_path: 'a.txt', content: 'x'.repeat(bytes) } }, actor)
  expect((await refusal(ask(3 * MEGABYTE))).message).toBe(
    'request_permission at input: it is 3.1 MB of JSON, but at most 1 MB is allowed; do it in smaller steps.',
  )
  expect(await perform(listRequests, {})).toEqual([])
  await ask(MEGABYTE / 2)
  expect(await perform(listRequests, {})).toHaveLength(1)
})

test('an error that is too long is refused with its length', async () => {
  const { perform, taskId, actor } = await openHeld()
  expect((await refusal(perform(failTask, { taskId, errorMessage: 'x'.repeat(40_000) }, actor))).message).toBe(
    'fail_task at errorMessage: it has 40000 characters, but at most 32768 are allowed; shorten it.',
  )
})

test('the other texts of a task have the same limit', async () => {
  const { task } = await openHeld()
  expect((await refusal(task({ metadata: { log: ofBytes(MEGABYTE) } }))).message).toBe(
    'create_task at metadata: it is 1.1 MB of JSON, but at most 1 MB is allowed; keep it in a file and name that.',
  )
})
