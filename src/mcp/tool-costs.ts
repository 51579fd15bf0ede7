import { toolsetsFor } from '../domain/settings.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import { listPersonas } from '../operations/list-personas.ts'
import { perform } from '../operations/kernel/perform.ts'
import { listed } from './server.ts'
import { tools } from './tools.ts'
import { personaOf, toolsets } from './toolsets.ts'
import type { ToolRow } from './tool.ts'

export interface ToolCost {
  readonly name: string
  readonly title: string
  /** The group that it is switched with; null for those that are always there. */
  readonly toolset: string | null
  /** For whoever asks. */
  readonly on: boolean
  /** The personas whose agents have it. */
  readonly personas: readonly string[]
  readonly tokens: number
}

/** Every tool with about how many tokens a model pays for its description; four characters are a token. */
export const toolCosts = async (connection: Pick<Connection, 'core' | 'actor'>): Promise<readonly ToolCost[]> => {
  const { core, actor } = connection
  const wanted = toolsetsFor(core.settings, await personaOf(connection))
  const personas = (await perform(core, listPersonas, {}, actor)).map(({ id }) => ({ id, wanted: toolsetsFor(core.settings, id) }))
  const cost = (toolset: string | null, rows: readonly ToolRow[]): readonly ToolCost[] =>
    listed(rows).map(({ name, title, description, inputSchema }) => ({
      name,
      title,
      toolset,
      on: toolset === null || wanted.includes(toolset),
      personas: personas.filter((persona) => toolset === null || persona.wanted.includes(toolset)).map(({ id }) => id),
      tokens: Math.ceil(JSON.stringify({ name, description, inputSchema }).length / 4),
    }))
  const groups = await Promise.all(Object.entries(toolsets).map(async ([name, rows]) => cost(name, await rows(core.root))))
  return [...cost(null, tools), ...groups.flat()]
}
