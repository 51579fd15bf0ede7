import { expect, test } from 'vitest'
import { repository, until } from '../effects/swarm.ts'
import { connect } from '../mcp/client.ts'
import { answer } from '../stories/program.ts'
import { newAddress, ownCluster, proxyTo } from '../support/board-on-server.ts'

const cluster = ownCluster()

const storeOf = ({ url, schema }: { readonly url: string; readonly schema?: string | undefined }): string =>
  `${url}&schema=${schema}`

test('a call of an agent whose host is cut off ends with a refusal to repeat, and its repetition is done once', async () => {
  const root = repository()
  const direct = newAddress(cluster)
  const { address, drop } = await proxyTo(cluster, direct)
  await answer(root, 'init', '--store', storeOf(direct))
  await answer(root, 'task', 'add', 'Bake', '--persona', 'implementer')
  const registered = await answer<{ id: string; token: string }>(
    root,
    ...['agent', 'register', 'ann', '--persona', 'implementer'],
  )
  const { id, token } = registered
  const environment = { AISWARM_STORE: storeOf(address), AISWARM_AGENT_ID: id, AISWARM_AGENT_TOKEN: token }
  const { call } = await connect(root, { environment, built: true })
  expect(await call('claim_task', { taskId: 1 })).toMatchObject({ isError: false })
  expect(await call('start_task', { taskId: 1 })).toMatchObject({ isError: false })
  const end = () => call('complete_task', { taskId: 1, requestId: 'the end' })
  drop(true)
  // Answered while nothing of the network works.
  expect(await end()).toEqual({
    isError: true,
    code: 'store_unreachable',
    message:
      'The board cannot be reached now, and nothing was written. Nothing is lost: keep working, and call again in a minute.',
    retryable: true,
  })
  const note = await call('report_task_progress', { taskId: 1, progressNote: 'the dough rests' })
  expect(note['code']).toBe('store_unreachable')
  expect(note['message']).toContain('do not send it again')
  expect(note['retryable']).toBe(undefined)
  drop(false)
  const done = await until('the network', async () => {
    const told = await end()
    return told.isError ? undefined : told
  })
  expect(done).toMatchObject({ status: 'completed' })
  expect(await end()).toEqual(done)
  expect(await answer(root, 'task', 'show', '1')).toMatchObject({ status: 'completed', attempt: 1 })
})
