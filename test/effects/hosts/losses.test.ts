import { describe, expect, it } from 'vitest'
import { later } from '../../../src/domain/words/time.ts'
import { HostJudge } from '../../../src/effects/hosts/losses.ts'

const began = '2026-11-25T14:00:00.000Z'
const settings = { silentAfter: 30_000, lostAfter: 300_000 }
const host = (beatAt = began) => ({ id: 'b', state: 'up' as const, beatAt })

/** Looks every 2 s from one second to another, at `jump` ms more by the clock of the server; returns when the host was lost first. */
const lookFrom = (
  judge: HostJudge,
  from: number,
  to: number,
  { jump = 0, beatAt = began } = {},
): number | undefined => {
  for (let second = from; second <= to; second += 2)
    if (judge.lost([host(beatAt)], later(began, second * 1000 + jump), second * 1000).length > 0) return second
  return undefined
}

describe('the process that plans', () => {
  it('declares a host lost when it has been silent for long enough', () => {
    expect(lookFrom(new HostJudge(settings), 0, 400)).toBe(302)
  })

  it('judges no host within 30 seconds of its own first look', () => {
    expect(lookFrom(new HostJudge(settings), 1000, 1100)).toBe(1030)
  })

  it('judges no host within 30 seconds of an absence of its own', () => {
    const judge = new HostJudge(settings)
    expect(lookFrom(judge, 0, 290)).toBe(undefined)
    expect(lookFrom(judge, 600, 700)).toBe(630)
  })

  it('judges no host by a clock that jumps', () => {
    const judge = new HostJudge(settings)
    expect(lookFrom(judge, 0, 10)).toBe(undefined)
    expect(lookFrom(judge, 12, 28, { jump: 3_600_000 })).toBe(undefined)
    // The host is heard of again, by the new clock.
    expect(lookFrom(judge, 30, 60, { jump: 3_600_000, beatAt: later(began, 3_630_000) })).toBe(undefined)
  })
})
