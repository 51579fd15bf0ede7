// A person's own MCP server: it notes in a file that it was started, and has no tools.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

appendFileSync(process.argv[2], 'started\n')
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const result =
    method === 'initialize'
      ? {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'own', version: '1' },
        }
      : method === 'tools/list'
        ? { tools: [] }
        : {}
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
}
