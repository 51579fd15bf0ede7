import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'

/** The original schemas of seed 003. */
export const seedSchema = (tool: string, way: 'input' | 'output'): Record<string, unknown> =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, '../fixtures/003-schemas', `${tool}_${way}.json`), 'utf8'),
  ) as Record<string, unknown>

const ajv = new Ajv({ allErrors: true })
addFormats(ajv)
const validators = new Map<string, ValidateFunction>()

const validatorOf = (tool: string, way: 'input' | 'output'): ValidateFunction => {
  const key = `${tool}_${way}`
  const known = validators.get(key) ?? ajv.compile(seedSchema(tool, way))
  validators.set(key, known)
  return known
}

/** The errors of a validator with the seed's schemas for a value. */
export const allows = (tool: string, way: 'input' | 'output', value: unknown): boolean => validatorOf(tool, way)(value)

/** The value, which must be valid in the seed's output schema of this tool. */
export const checked = <T>(tool: string, value: T): T => {
  const validate = validatorOf(tool, 'output')
  expect(validate(value) ? [] : validate.errors, JSON.stringify(value).slice(0, 500)).toEqual([])
  return value
}

/** A schema without its descriptions. */
export const bare = (schema: unknown): unknown =>
  Array.isArray(schema)
    ? schema.map(bare)
    : typeof schema === 'object' && schema !== null
      ? Object.fromEntries(
          Object.entries(schema).flatMap(([key, value]) =>
            ['$schema', 'title', 'description'].includes(key) ? [] : [[key, bare(value)]],
          ),
        )
      : schema
