import Database from 'better-sqlite3'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

// The minimal MCP server: the SDK's own server with one tool. With a database as argument, the tool commits one row to
// it, as durably as aiswarm does; without, it does nothing.

const [path] = process.argv.slice(2)

const openDatabase = (file: string) => {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('CREATE TABLE IF NOT EXISTS rows (task_id INTEGER, at TEXT)')
  return db.prepare('INSERT INTO rows (task_id, at) VALUES (?, ?)')
}

const insert = path === undefined ? undefined : openDatabase(path)
const server = new McpServer({ name: 'empty', version: '1.0.0' })
server.registerTool(
  'claim_task',
  { description: 'Commits a row or does nothing', inputSchema: { taskId: z.number() } },
  ({ taskId }) => {
    insert?.run(taskId, new Date().toISOString())
    return { content: [{ type: 'text', text: '{}' }] }
  },
)
await server.connect(new StdioServerTransport())
