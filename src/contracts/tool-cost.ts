/** The cost of an MCP tool for every agent that has it. */
export interface ToolCost {
  readonly name: string
  readonly title: string
  /** The toolset that contains it; null for tools that are always on. */
  readonly toolset: string | null
  /** True if it is on for the caller. */
  readonly on: boolean
  /** The personas whose agents have it. */
  readonly personas: readonly string[]
  /** Approximate number of tokens of its description. */
  readonly tokens: number
}
