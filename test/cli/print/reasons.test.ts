import { expect, test } from 'vitest'
import { openTerminal } from '../terminal.ts'

test('a task shows why it is in its state, and the status lists waiting tasks with their evidence', async () => {
  const { run, json } = await openTerminal()
  await json('task', 'add', 'Model', '--persona', 'implementer')
  await json('task', 'add', 'Form', '--persona', 'implementer', '--depends', '1')
  expect(await json('task', 'show', '2')).toMatchObject({ id: 2, reason: 'blocked by task 1' })
  await json('agent', 'register', 'a', '--persona', 'implementer')
  await json('task', 'claim', '1', '--agent', 'a')
  expect(await json('task', 'show', '1')).toMatchObject({
    reason: expect.stringMatching(/^claimed by a and not started for \d+s$/) as string,
  })
  for (let attempt = 1; attempt < 10; attempt++) {
    await run('task', 'fail', '1', '--agent', 'a', '--error', 'red')
    if ((await json<{ status: string }>('task', 'show', '1')).status === 'failed') break
    await run('task', 'retry', '1')
    await run('task', 'claim', '1', '--agent', 'a')
  }
  expect(await json('task', 'show', '2')).toMatchObject({ reason: 'blocked by task 1; it failed' })
  expect((await run('task', 'show', '1')).out).toMatch(
    /why +failed at \d\d:\d\d:\d\d after 3 attempts: red \(\d+s ago\)/,
  )
  expect((await run('status')).out).toMatch(
    /Inbox\n +failed task 1 failed: red \(\d+s\)\n +Model; after 3 attempts; no retries left/,
  )
  expect(await json('status')).toMatchObject({
    attention: [
      { kind: 'failed', evidence: 'Model; after 3 attempts; no retries left', like: 'failed tasks of implementer' },
    ],
  })
})
