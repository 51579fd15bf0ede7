import { describe, expect, it } from 'vitest'
import { idNear } from '../../../src/mcp/protocol/messages.ts'

const long = 'x'.repeat(100)

describe('the id of a message that is too long', () => {
  it.each([
    ['before the parameters', '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":"', 7],
    ['as a text', ' { "id" : "call-1\\u0021" , "params" : [', 'call-1!'],
    ['after other members', '{"jsonrpc":"2.0","method":"tools/call","extra":null,"id":12,"params":', 12],
  ])('is found %s', (_, start, id) => {
    expect(idNear(start + long, `${long}"}}`)).toBe(id)
  })

  it.each([
    ['at the end', '{"method":"tools/call","params":{"a":"', '"}},"jsonrpc":"2.0","id":9}', 9],
    ['at the end, before the version', '{"params":{"a":"', '"},"id":"z","jsonrpc":"2.0" } \r', 'z'],
  ])('is found %s', (_, start, end, id) => {
    expect(idNear(start + long, long + end)).toBe(id)
  })

  it.each([
    ['that belongs to the parameters at the start', '{"params":{"id":7,"a":"', '"}}'],
    ['that belongs to the parameters at the end', '{"method":"m","params":{"a":"', '","id":7}}'],
    ['inside a text', '{"method":"m","params":{"a":"', ' \\"id\\":7}"}}'],
    ['of a notification', '{"jsonrpc":"2.0","method":"notifications/x","params":{"a":"', '"}}'],
    ['that is neither text nor number', '{"id":{"a":1},"params":', '"}}'],
    ['that is not an integer', '{"id":1.5,"params":', '"}}'],
    ['of a batch', '[{"id":7,"params":{"a":"', '"}}]'],
    ['of invalid JSON', long, long],
  ])('is null if the only id is one %s', (_, start, end) => {
    expect(idNear(start + long, long + end)).toBeNull()
  })
})
