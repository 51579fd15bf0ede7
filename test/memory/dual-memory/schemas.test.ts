import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type DualMemoryTool,
  instantOf,
  jsonSchema,
  publishedSchemas,
  schemas,
} from '../../../src/memory/dual-memory/schemas.ts'
import { relevance } from '../../../src/memory/dual-memory/records.ts'
import { allows, bare, seedSchema } from '../../support/memory-schemas.ts'

const published = join(import.meta.dirname, '../../../schemas')
const tools = Object.keys(schemas) as DualMemoryTool[]
const ways = ['input', 'output'] as const

describe('the published schemas', () => {
  it("are eight files, generated from the definitions ('npm run schemas' writes them)", () => {
    const files = Object.fromEntries(
      readdirSync(published)
        .filter((name) => name !== 'task_list.json')
        .map((name) => [name, readFileSync(join(published, name), 'utf8')]),
    )
    expect(Object.keys(files)).toHaveLength(8)
    expect(files).toEqual(publishedSchemas())
  })

  for (const tool of tools) {
    for (const way of ways) {
      it(`match the seed: ${tool}_${way}`, () => {
        expect(bare(jsonSchema(tool, way))).toEqual(bare(seedSchema(tool, way)))
        expect(bare(JSON.parse(readFileSync(join(published, `${tool}_${way}.json`), 'utf8')))).toEqual(
          bare(seedSchema(tool, way)),
        )
      })
    }
  }
})

describe('a tool input', () => {
  const conversation = { message_id: 'm', explanation: 'e', user_input: 'u', agent_response: 'a' }
  const execution = {
    message_id: 'm',
    explanation: 'e',
    execution_summary: 's',
    tools_used: ['t'],
    errors: [{ error_type: 'E', error_message: 'm' }],
    observations: '',
    success: true,
  }
  const query = { explanation: 'e', query: 'q' }
  const valid: Record<DualMemoryTool, Record<string, unknown>> = {
    add_conversation: conversation,
    add_execution: execution,
    retrieve_conversation: query,
    retrieve_execution: query,
  }
  const odd = fc.oneof(
    fc.constantFrom<unknown>(
      undefined,
      null,
      '',
      0,
      -1,
      1,
      1.5,
      50,
      51,
      true,
      [],
      {},
      [''],
      [1],
      [{}],
      { start: 'x' },
      { end: '2024-01-01T00:00:00Z' },
      'x'.repeat(10_001),
      '😀'.repeat(100),
    ),
    fc.constantFrom(
      '2024-12-15T14:30:00Z',
      '2024-12-15',
      '2024-02-30T00:00:00Z',
      '2024-12-15T14:30:00+02:00',
      'yesterday',
      '2024-12-15T25:00:00Z',
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
  )

  it('is accepted exactly if the schema of the seed accepts it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...tools),
        fc.array(fc.tuple(fc.nat(20), odd), { maxLength: 2 }),
        fc.option(fc.string({ maxLength: 5 })),
        (tool, changes, further) => {
          const keys = Object.keys(seedSchema(tool, 'input')['properties'] as object)
          const input: Record<string, unknown> = { ...valid[tool] }
          for (const [at, value] of changes) input[keys[at % keys.length]!] = value
          if (further !== null) input[further] = 1
          // An undefined value is not sent.
          const sent = JSON.parse(JSON.stringify(input)) as unknown
          expect(schemas[tool].input.safeParse(sent).success, JSON.stringify(sent).slice(0, 300)).toBe(
            allows(tool, 'input', sent),
          )
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('may be as long as the seed says, in characters', () => {
    const longest = (text: string): boolean =>
      schemas.add_conversation.input.safeParse({ ...conversation, user_input: text }).success
    expect(longest('x'.repeat(10_000))).toBe(true)
    expect(longest('x'.repeat(10_001))).toBe(false)
    expect(longest('😀'.repeat(10_000))).toBe(true)
    expect(longest('😀'.repeat(10_001))).toBe(false)
    expect(longest('')).toBe(false)
  })

  it('has no user: that is an unknown property', () => {
    for (const tool of tools)
      expect(schemas[tool].input.safeParse({ ...valid[tool], user_id: 'mallory' }).error?.issues[0]?.message).toMatch(
        /user_id/,
      )
  })
})

describe('a timestamp', () => {
  it('is any form of RFC 3339, and is stored in one form', () => {
    expect(instantOf('2024-12-15T14:30:00Z')).toBe('2024-12-15T14:30:00.000Z')
    expect(instantOf('2024-12-15t16:30:00.5+02:00')).toBe('2024-12-15T14:30:00.500Z')
    expect(instantOf('2024-02-29T00:00:00Z')).toBe('2024-02-29T00:00:00.000Z')
  })

  it('is refused without a valid day, an offset or seconds', () => {
    for (const text of [
      '2024-02-30T00:00:00Z',
      '2023-02-29T00:00:00Z',
      '2024-12-15T14:30:00',
      '2024-12-15T14:30Z',
      '2024-12-15',
      'now',
      '',
      '9999-12-31T23:59:59-02:00',
      '2024-13-01T00:00:00Z',
    ])
      expect(instantOf(text), text).toBeUndefined()
  })
})

it('relevance is between 0 and 1, decreases with the rank, and is 1 for the best and for a named result', () => {
  expect(relevance([-4, -2, -1e-9])).toEqual([1, 0.5, 2.5e-10])
  expect(relevance([null])).toEqual([1])
  expect(relevance([0, 0])).toEqual([1, 1])
  expect(relevance([])).toEqual([])
})
