import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import type { Connection } from '../../contracts/outside.ts'
import { Attempts } from './attempts.ts'
import { instructions } from './instructions.ts'
import { CallRate } from '../protocol/limits.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { quoted } from './quote.ts'
import { listResources, listResourceTemplates, readResource } from './resources.ts'
import { Subscriptions } from './subscriptions.ts'
import type { ToolRow } from '../tools/tool.ts'
import { personaOf, toolsFor } from '../tools/toolsets.ts'

export interface ServerOptions {
  readonly connection: Connection
  readonly version: string
  /** Receives reports of bugs in this program. */
  readonly report: (sentence: string) => void
  /** Aborted when the connection ends: waiting calls return. */
  readonly signal: AbortSignal
}

/** One server for one connection; `underway` are the unanswered calls. */
export const createServer = ({ connection, version, report, signal }: ServerOptions): { readonly server: Server; readonly underway: ReadonlySet<Promise<unknown>> } => {
  const server = new Server({ name: 'aiswarm', title: 'aiswarm', version }, { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} }, instructions })
  const rate = new CallRate(performance.now())
  const subscriptions = new Subscriptions(connection, (uri) => server.sendResourceUpdated({ uri }), signal)
  const attempts = new Attempts(connection)
  const underway = new Set<Promise<unknown>>()

  const rows = personaOf(connection).then((personaId) => toolsFor(connection.core, personaId))
  // A problem is reported to the client that lists the tools.
  rows.catch(() => {})
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: listed(await asErrors(rows)) }))
  server.setRequestHandler(CallToolRequestSchema, (request, extra) => {
    const call = callTool(connection, rows, request.params, rate, AbortSignal.any([extra.signal, signal]), report, attempts)
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

interface Params {
  readonly name: string
  readonly arguments?: Record<string, unknown> | undefined
}

const callTool = async (
  connection: Connection,
  rows: Promise<readonly ToolRow[]>,
  params: Params,
  rate: CallRate,
  signal: AbortSignal,
  report: ServerOptions['report'],
  attempts: Attempts,
): Promise<CallToolResult> => {
  const row = (await asErrors(rows)).find(({ name }) => name === params.name)
  if (!row) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name.slice(0, 100)}. tools/list lists the tools`)
  const { ownWords } = row
  const given = params.arguments ?? {}
  try {
    if (!rate.take(performance.now())) throw new Refusal('rate_limited', 'More than 20 calls a second. Wait a second, then continue.')
    const { input, options } = ownWords ? { input: given, options: {} } : named(row, given)
    const output = await row.call({ connection, signal, input: await attempts.named(row.name, input), options })
    attempts.learn(row.name, output)
    if (ownWords) return answered(output, ownWords.isError(output))
    // A verdict repeats the action that the agent is about to do; truncated or quoted, it would be another action.
    if (row.outputSchema === undefined) return textOf(output)
    return answered(quoted(output, connection.actor) as Record<string, unknown>)
  } catch (error) {
    const refusal = asRefusal(error)
    const [code, sentence] = refusal ? [refusal.code, refusal.message] : ['bug', `This is a bug in aiswarm: ${error instanceof Error ? error.message : String(error)}`]
    if (!refusal) report(`${row.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    return ownWords ? answered(ownWords.refused(sentence, given, connection.core.clock()), true) : refused(code, sentence)
  }
}

/** The arguments, and the client's id of the call. */
const named = (row: ToolRow, { requestId, ...input }: Readonly<Record<string, unknown>>): { input: Readonly<Record<string, unknown>>; options: { requestId?: string } } => {
  if (requestId === undefined) return { input, options: {} }
  if (typeof requestId === 'string' && requestId !== '' && requestId.length <= 200) return { input, options: { requestId } }
  throw new Refusal('invalid_input', `${row.name} at requestId: use a text of 1 to 200 characters.`)
}

const textOf = (value: Readonly<Record<string, unknown>>): CallToolResult => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })

const answered = (structuredContent: Readonly<Record<string, unknown>>, isError = false): CallToolResult => ({
  ...textOf(structuredContent),
  structuredContent,
  ...(isError ? { isError } : {}),
})

const refused = (code: string, message: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text: JSON.stringify({ error: { code, message } }) }] })

/** Outside of tools a refusal is a protocol error. */
const asErrors = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new McpError(error.code === 'not_found' ? -32002 : ErrorCode.InvalidRequest, error.message, { code: error.code })
  }
}
