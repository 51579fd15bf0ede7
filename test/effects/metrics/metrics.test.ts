import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { metricsText } from '../../../src/effects/metrics/metrics.ts'
import { serveMetrics } from '../../../src/effects/metrics/server.ts'
import { readMetrics } from '../../../src/operations/screens/metrics.ts'
import { openCore, refusal } from '../../support/core.ts'

const open = async () => {
  const world = await openCore()
  return { ...world, text: async () => metricsText(await world.perform(readMetrics, {})) }
}

describe('the metrics text', () => {
  it('is OpenMetrics: families with their samples, and an end', async () => {
    const { text, task, agent } = await open()
    await agent('a')
    await task()
    const lines = (await text()).split('\n')
    expect(lines.slice(-2)).toEqual(['# EOF', ''])
    const suffixes: Record<string, readonly string[]> = {
      gauge: [''],
      counter: ['_total'],
      histogram: ['_bucket', '_sum', '_count'],
    }
    const families: string[] = []
    let allowed: readonly string[] = []
    for (const line of lines.slice(0, -2)) {
      const type = /^# TYPE ([a-z_]+) (gauge|counter|histogram)$/.exec(line)
      if (type) {
        families.push(type[1]!)
        allowed = suffixes[type[2]!]!.map((suffix) => type[1]! + suffix)
      } else if (!line.startsWith('# HELP ')) {
        const sample =
          /^([a-z_]+)(?:\{[a-z]+="[^"\\\n]*"(?:,[a-z]+="[^"\\\n]*")*\})? (?:\d+(?:\.\d+)?(?:e[+-]\d+)?)$/.exec(line)
        expect(allowed, line).toContain(sample?.[1])
      }
    }
    expect(new Set(families).size).toBe(families.length)
    expect(families.every((family) => family.startsWith('aiswarm_') && !family.endsWith('_total'))).toBe(true)
  })

  it('has a series for every state, and the bounds of its buckets as floating point numbers', async () => {
    const { text, task } = await open()
    await task()
    const lines = (await text()).split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        'aiswarm_tasks{status="pending"} 1',
        'aiswarm_tasks{status="failed"} 0',
        'aiswarm_integrations{status="moving"} 0',
        'aiswarm_task_duration_seconds_bucket{le="10.0"} 0',
        'aiswarm_task_duration_seconds_bucket{le="+Inf"} 0',
        'aiswarm_task_duration_seconds_count 0',
      ]),
    )
  })
})

describe('the metrics server', () => {
  /** Serves while `work` sends requests. */
  const served = async (work: (url: URL) => Promise<void>) => {
    const { core } = await open()
    const end = new AbortController()
    let serving: Promise<void> | undefined
    const url = await new Promise<string>((resolve, reject) => {
      serving = serveMetrics({ core, actor: person }, { port: 0, listening: resolve, signal: end.signal })
      serving.catch(reject)
    })
    try {
      await work(new URL(url))
    } finally {
      end.abort()
      await serving
    }
    return { core, url: new URL(url) }
  }
  const ask = (
    url: URL,
    path: string,
    { method = 'GET', host = url.host } = {},
  ): Promise<{ status: number; type: string | undefined; body: string }> =>
    new Promise((resolve, reject) => {
      request({ host: url.hostname, port: url.port, path, method, headers: { host } }, (response) => {
        let body = ''
        response.on('data', (chunk: Buffer) => (body += chunk.toString()))
        response.on('end', () =>
          resolve({ status: response.statusCode!, type: response.headers['content-type'], body }),
        )
      })
        .on('error', reject)
        .end()
    })

  it('answers only /metrics, on the loopback, with fresh figures', async () => {
    await served(async (url) => {
      expect(url.hostname).toBe('127.0.0.1')
      const answer = await ask(url, '/metrics')
      expect(answer).toMatchObject({ status: 200, type: 'application/openmetrics-text; version=1.0.0; charset=utf-8' })
      expect(answer.body).toMatch(/# EOF\n$/)
      expect((await ask(url, '/metrics?name=x', { method: 'HEAD' })).body).toBe('')
      expect((await ask(url, '/')).status).toBe(404)
      expect((await ask(url, '/metrics/..')).status).toBe(404)
      expect((await ask(url, '/metrics', { method: 'POST' })).status).toBe(405)
    })
  })

  it.each([
    ['localhost:9464', 200],
    ['LOCALHOST', 200],
    ['[::1]:80', 200],
    ['evil.example', 403],
    ['127.0.0.1.evil.example:80', 403],
    ['localhost.', 403],
  ])('answers %s with %i', async (host, status) => {
    await served(async (url) => expect((await ask(url, '/metrics', { host })).status).toBe(status))
  })

  it('ends on the signal, even if a client keeps its connection', async () => {
    const closed = Promise.withResolvers<void>()
    const { url } = await served(async (url) => {
      const socket = connect(Number(url.port), url.hostname, () => socket.write('GET /met'))
      socket.on('close', () => closed.resolve()).on('error', () => {})
      await new Promise((resolve) => socket.once('connect', resolve))
    })
    await closed.promise
    await expect(ask(url, '/metrics')).rejects.toThrow(/ECONNREFUSED/)
  })

  it('refuses a port in use', async () => {
    await served(async (url) => {
      const { core } = await open()
      const { code, message } = await refusal(
        serveMetrics(
          { core, actor: person },
          { port: Number(url.port), listening: () => {}, signal: new AbortController().signal },
        ),
      )
      expect([code, message]).toEqual([
        'invalid_state',
        `Port ${url.port} of 127.0.0.1 is already in use; name another, or 0 for a free one.`,
      ])
    })
  })
})
