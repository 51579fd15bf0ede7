import { toolList } from './server.ts'

/** Every tool with about how many tokens a model pays for its description; four characters are a token. */
export const toolCosts = (): readonly { readonly name: string; readonly title: string; readonly tokens: number }[] =>
  toolList().map(({ name, title, description, inputSchema }) => ({ name, title, tokens: Math.ceil(JSON.stringify({ name, description, inputSchema }).length / 4) }))
