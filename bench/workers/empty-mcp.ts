// The minimal MCP server: the SDK's own server with one tool that does nothing.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'empty', version: '1.0.0' })
server.registerTool('claim_task', { description: 'Does nothing', inputSchema: { taskId: z.number() } }, () => ({ content: [{ type: 'text', text: '{}' }] }))
await server.connect(new StdioServerTransport())
