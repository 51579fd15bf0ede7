import type { z } from 'zod'
import { Refusal } from '../domain/refusal.ts'
import type { ProjectPlace } from '../memory/project-memory/place.ts'
import { jsonSchemaOf, type ObjectSchema } from '../operations/kernel/json-schema.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import type { ToolRow } from './tool.ts'

/** What one call of a tool of project memory has in hand. */
interface Caller {
  readonly place: ProjectPlace
  readonly connection: Connection
  /** The agent whose connection it is; null for anyone else. */
  readonly reader: string | null
  /** As `reader`; refuses who is no agent. */
  readonly writer: () => string
}

interface Definition<I extends z.ZodType> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly reads?: boolean
  readonly input: I
  readonly output: z.ZodType
  readonly call: (input: z.output<I>, caller: Caller) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>
}

/** Makes rows of tools on the project memory of one repository. */
export const projectRow =
  (root: string, lock: ProjectPlace['lock']) =>
  <I extends z.ZodType>({ name, title, description, reads = false, input, output, call }: Definition<I>): ToolRow => ({
    name,
    title,
    description,
    annotations: reads ? { title, readOnlyHint: true, openWorldHint: false } : { title, readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    inputSchema: () => jsonSchemaOf(input, 'input') as ObjectSchema,
    outputSchema: () => jsonSchemaOf(output, 'output') as ObjectSchema,
    call: async ({ connection, input: given }) => {
      const parsed = input.safeParse(given)
      if (!parsed.success) {
        const issue = parsed.error.issues[0]!
        throw new Refusal('invalid_input', `${name}${issue.path.length > 0 ? ` at ${issue.path.join('.')}` : ''}: ${issue.message}.`)
      }
      const { actor, core } = connection
      const reader = actor.kind === 'agent' ? actor.id : null
      return call(parsed.data, {
        connection,
        place: { root, lock, clock: core.clock, owners: core.settings.memory.owners },
        reader,
        writer: () => {
          if (reader === null) throw new Refusal('not_owner', 'Only agents write project memory over MCP, and you are none; a person uses aiswarm memory.')
          return reader
        },
      })
    },
  })
