import { expect, onTestFinished, test } from 'vitest'
import {
  clockTime,
  duration,
  elapsed,
  instant,
  later,
  milliseconds,
  parseDuration,
  sessionId,
  zonedTime,
} from '../../../src/domain/words/time.ts'

test('an instant is UTC with milliseconds, and sorts as text', () => {
  expect(instant(0)).toBe('1970-01-01T00:00:00.000Z')
  expect(instant(Date.UTC(2026, 0, 30, 14, 22, 33, 7))).toBe('2026-01-30T14:22:33.007Z')
  expect(milliseconds('2026-01-30T14:22:33.007Z')).toBe(1_769_782_953_007)
  expect(instant(999) < instant(1000)).toBe(true)
})

test('an instant can be moved across days in both directions', () => {
  expect(later('2026-12-31T23:59:59.500Z', 500)).toBe('2027-01-01T00:00:00.000Z')
  expect(later('2026-01-01T00:00:00.000Z', -1)).toBe('2025-12-31T23:59:59.999Z')
  expect(elapsed('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.250Z')).toBe(1250)
  expect(elapsed('2026-01-01T00:00:01.250Z', '2026-01-01T00:00:00.000Z')).toBe(-1250)
})

test('a duration is printed in a short form', () => {
  expect([0, 999, 8000, 59_999].map(duration)).toEqual(['0s', '0s', '8s', '59s'])
  expect([60_000, 250_000, 3_599_000].map(duration)).toEqual(['1m00', '4m10', '59m59'])
  expect([3_600_000, 7_500_000, 86_399_000].map(duration)).toEqual(['1h00', '2h05', '23h59'])
  expect([86_400_000, 273_600_000].map(duration)).toEqual(['1d0h', '3d4h'])
  expect(duration(-5000)).toBe('0s')
})

test('the clock time and the session id use the local clock', () => {
  const local = new Date(2026, 0, 3, 4, 5, 6).toISOString()
  expect(clockTime(local)).toBe('04:05:06')
  expect(sessionId(local)).toBe('session-20260103-040506')
})

test('a configured duration has a number and a unit', () => {
  expect(['500ms', '30s', '10m', '2h', '1d', '1.5s', ' 30 s '].map(parseDuration)).toEqual([
    500, 30_000, 600_000, 7_200_000, 86_400_000, 1500, 30_000,
  ])
  for (const text of ['', '30', 's', '-1s', '1 week', '1s2', '1e3s', '.5s', 'Infinitys'])
    expect(parseDuration(text)).toBeUndefined()
})

test.each([
  ['UTC', '2026-01-30 14:22:30 +0000'],
  ['Europe/Berlin', '2026-01-30 15:22:30 +0100'],
  ['Asia/Kolkata', '2026-01-30 19:52:30 +0530'],
  ['America/St_Johns', '2026-01-30 10:52:30 -0330'],
])('a time in %s is local and names its zone', (zone, words) => {
  const before = process.env['TZ']
  process.env['TZ'] = zone
  onTestFinished(() => {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  })
  expect(zonedTime('2026-01-30T14:22:30.000Z')).toBe(words)
})
