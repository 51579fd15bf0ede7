import Database from 'better-sqlite3'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'
import { connect } from '../../src/db/sqlite/database.ts'
import { claimByHand } from '../by-hand.ts'

// The minimal MCP server: the SDK's own server with one tool. Without an argument the tool does nothing; with a database,
// it commits one row to it, as durably as aiswarm does; with a board and an agent, it commits a claim, by the statements
// of the operation.

const [path, agentId] = process.argv.slice(2)

const rowsOf = (file: string) => {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('CREATE TABLE IF NOT EXISTS rows (task_id INTEGER, at TEXT)')
  const insert = db.prepare('INSERT INTO rows (task_id, at) VALUES (?, ?)')
  return (taskId: number) => void insert.run(taskId, new Date().toISOString())
}

const claimsOn = (board: string, agent: string) => {
  const claim = claimByHand(connect(board), agent)
  return (taskId: number) => {
    if (!claim(taskId)) throw new Error(`Task ${taskId} could not be claimed.`)
  }
}

const commit = path === undefined ? () => undefined : agentId === undefined ? rowsOf(path) : claimsOn(path, agentId)
const server = new McpServer({ name: 'empty', version: '1.0.0' })
server.registerTool(
  'claim_task',
  { description: 'Commits a claim, a row or nothing', inputSchema: { taskId: z.number() } },
  ({ taskId }) => {
    commit(taskId)
    return { content: [{ type: 'text', text: '{}' }] }
  },
)
await server.connect(new StdioServerTransport())
