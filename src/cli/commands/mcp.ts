import type { ToolCost } from '../../contracts/tool-cost.ts'
import { type Command, does, open, saidAll } from '../call/command.ts'
import { port } from '../call/values.ts'
import { choice, flag, option } from '../call/words.ts'
import { blocks, columns, section } from '../print/columns.ts'

/** The surface for agents and IDEs. */
export const mcpCommands: readonly Command[] = [
  does({
    path: 'mcp',
    summary: 'Serve agents and IDEs over MCP on standard input and output',
    words: {
      as: choice(
        '--as',
        'ROLE',
        'Let a client that is not an agent plan: create worktrees, spawn agents, request integrations; also runs the tasks',
        ['planner'],
      ),
      http: option(
        '--http',
        'PORT',
        'Serve HTTP on this port of the loopback instead (0: any); prints address and token',
        port,
      ),
      printTools: flag('--print-tools', 'Do not serve; show the tools and the tokens that their descriptions cost'),
    },
    run: async ({ as, http, printTools }, call) => {
      if (printTools) {
        const tools = await call.services.listMcpTools(await open(call), { planner: as === 'planner' })
        return { json: tools, text: toolTable(tools) }
      }
      await call.services.serveMcp(call.root, {
        planner: as === 'planner',
        http: http ?? null,
        listening: ({ url, token }) =>
          call.streams.out(
            call.json
              ? `${JSON.stringify({ url, token })}\n`
              : `Serving MCP at ${url}\nAuthorization: Bearer ${token}\n`,
          ),
      })
      return saidAll
    },
    example: 'mcp --as planner',
  }),
]

/** The tools, those that are on for the caller, and the cost for each persona's agents. */
const toolTable = (tools: readonly ToolCost[]): string => {
  const sum = (has: (tool: ToolCost) => boolean): number =>
    tools.reduce((total, tool) => total + (has(tool) ? tool.tokens : 0), 0)
  const rows = tools.map(({ name, title, toolset, on, tokens }) => [
    name,
    title,
    toolset === null ? '' : `${toolset}${on ? '' : ' (off)'}`,
    tokens,
  ])
  const personas = [...new Set(tools.flatMap((tool) => tool.personas))].sort()
  return blocks([
    columns(['TOOL', 'TITLE', 'TOOLSET', 'TOKENS'], [...rows, ['', 'enabled', '', sum(({ on }) => on)]], ['TOKENS']),
    section(
      'Tokens by persona',
      columns(
        ['PERSONA', 'TOOLSETS', 'TOKENS'],
        personas.map((id) => {
          const own = tools.filter((tool) => tool.personas.includes(id))
          return [
            id,
            [...new Set(own.flatMap(({ toolset }) => toolset ?? []))].join(', '),
            sum((tool) => tool.personas.includes(id)),
          ]
        }),
        ['TOKENS'],
      ).split('\n'),
    ),
  ])
}
