import type { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { jsonSchemaOf, type ObjectSchema } from '../../operations/perform/json-schema.ts'
import type { ToolRow } from './tool.ts'

/** The caller of a tool for a memory in files. */
interface MemoryCaller {
  readonly connection: Connection
  /** The agent of the connection; null for any other caller. */
  readonly agentId: string | null
}

export interface MemoryTool<I extends z.ZodType> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly reads?: boolean
  /** True if a repeated call changes nothing more. */
  readonly idempotent?: boolean
  readonly input: I
  readonly output: z.ZodType
  readonly call: (
    input: z.output<I>,
    caller: MemoryCaller,
  ) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>
}

/** A tool without an operation, because it reads and writes files: its input is parsed here. */
export const memoryRow = <I extends z.ZodType>({
  name,
  title,
  description,
  reads = false,
  idempotent = false,
  input,
  output,
  call,
}: MemoryTool<I>): ToolRow => ({
  name,
  title,
  description,
  annotations: reads
    ? { title, readOnlyHint: true, openWorldHint: false }
    : { title, readOnlyHint: false, destructiveHint: false, idempotentHint: idempotent, openWorldHint: false },
  inputSchema: () => jsonSchemaOf(input, 'input') as ObjectSchema,
  outputSchema: () => jsonSchemaOf(output, 'output') as ObjectSchema,
  call: async ({ connection, input: given }) => {
    const parsed = input.safeParse(given)
    if (!parsed.success) {
      const issue = parsed.error.issues[0]!
      throw new Refusal(
        'invalid_input',
        `${name}${issue.path.length > 0 ? ` at ${issue.path.join('.')}` : ''}: ${issue.message}.`,
      )
    }
    return call(parsed.data, { connection, agentId: connection.actor.kind === 'agent' ? connection.actor.id : null })
  },
})
