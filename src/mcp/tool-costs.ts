import type { Core } from '../operations/kernel/core.ts'
import { listed } from './server.ts'
import { tools } from './tools.ts'
import { toolsets, toolsFor } from './toolsets.ts'
import type { ToolRow } from './tool.ts'

export interface ToolCost {
  readonly name: string
  readonly title: string
  /** The group that it is switched with; null for those that are always there. */
  readonly toolset: string | null
  readonly on: boolean
  readonly tokens: number
}

/** Every tool with about how many tokens a model pays for its description; four characters are a token. */
export const toolCosts = async (core: Pick<Core, 'root' | 'settings'>): Promise<readonly ToolCost[]> => {
  const on = new Set((await toolsFor(core)).map(({ name }) => name))
  const cost = (toolset: string | null, rows: readonly ToolRow[]): readonly ToolCost[] =>
    listed(rows).map(({ name, title, description, inputSchema }) => ({
      name,
      title,
      toolset,
      on: on.has(name),
      tokens: Math.ceil(JSON.stringify({ name, description, inputSchema }).length / 4),
    }))
  const groups = await Promise.all(Object.entries(toolsets).map(async ([name, rows]) => cost(name, await rows(core.root))))
  return [...cost(null, tools), ...groups.flat()]
}
