import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/sdk/types.js'
import { Refusal } from '../domain/refusal.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import { perform } from '../operations/kernel/perform.ts'
import { listPersonas } from '../operations/list-personas.ts'
import { instructions } from './instructions.ts'

// One prompt a persona: a client that has no agent of ours can work as one.

export const listPrompts = async (connection: Connection): Promise<ListPromptsResult> => ({
  prompts: (await personas(connection)).map(({ id, name }) => ({ name: id, title: name, description: `Work as ${name} in this swarm` })),
})

export const getPrompt = async (connection: Connection, name: string): Promise<GetPromptResult> => {
  const persona = (await personas(connection)).find(({ id }) => id === name)
  if (!persona) throw new Refusal('not_found', `There is no persona ${name}; prompts/list shows them.`)
  return { description: `Work as ${persona.name} in this swarm`, messages: [{ role: 'user', content: { type: 'text', text: `${persona.definition.trim()}\n\n${instructions}` } }] }
}

const personas = async ({ core, actor }: Connection) => (await perform(core, listPersonas, {}, actor)).filter(({ role }) => role !== 'person')
