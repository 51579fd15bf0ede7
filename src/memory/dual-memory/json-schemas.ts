import { z } from 'zod'
import {
  addConversationInput,
  addConversationOutput,
  retrieveConversationInput,
  retrieveConversationOutput,
} from './conversation-schemas.ts'
import {
  addExecutionInput,
  addExecutionOutput,
  retrieveExecutionInput,
  retrieveExecutionOutput,
} from './execution-schemas.ts'

/** The input and output schemas of seed 003's tools. */
export const schemas = {
  add_conversation: { input: addConversationInput, output: addConversationOutput },
  add_execution: { input: addExecutionInput, output: addExecutionOutput },
  retrieve_conversation: { input: retrieveConversationInput, output: retrieveConversationOutput },
  retrieve_execution: { input: retrieveExecutionInput, output: retrieveExecutionOutput },
} as const

export type DualMemoryTool = keyof typeof schemas

/** The JSON Schema (draft 7) of a tool's input or output, as in the seed. */
export const jsonSchema = (tool: DualMemoryTool, way: 'input' | 'output'): Readonly<Record<string, unknown>> =>
  z.toJSONSchema(schemas[tool][way], {
    target: 'draft-7',
    // Both sides are described as input: a default is not required, and an object is open unless stated otherwise.
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (isEmpty(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties
    },
  })

/** The files under `schemas/`, by name. */
export const publishedSchemas = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (Object.keys(schemas) as DualMemoryTool[]).flatMap((tool) =>
      (['input', 'output'] as const).map((way) => {
        const { $schema, ...rest } = jsonSchema(tool, way)
        return [`${tool}_${way}.json`, `${JSON.stringify({ $schema, title: `${tool} ${way}`, ...rest }, null, 2)}\n`]
      }),
    ),
  )

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0
