import { expect, it } from 'vitest'
import { resetTime } from '../../../src/agents/reading/errors.ts'

const at = '2026-11-21T08:00:00.000Z'

/** The next such time after `at` on the clock of this machine. */
const ofTheMachine = (hours: number, minutes: number): string => {
  const time = new Date(at)
  time.setHours(hours, minutes, 0, 0)
  if (time.toISOString() <= at) time.setDate(time.getDate() + 1)
  return time.toISOString()
}

it.each([
  ['Claude AI usage limit reached|1795255200', '2026-11-21T10:00:00.000Z'],
  ['reached|1795255200000', '2026-11-21T10:00:00.000Z'],
  ['Rate limited. Try again in 20s', '2026-11-21T08:00:20.000Z'],
  ['Please retry in 26.5s.', '2026-11-21T08:00:26.500Z'],
  ['try again in 850ms', '2026-11-21T08:00:00.850Z'],
  ['Your quota will reset after 18h17m5s.', '2026-11-22T02:17:05.000Z'],
  ['Try again in 3 days 2 hours 5 minutes.', '2026-11-24T10:05:00.000Z'],
  ['Retry-After: 30', '2026-11-21T08:00:30.000Z'],
  ['retry after 2 minutes', '2026-11-21T08:02:00.000Z'],
  ['The limit resets at 2026-11-21T09:30:00Z', '2026-11-21T09:30:00.000Z'],
  ['Your limit will reset at 2026-11-21 09:30:10 UTC', '2026-11-21T09:30:10.000Z'],
  ['try again at 2026-11-21 09:30 +01:00', '2026-11-21T08:30:00.000Z'],
  [
    'Usage limit reached for 5 hour. Your limit will reset at 2026-11-22 03:39:10',
    new Date(2026, 10, 22, 3, 39, 10).toISOString(),
  ],
  ["You've hit your limit · resets 3pm (UTC)", '2026-11-21T15:00:00.000Z'],
  ['resets at 7:30am (UTC)', '2026-11-22T07:30:00.000Z'],
  ['resets 3pm (Europe/Berlin)', '2026-11-21T14:00:00.000Z'],
  ['resets 12am (America/New_York)', '2026-11-22T05:00:00.000Z'],
  ['resets Nov 25, 1pm (UTC)', '2026-11-25T13:00:00.000Z'],
  ['try again at Nov 25th, 2026 8:13 AM (UTC)', '2026-11-25T08:13:00.000Z'],
  ['resets Jan 2, 1pm (UTC)', '2027-01-02T13:00:00.000Z'],
  // 21 November 2026 is a Saturday.
  ['resets Mon 9am (UTC)', '2026-11-23T09:00:00.000Z'],
  ['Your weekly limit resets on Saturday at 7:00 AM (UTC)', '2026-11-28T07:00:00.000Z'],
  ['resets Sat 9am (UTC)', '2026-11-21T09:00:00.000Z'],
  ['try again tomorrow at 7:30 (UTC)', '2026-11-22T07:30:00.000Z'],
  ['resets at 03:39 UTC', '2026-11-22T03:39:00.000Z'],
  ['resets at 03:39Z.', '2026-11-22T03:39:00.000Z'],
  ['resets at 3pm PST', '2026-11-21T23:00:00.000Z'],
  ['resets 12:05am EST', '2026-11-22T05:05:00.000Z'],
  ['Your limit resets on December 1, 2026 (UTC)', '2026-12-01T00:00:00.000Z'],
  ['resets Dec 1', new Date(2026, 11, 1).toISOString()],
  ['resets at 03:39', ofTheMachine(3, 39)],
])('%j resets at %s', (sentence, end) => {
  expect(resetTime(sentence, at)).toBe(end)
})

it('a reset time after a clock change uses the clock of that day', () => {
  // Clocks in Berlin go back on 25 October 2026 at 3:00.
  expect(resetTime('resets 9am (Europe/Berlin)', '2026-10-24T20:00:00.000Z')).toBe('2026-10-25T08:00:00.000Z')
})

it.each([
  ['resets 3pm (UTC)', '2026-11-21T15:00:00.000Z'],
  ['resets Sat 3pm (UTC)', '2026-11-21T15:00:00.000Z'],
  ['resets Nov 21, 3pm (UTC)', '2026-11-21T15:00:00.000Z'],
  ['resets Nov 20 (UTC)', '2026-11-20T00:00:00.000Z'],
  ['resets at 14:30 (UTC)', '2026-11-22T14:30:00.000Z'],
])('%j, read five seconds after 3pm, has just passed and is not a day, a week or a year away', (sentence, end) => {
  expect(resetTime(sentence, '2026-11-21T15:00:05.000Z')).toBe(end)
})

it('a date near the turn of the year is the nearest one', () => {
  expect(resetTime('resets Dec 31, 11pm (UTC)', '2027-01-01T00:10:00.000Z')).toBe('2026-12-31T23:00:00.000Z')
})

it.each(['The limit resets at 9998-01-01T00:00:00Z', 'reached|9999999999', 'try again in 400 days'])(
  '%j gives a reset time of at most two months from now',
  (sentence) => {
    expect(resetTime(sentence, at)).toBe('2027-01-22T08:00:00.000Z')
  },
)

it.each([
  '429 Too Many Requests',
  'retried 5 times (total retry wait time: 51.11 seconds)',
  'resets soon',
  'resets at 45pm',
  'try again later',
  'resets 3 times',
  'resets Monday',
  'resets on 2026',
  'available marketing 3',
  '',
])('%j contains no reset time', (sentence) => {
  expect(resetTime(sentence, at)).toBeNull()
})

it('a relative reset time is unknown without a current time', () => {
  expect(resetTime('try again in 20s')).toBeNull()
  expect(resetTime('reached|1795255200')).toBe('2026-11-21T10:00:00.000Z')
})
