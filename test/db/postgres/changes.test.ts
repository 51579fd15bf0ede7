import { expect, test } from 'vitest'
import { othersEnded, stillOpen } from '../../../src/db/postgres/changes.ts'

const own = (...xids: readonly string[]): ReadonlySet<string> => new Set(xids)

test.each([
  ['nothing has happened', '100:100:', '100:100:', own(), false],
  ['one of others has begun and ended', '100:100:', '101:101:', own(), true],
  ['an own one has ended', '100:100:', '101:101:', own('100'), false],
  ['an own one and one of others have ended', '100:100:', '102:102:', own('100'), true],
  [
    'one of others has begun, and an own one with a higher number has ended',
    '100:100:',
    '100:102:100',
    own('101'),
    false,
  ],
  ['one of others that was open has ended', '100:102:100', '102:102:', own('101'), true],
  ['an own one that was open has ended', '100:102:100', '102:102:', own('100'), false],
  ['numbers beyond 32 bits are compared whole', '4294967396:4294967396:', '4294967397:4294967397:', own('100'), true],
  ['the server was restored to an earlier time', '100:100:', '90:90:', own('100'), true],
  ['too many have ended to look at each', '100:100:', '99999:99999:', own(), true],
])('others have ended a transaction between two snapshots, or not: %s', (_, before, now, mine, ended) => {
  expect(othersEnded(before, now, mine)).toBe(ended)
})

test('an own transaction is remembered as long as it may be open', () => {
  expect(stillOpen('100:103:100,102', own('99', '100', '101', '103'))).toEqual(own('100', '101', '103'))
})
