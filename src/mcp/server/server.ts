import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { Connection } from '../../operations/door/connection.ts'
import { Attempts } from './attempts.ts'
import { instructions } from './instructions.ts'
import { CallRate } from '../protocol/limits.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { listResources, listResourceTemplates, readResource } from './resources.ts'
import { Subscriptions } from './subscriptions.ts'
import type { ToolRow } from '../tools/tool.ts'
import { personaOf, plansWork, toolsFor } from '../tools/toolsets.ts'
import { asErrors } from './protocol-error.ts'
import { callTool } from './call-tool.ts'

export interface ServerOptions {
  readonly connection: Connection
  readonly version: string
  /** Receives reports of bugs in this program. */
  readonly report: (sentence: string) => void
  /** Aborted when the connection ends: waiting calls return. */
  readonly signal: AbortSignal
}

/** One server for one connection; `underway` are the unanswered calls. */
export const createServer = ({
  connection,
  version,
  report,
  signal,
}: ServerOptions): { readonly server: Server; readonly underway: ReadonlySet<Promise<unknown>> } => {
  const server = new Server(
    { name: 'aiswarm', title: 'aiswarm', version },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} }, instructions },
  )
  const rate = new CallRate(performance.now())
  const subscriptions = new Subscriptions(connection, (uri) => server.sendResourceUpdated({ uri }), signal)
  const attempts = new Attempts(connection)
  const underway = new Set<Promise<unknown>>()

  const rows = personaOf(connection).then((personaId) => toolsFor(connection.core, personaId, plansWork(connection)))
  // A problem is reported to the client that lists the tools.
  rows.catch(() => {})
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: listed(await asErrors(rows)) }))
  server.setRequestHandler(CallToolRequestSchema, (request, extra) => {
    const call = callTool(
      connection,
      rows,
      request.params,
      rate,
      AbortSignal.any([extra.signal, signal]),
      report,
      attempts,
    )
    underway.add(call)
    return call.finally(() => underway.delete(call))
  })
  server.setRequestHandler(ListResourcesRequestSchema, listResources)
  server.setRequestHandler(ListResourceTemplatesRequestSchema, listResourceTemplates)
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => asErrors(readResource(connection, params.uri)))
  server.setRequestHandler(SubscribeRequestSchema, async ({ params }) => {
    await asErrors(subscriptions.add(params.uri))
    return {}
  })
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscriptions.remove(params.uri)
    return {}
  })
  server.setRequestHandler(ListPromptsRequestSchema, () => asErrors(listPrompts(connection)))
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => asErrors(getPrompt(connection, params.name)))
  return { server, underway }
}

/** Cached descriptions of tools for clients. */
const told = new WeakMap<ToolRow, ReturnType<typeof tellOf>>()
const tellOf = ({ name, title, description, annotations, inputSchema, outputSchema }: ToolRow) => ({
  name,
  title,
  description,
  annotations,
  inputSchema: inputSchema(),
  ...(outputSchema === undefined ? {} : { outputSchema: outputSchema() }),
})

export const listed = (rows: readonly ToolRow[]) =>
  rows.map((row) => {
    const known = told.get(row) ?? tellOf(row)
    told.set(row, known)
    return known
  })
