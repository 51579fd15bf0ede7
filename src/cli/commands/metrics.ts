import { perform } from '../../operations/perform/perform.ts'
import { readMetrics } from '../../operations/screens/metrics.ts'
import { type Command, does, open, saidAll } from '../call/command.ts'
import { port } from '../call/values.ts'
import { option } from '../call/words.ts'

export const metricsCommands: readonly Command[] = [
  does({
    path: 'metrics',
    summary: 'Print metrics as OpenMetrics text, or serve them for scraping',
    words: {
      serve: option('--serve', 'PORT', 'Serve /metrics on this port of the loopback (0: any) until Ctrl-C', port),
    },
    run: async ({ serve }, call) => {
      const connection = await open(call)
      if (serve !== undefined) {
        const listening = (url: string): void =>
          call.streams.out(call.json ? `${JSON.stringify({ url })}\n` : `Serving ${url} until Ctrl-C.\n`)
        await call.services.serveMetrics(connection, { port: serve, listening })
        return saidAll
      }
      const metrics = await perform(connection.core, readMetrics, {}, connection.actor)
      return { json: metrics, text: call.json ? '' : await call.services.metricsText(metrics) }
    },
    example: 'metrics --serve 9464',
  }),
]
