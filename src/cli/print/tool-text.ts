import type { ToolCost } from '../../contracts/tool-cost.ts'
import { blocks, columns, section } from './columns.ts'

/** The tools, those that are on for the caller, and the cost for each persona's agents. */
export const toolTable = (tools: readonly ToolCost[]): string => {
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
