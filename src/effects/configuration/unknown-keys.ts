import { z } from 'zod'
import { nearest } from '../../operations/perform/nearest.ts'
import { config } from './schema.ts'

export const unknownKeys = (
  value: unknown,
  path: string,
  lineOf: (keys: readonly PropertyKey[]) => number,
): readonly string[] => {
  const warnings: string[] = []
  const visit = (object: unknown, schema: z.ZodType, keys: readonly string[]): void => {
    if (typeof object !== 'object' || object === null) return
    const inner = unwrap(schema, object)
    // Below freely chosen names (personas, kinds) the keys are fixed again.
    if (inner instanceof z.ZodRecord)
      return Object.entries(object).forEach(([key, child]) =>
        visit(child, inner.valueType as z.ZodType, [...keys, key]),
      )
    if (!(inner instanceof z.ZodObject)) return
    const known = Object.keys(inner.shape)
    for (const [key, child] of Object.entries(object)) {
      const at = [...keys, key]
      if (known.includes(key)) visit(child, (inner.shape as Record<string, z.ZodType>)[key]!, at)
      else {
        const close = nearest(key, known)
        warnings.push(
          `${path}:${lineOf(at)}: unknown key ${at.join('.')}${close === undefined ? '' : `; did you mean ${[...keys, close].join('.')}?`}`,
        )
      }
    }
  }
  visit(value, config, [])
  return warnings
}

/** The object or record schema for a value; of several in a union the one that has all its keys. */
const unwrap = (schema: z.ZodType, value: object): z.ZodType => {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in as z.ZodType, value)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return unwrap(schema.unwrap() as z.ZodType, value)
  if (!(schema instanceof z.ZodUnion)) return schema
  const objects = (schema.options as readonly z.ZodType[]).filter((option) => option instanceof z.ZodObject)
  return (
    objects.find(({ shape }) => Object.keys(value).every((key) => Object.hasOwn(shape, key))) ?? objects[0] ?? schema
  )
}
