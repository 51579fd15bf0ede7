import { describe, expect, it } from 'vitest'
import type { Reading } from '../../../src/agents/reading/reading.ts'
import { addReading, emptyReport, usageOf } from '../../../src/agents/reading/report.ts'

const report = (...readings: readonly Reading[]) => readings.reduce(addReading, emptyReport)
const usage = (
  of: 'step' | 'run' | 'session',
  tokensIn: number,
  tokensOut: number,
  costUsd: number | null = null,
  tokensCached = 0,
): Reading => ({
  kind: 'usage',
  of,
  tokensIn,
  tokensOut,
  tokensCached,
  costUsd,
})
const none = { tokensIn: 0, tokensOut: 0, tokensCached: 0, costUsd: 0 }
const limited: Reading = { kind: 'limited', sentence: '429', resetsAt: null }

describe('the report of a run', () => {
  it('starts empty', () => {
    expect(report()).toMatchObject({
      session: null,
      model: null,
      tokensIn: 0,
      costUsd: null,
      denied: [],
      limited: null,
      unauthorized: null,
      noServer: null,
      ended: null,
      said: null,
    })
  })

  it('has the session, the model and the final result', () => {
    expect(
      report(
        { kind: 'session', id: 's-1' },
        { kind: 'model', name: 'm' },
        { kind: 'ended', ok: false, sentence: 'no' },
      ),
    ).toMatchObject({
      session: 's-1',
      model: 'm',
      ended: { ok: false, sentence: 'no' },
    })
  })

  it('keeps the last text, joins its pieces, and cuts it to 5000 characters', () => {
    expect(report({ kind: 'text', text: 'one' }, { kind: 'text', text: 'two' }).said).toBe('two')
    expect(
      report({ kind: 'text', text: 'one ', continues: true }, { kind: 'text', text: 'two', continues: true }).said,
    ).toBe('one two')
    expect(
      report(
        { kind: 'text', text: 'one ', continues: true },
        { kind: 'tool', name: 't', about: '' },
        { kind: 'text', text: 'two', continues: true },
      ).said,
    ).toBe('two')
    expect(report({ kind: 'text', text: 'x'.repeat(5000) }).said).toHaveLength(5000)
  })

  it('adds up steps, and keeps the last count of a run or a session', () => {
    expect(report(usage('step', 10, 1, 0.5, 4), usage('step', 20, 2, null, 5))).toMatchObject({
      tokensIn: 30,
      tokensOut: 3,
      tokensCached: 9,
      costUsd: 0.5,
      cumulative: false,
    })
    expect(report(usage('run', 10, 1, 0.5), usage('run', 20, 2, 0.75))).toMatchObject({
      tokensIn: 20,
      tokensOut: 2,
      costUsd: 0.75,
      cumulative: false,
    })
    expect(report(usage('session', 10, 1), usage('session', 20, 2))).toMatchObject({
      tokensIn: 20,
      tokensOut: 2,
      costUsd: null,
      cumulative: true,
    })
  })

  it('accepts only plausible counts: whole, not negative, and with exact sums', () => {
    expect(report(usage('run', 1.5, -10, -4, 0.4))).toMatchObject({
      tokensIn: 2,
      tokensOut: 0,
      tokensCached: 0,
      costUsd: 0,
    })
    expect(report(usage('step', 10, 1), usage('step', -100, 1))).toMatchObject({ tokensIn: 10, tokensOut: 2 })
    const huge = report(usage('step', 1e300, Number.MAX_SAFE_INTEGER, 1e308), usage('step', 1e300, 1, Infinity), {
      kind: 'context',
      tokens: -1,
      window: 0.3,
    })
    expect(huge).toMatchObject({ tokensIn: 1e12, tokensOut: 1e12, costUsd: 1e6, context: 0, window: null })
  })

  it('counts a message once, even if parts of it alternate with other messages', () => {
    const said = (message: string, tokensIn: number): Reading => ({
      kind: 'usage',
      of: 'message',
      message,
      tokensIn,
      tokensOut: 1,
      tokensCached: 0,
      costUsd: null,
    })
    expect(
      report(said('m-1', 100), said('m-2', 30), said('m-1', 100), said('m-2', 30), said('m-1', 100)),
    ).toMatchObject({ tokensIn: 130, tokensOut: 2 })
  })

  it('keeps the usage of its messages if the run ends with a count of zero', () => {
    const said: Reading = {
      kind: 'usage',
      of: 'message',
      message: 'm-1',
      tokensIn: 100,
      tokensOut: 5,
      tokensCached: 0,
      costUsd: null,
    }
    expect(report(said, usage('run', 0, 0, 0.25))).toMatchObject({ tokensIn: 100, tokensOut: 5, costUsd: 0.25 })
    expect(report(said, usage('run', 0, 0))).toMatchObject({ tokensIn: 100, tokensOut: 5, costUsd: null })
  })

  it('names each denied tool once, by the known call', () => {
    const denied: Reading = { kind: 'denied', name: '', about: '', call: 'c-1' }
    expect(
      report({ kind: 'tool', name: 'bash', about: 'npm test', call: 'c-1' }, denied, {
        kind: 'denied',
        name: 'bash',
        about: 'npm test',
        call: 'c-1',
      }).denied,
    ).toEqual([{ name: 'bash', about: 'npm test' }])
    expect(report(denied, denied).denied).toEqual([{ name: 'a tool', about: '' }])
  })

  it('has a limited size', () => {
    const many = report(
      ...Array.from({ length: 500 }, (_, n): readonly Reading[] => [
        { kind: 'tool', name: 'bash', about: `x ${n}`, call: `c-${n}` },
        { kind: 'denied', name: '', about: '', call: `c-${n}` },
      ]).flat(),
    )
    expect(many.denied).toHaveLength(100)
    expect(many.calls.length).toBeLessThanOrEqual(64)
  })

  it('clears a rate limit and a refused key when the service answers again', () => {
    expect(report(limited, { kind: 'unauthorized', sentence: '401' })).toMatchObject({
      limited: { sentence: '429', resetsAt: null },
      unauthorized: '401',
    })
    expect(
      report(limited, { kind: 'unauthorized', sentence: '401' }, { kind: 'text', text: 'here I am' }),
    ).toMatchObject({ limited: null, unauthorized: null })
    expect(report(limited, { kind: 'ended', ok: false, sentence: 'gave up' }).limited).not.toBeNull()
  })

  it('keeps the reset time of an earlier sentence', () => {
    expect(
      report(
        { kind: 'limited', sentence: 'a', resetsAt: '2026-11-21T10:00:00.000Z' },
        { kind: 'limited', sentence: 'b', resetsAt: null },
      ).limited,
    ).toEqual({
      sentence: 'b',
      resetsAt: '2026-11-21T10:00:00.000Z',
    })
  })

  it('clears a failed MCP server once one of its tools is called', () => {
    const down: Reading = { kind: 'no_server', sentence: 'down' }
    expect(report(down, { kind: 'tool', name: 'bash', about: '' }).noServer).toBe('down')
    expect(report(down, { kind: 'tool', name: 'mcp__aiswarm__complete_task', about: '' }).noServer).toBeNull()
  })

  it('records that a session is lost', () => {
    expect(report({ kind: 'no_session', sentence: 'gone' }).noSession).toBe('gone')
  })
})

describe('the usage of single messages', () => {
  const message = (id: string, tokensIn: number, tokensOut: number): Reading => ({
    kind: 'usage',
    of: 'message',
    message: id,
    tokensIn,
    tokensOut,
    tokensCached: 1,
    costUsd: null,
  })

  it('is added up during the run, each message once', () => {
    expect(report(message('a', 10, 1), message('a', 10, 3), message('b', 20, 2))).toMatchObject({
      tokensIn: 30,
      tokensOut: 5,
      tokensCached: 2,
      costUsd: null,
    })
  })

  it('is replaced by the usage of the whole run', () => {
    expect(report(message('a', 10, 1), usage('run', 25, 4, 0.5))).toMatchObject({
      tokensIn: 25,
      tokensOut: 4,
      costUsd: 0.5,
    })
  })
})

describe('the usage of a run', () => {
  const earlier = { tokensIn: 100, tokensOut: 10, tokensCached: 50, costUsd: 1 }

  it('is the count of the CLI if the CLI counts per run', () => {
    expect(usageOf(report(usage('run', 300, 30, 2, 60)), earlier)).toEqual({
      tokensIn: 300,
      tokensOut: 30,
      tokensCached: 60,
      costUsd: 2,
    })
    expect(usageOf(report(usage('step', 300, 30)), earlier)).toEqual({
      tokensIn: 300,
      tokensOut: 30,
      tokensCached: 0,
      costUsd: null,
    })
  })

  it('excludes the earlier runs if the CLI counts per session', () => {
    expect(usageOf(report(usage('session', 300, 30, 3, 60)), earlier)).toEqual({
      tokensIn: 200,
      tokensOut: 20,
      tokensCached: 10,
      costUsd: 2,
    })
    expect(usageOf(report(usage('session', 300, 30)), none)).toEqual({
      tokensIn: 300,
      tokensOut: 30,
      tokensCached: 0,
      costUsd: null,
    })
  })

  it('excludes what the session had used before it was copied, if the CLI counts it for the copy', () => {
    const copied = { ...none, inherited: { tokensIn: 100, tokensOut: 10, tokensCached: 50 } }
    const all = { tokensIn: 300, tokensOut: 30, tokensCached: 60, costUsd: null }
    expect(usageOf(report(usage('session', 300, 30, null, 60)), copied)).toEqual({
      ...{ tokensIn: 200, tokensOut: 20, tokensCached: 10, costUsd: null },
    })
    expect(usageOf(report(usage('session', 300, 30, null, 60)), { ...earlier, inherited: copied.inherited })).toEqual({
      ...{ tokensIn: 100, tokensOut: 10, tokensCached: 0, costUsd: null },
    })
    expect(usageOf(report(usage('run', 300, 30, null, 60)), copied)).toEqual(all)
    // A CLI that begins each copy at zero.
    expect(usageOf(report(usage('session', 90, 9)), copied)).toMatchObject({ tokensIn: 90 })
  })

  it('is never negative: a smaller count belongs to a new session', () => {
    expect(usageOf(report(usage('session', 50, 5)), earlier)).toEqual({
      tokensIn: 50,
      tokensOut: 5,
      tokensCached: 0,
      costUsd: null,
    })
  })

  describe('with a CLI that may count earlier runs', () => {
    const turn = (total: number, own: number, costUsd: number): Reading => ({
      kind: 'usage',
      of: 'run',
      ...{ tokensIn: total, tokensOut: total / 10, tokensCached: 0, costUsd },
      turn: { tokensIn: own, tokensOut: own / 10, tokensCached: 0 },
    })
    const message: Reading = {
      kind: 'usage',
      of: 'message',
      message: 'a',
      ...{ tokensIn: 250, tokensOut: 1, tokensCached: 0, costUsd: null },
    }

    it('excludes what was counted before its first turn', () => {
      expect(usageOf(report(message, turn(350, 250, 3)), earlier)).toEqual({
        tokensIn: 250,
        tokensOut: 25,
        tokensCached: 0,
        costUsd: 2,
      })
    })

    it('includes its further turns', () => {
      expect(usageOf(report(turn(350, 250, 3), message, turn(600, 250, 4)), earlier)).toEqual({
        tokensIn: 500,
        tokensOut: 50,
        tokensCached: 0,
        costUsd: 3,
      })
    })

    it('includes subagents, whose usage is in its messages', () => {
      expect(usageOf(report(message, turn(350, 50, 3)), earlier)).toMatchObject({ tokensIn: 250 })
    })

    it('is complete if the CLI counted this run only, or if earlier runs were killed', () => {
      expect(usageOf(report(turn(255, 250, 3)), earlier)).toMatchObject({ tokensIn: 250, costUsd: 3 })
      expect(usageOf(report(turn(255, 250, 3)), none)).toMatchObject({ tokensIn: 255, costUsd: 3 })
    })

    it('is the sum of its messages before its first turn has ended', () => {
      expect(usageOf(report(message), earlier)).toMatchObject({ tokensIn: 250 })
    })
  })
})
