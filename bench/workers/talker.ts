// An agent that speaks stream-json as Claude Code does: it takes in every message at once, appends the moment (ns of the
// monotonic clock, the same for all processes) and the text to the file of its argument, and works until its input ends.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [file] = process.argv.slice(2)
const print = (message: object): boolean =>
  process.stdout.write(`${JSON.stringify({ session_id: 'session-1', ...message })}\n`)

print({ type: 'system', subtype: 'init', model: 'bench', mcp_servers: [{ name: 'aiswarm', status: 'connected' }] })
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { type, uuid, message } = JSON.parse(line) as {
      readonly type: string
      readonly uuid: string
      readonly message: { readonly content: readonly { readonly text: string }[] }
    }
    if (type !== 'user') return
    const text = message.content.map((part) => part.text).join('\n')
    appendFileSync(file!, `${process.hrtime.bigint()} ${text.split('\n').at(-1)}\n`)
    print({ type: 'user', uuid, message, isReplay: true })
  })
  .on('close', () => process.exit(0))
