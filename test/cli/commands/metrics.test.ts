import { expect, test } from 'vitest'
import { openTerminal } from '../terminal.ts'

test('metrics prints the text format, or with --json the figures', async () => {
  const { run, json } = await openTerminal({
    services: { metricsText: (metrics) => Promise.resolve(`${metrics.tasks.pending} pending\n# EOF\n`) },
  })
  await json('task', 'add', 'A', '--persona', 'implementer')
  expect(await run('metrics')).toEqual({ code: 0, out: '1 pending\n# EOF\n', err: '' })
  expect(await json('metrics')).toMatchObject({ tasks: { pending: 1 }, claimable: { tasks: 1 } })
})

test('metrics --serve prints its address', async () => {
  const services = {
    serveMetrics: (_: unknown, { port, listening }: { port: number; listening: (url: string) => void }) =>
      Promise.resolve(listening(`http://127.0.0.1:${port}/metrics`)),
  }
  const { run } = await openTerminal({ services })
  expect(await run('metrics', '--serve', '9464')).toEqual({
    code: 0,
    out: 'Serving http://127.0.0.1:9464/metrics until Ctrl-C.\n',
    err: '',
  })
  expect(await run('metrics', '--serve', '9464', '--json')).toEqual({
    code: 0,
    out: '{"url":"http://127.0.0.1:9464/metrics"}\n',
    err: '',
  })
  expect((await run('metrics', '--serve', 'all')).code).toBe(2)
})
