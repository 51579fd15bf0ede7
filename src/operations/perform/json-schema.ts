import { z } from 'zod'

/** A JSON Schema (2020-12) of an object. */
export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[]
  readonly [key: string]: unknown
}

/**
 * The JSON Schema of an operation's input or output, as small as possible: limits of whole numbers and the structure of
 * free JSON help no client, and some model services refuse schemas that refer to themselves.
 */
export const jsonSchemaOf = (
  schema: z.ZodType,
  io: 'input' | 'output',
): ObjectSchema | { readonly type: 'array'; readonly items: object } => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (isAnyJson(zodSchema))
        for (const key of Object.keys(jsonSchema)) if (key !== 'description') delete jsonSchema[key]
    },
  })
  return withoutUnused(rest) as never
}

/** `z.json()` is a union of itself. */
const isAnyJson = (schema: z.core.$ZodType): boolean => {
  const { def } = schema._zod
  return def.type === 'lazy' && 'getter' in def && (def.getter as () => z.core.$ZodType)()._zod.def.type === 'union'
}

/** Removes references to empty definitions, and definitions without references. */
const withoutUnused = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { $defs, ...rest } = schema as { $defs?: Record<string, object> }
  if (!$defs) return rest
  const empty = new Set(
    Object.entries($defs).flatMap(([name, definition]) =>
      Object.keys(definition).length === 0 ? [`#/$defs/${name}`] : [],
    ),
  )
  const clean = JSON.parse(JSON.stringify(rest), (key, value: unknown) =>
    key === '$ref' && empty.has(value as string) ? undefined : value,
  ) as Record<string, unknown>
  const text = JSON.stringify(clean)
  const used = Object.entries($defs).filter(([name]) => text.includes(`#/$defs/${name}`))
  return used.length === 0 ? clean : { ...clean, $defs: Object.fromEntries(used) }
}
