import { type Command, does, open, saidAll } from '../call/command.ts'
import { toolTable } from '../print/tool-text.ts'
import { port } from '../call/values.ts'
import { choice, flag, option } from '../call/words.ts'

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
