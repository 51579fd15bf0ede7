import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  conversationQueryRefused,
  conversationsFound,
  executionQueryRefused,
  executionsFound,
  readConversationQuery,
  readExecutionQuery,
} from '../../../src/memory/dual-memory/records.ts'
import { instantOf } from '../../../src/memory/dual-memory/schemas.ts'
import { checked } from '../../support/memory-schemas.ts'

const now = '2026-01-30T14:22:33.000Z'

const ajv = new Ajv()
addFormats(ajv)
const isDateTime = ajv.compile({ type: 'string', format: 'date-time' })

const two = (most: number) => fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, '0'))
const timestamp = fc
  .tuple(
    fc.constantFrom('2024', '0000', '0099', '9999'),
    two(13),
    two(32),
    fc.constantFrom('T', 't', ' '),
    two(25),
    two(61),
    two(61),
    fc.constantFrom('', '.1', '.123456789012'),
    fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+23:59', '+24:00', '-12:60', ''),
  )
  .map(
    ([year, month, day, between, hour, minute, second, fraction, zone]) =>
      `${year}-${month}-${day}${between}${hour}:${minute}:${second}${fraction}${zone}`,
  )

it('every accepted timestamp is valid in the schema of the seed, because answers repeat it', () => {
  let taken = 0
  fc.assert(
    fc.property(timestamp, (text) => {
      if (instantOf(text) === undefined) return
      taken += 1
      expect(isDateTime(text), text).toBe(true)
    }),
    { numRuns: 5000, examples: [['2024-12-15T24:00:00Z'], ['1970-10-01T24:00:00+23:59']] },
  )
  expect(taken).toBeGreaterThan(500)
})

it('midnight is the first hour of a day, and a 24th hour is refused', () => {
  expect(instantOf('2024-12-15T00:00:00Z')).toBe('2024-12-15T00:00:00.000Z')
  expect(instantOf('2024-12-15T24:00:00Z')).toBeUndefined()
})

it('the answer to any query is valid in the schema', () => {
  const value = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.jsonValue(), timestamp)
  const given = fc.record(
    {
      query: fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), value),
      explanation: value,
      message_id: value,
      time_range: fc.oneof(fc.record({ start: timestamp, end: timestamp }, { requiredKeys: [] }), value),
      max_results: fc.oneof(fc.integer({ min: 0, max: 51 }), value),
    },
    { requiredKeys: [] },
  )
  let understood = 0
  fc.assert(
    fc.property(given, (input) => {
      try {
        const answer = conversationsFound(readConversationQuery(input), { total: 0, conversations: [] }, now)
        understood += 1
        checked('retrieve_conversation', JSON.parse(JSON.stringify(answer)) as unknown)
      } catch (error) {
        if ((error as Error).name !== 'Refusal') throw error
        checked(
          'retrieve_conversation',
          JSON.parse(JSON.stringify(conversationQueryRefused((error as Error).message, input, now))) as unknown,
        )
      }
      try {
        checked(
          'retrieve_execution',
          JSON.parse(
            JSON.stringify(executionsFound(readExecutionQuery(input), { total: 0, executions: [] }, now)),
          ) as unknown,
        )
      } catch (error) {
        if ((error as Error).name !== 'Refusal') throw error
        checked(
          'retrieve_execution',
          JSON.parse(JSON.stringify(executionQueryRefused((error as Error).message, input, now))) as unknown,
        )
      }
    }),
    { numRuns: 2000 },
  )
  expect(understood).toBeGreaterThan(20)
})
