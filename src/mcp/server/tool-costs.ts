import { toolsetsFor } from '../../domain/settings/persona-settings.ts'
import type { Connection } from '../../operations/perform/core.ts'
import type { ToolCost } from '../../contracts/tool-cost.ts'
import { listPersonas } from '../../operations/agents/personas.ts'
import { perform } from '../../operations/perform/perform.ts'
import { listed } from './server.ts'
import { planning, tools } from '../tools/tools.ts'
import { personaOf, plansWork, toolsets } from '../tools/toolsets.ts'
import type { ToolRow } from '../tools/tool.ts'

/**
 * Every tool with the approximate number of tokens that a model pays for its description, at four characters per token.
 */
export const toolCosts = async (connection: Pick<Connection, 'core' | 'actor'>): Promise<readonly ToolCost[]> => {
  const { core, actor } = connection
  const wanted = toolsetsFor(core.settings, await personaOf(connection))
  const personas = (await perform(core, listPersonas, {}, actor)).map(({ id }) => ({
    id,
    wanted: toolsetsFor(core.settings, id),
  }))
  const cost = (toolset: string | null, rows: readonly ToolRow[]): readonly ToolCost[] =>
    listed(rows).map(({ name, title, description, inputSchema }) => ({
      name,
      title,
      toolset,
      on: toolset === null || wanted.includes(toolset),
      personas: personas.filter((persona) => toolset === null || persona.wanted.includes(toolset)).map(({ id }) => id),
      tokens: Math.ceil(JSON.stringify({ name, description, inputSchema }).length / 4),
    }))
  const groups = await Promise.all(
    Object.entries(toolsets).map(async ([name, rows]) => cost(name, await rows(core.root))),
  )
  return [...cost(null, [...tools, ...(plansWork(connection) ? planning : [])]), ...groups.flat()]
}
