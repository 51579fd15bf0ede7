import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/sdk/types.js'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Connection } from '../../operations/door/connection.ts'
import { perform } from '../../operations/door/perform.ts'
import { listPersonas } from '../../operations/agents/list-personas.ts'
import { instructions } from './instructions.ts'

// One prompt per persona, for a client that is not an agent of aiswarm.

export const listPrompts = async (connection: Connection): Promise<ListPromptsResult> => ({
  prompts: (await personas(connection)).map(({ id, name }) => ({
    name: id,
    title: name,
    description: `Work as ${name} in this swarm`,
  })),
})

export const getPrompt = async (connection: Connection, name: string): Promise<GetPromptResult> => {
  const persona = (await personas(connection)).find(({ id }) => id === name)
  if (!persona) throw new Refusal('not_found', `There is no persona ${name}. prompts/list lists the personas.`)
  return {
    description: `Work as ${persona.name} in this swarm`,
    messages: [{ role: 'user', content: { type: 'text', text: `${persona.definition.trim()}\n\n${instructions}` } }],
  }
}

const personas = async ({ core, actor }: Connection) =>
  (await perform(core, listPersonas, {}, actor)).filter(({ role }) => role !== 'person')
