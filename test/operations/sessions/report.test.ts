import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/db/engine/store.ts'
import { system } from '../../../src/domain/agent/actor.ts'
import { ending, sum } from '../../../src/domain/session/plots.ts'
import { bucketOf } from '../../../src/domain/session/span.ts'
import { instant, type Instant, later, milliseconds } from '../../../src/domain/words/time.ts'
import { settleRun } from '../../../src/operations/runs/ends.ts'
import { recordLaunch } from '../../../src/operations/runs/processes.ts'
import { recordRunReport } from '../../../src/operations/runs/reports.ts'
import { readPace } from '../../../src/operations/screens/pace.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { endSession } from '../../../src/operations/sessions/end.ts'
import {
  MOST_LANES,
  MOST_SPANS,
  readSessionReport,
  type SessionReport,
} from '../../../src/operations/sessions/report.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { claimTask, completeTask, failTask } from '../../../src/operations/tasks/claims.ts'
import { minute, openCore, refusal, second, start } from '../../support/core.ts'
import { byHand } from '../../support/store.ts'
import { testedStore } from '../../support/template.ts'

const open = async () => {
  const world = await openCore()
  await world.perform(beginSession, { goal: 'Users can log in' })
  return { ...world, report: () => world.perform(readSessionReport, {}) }
}

const total = ({ attempts }: SessionReport): number =>
  sum(attempts.completed) + sum(attempts.failed) + sum(attempts.stopped)

/** Tasks, agents and attempts of a long session, written past the operations. */
const fill = async (store: Store, { agents, attempts }: { agents: number; attempts: number }): Promise<void> => {
  const values = (count: number, row: (n: number) => string): string =>
    Array.from({ length: count }, (_, n) => `(${row(n)})`).join(', ')
  const created = (n: number): string => later(start, ((n + 1) % 3000) * second)
  const ended = (n: number): string => later(start, (3000 + ((n + 1) % 7000)) * second)
  await byHand(
    store,
    `INSERT INTO agents (id, persona_id, kind, registered_at, last_heartbeat, status, process, run, once) VALUES ${values(agents, (n) => `'agent-${n}', 'implementer', 'claude', '${start}', '${start}', 'idle', 'none', 0, 0`)};
     INSERT INTO tasks (id, title, description, persona_id, priority, created_at) VALUES ${values(attempts, (n) => `${n + 1}, 'task ${n + 1}', '', 'implementer', 50, '${created(n)}'`)};
     INSERT INTO task_status (task_id, status, completed_at, changed_at) VALUES ${values(attempts, (n) => `${n + 1}, 'completed', '${ended(n)}', '${start}'`)};
     INSERT INTO task_attempts (task_id, attempt, agent_id, claimed_at, ended_at, outcome) VALUES ${values(attempts, (n) => `${n + 1}, 1, 'agent-${(n + 1) % agents}', '${created(n)}', '${ended(n)}', 'completed'`)}`,
  )
}

describe('the attempts of a session', () => {
  it('add up to the rows, each in the bucket and with the outcome of its row', async () => {
    const { report, store, pass } = await open()
    await fill(store, { agents: 3, attempts: 5 })
    pass(300 * minute)
    const attempt = fc.record({
      task: fc.integer({ min: 1, max: 5 }),
      agent: fc.integer({ min: 0, max: 2 }),
      claimed: fc.nat(300 * minute),
      took: fc.nat(60 * minute),
      outcome: fc.constantFrom(
        'completed',
        'failed',
        'cancelled',
        'lost',
        'terminated',
        'not_started',
        'unavailable',
        null,
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(attempt, { maxLength: 60 }), async (attempts) => {
        const rows = attempts.map(({ outcome, claimed, took, ...of }, n) => {
          const end = Math.min(claimed + took, 300 * minute)
          return {
            ...of,
            n: n + 1,
            outcome,
            claimed: later(start, claimed),
            ended: outcome === null ? null : later(start, end),
          }
        })
        const text = (value: string | null): string => (value === null ? 'NULL' : `'${value}'`)
        const values = rows.map(
          (row) =>
            `(${row.task}, ${row.n}, 'agent-${row.agent}', ${text(row.claimed)}, ${text(row.ended)}, ${text(row.outcome)})`,
        )
        await byHand(
          store,
          `DELETE FROM task_attempts; ${values.length === 0 ? '' : `INSERT INTO task_attempts (task_id, attempt, agent_id, claimed_at, ended_at, outcome) VALUES ${values.join(', ')}`}`,
        )
        const read = await report()
        const over = rows.flatMap((row) => (row.ended === null ? [] : [{ ...row, ended: row.ended }]))
        expect(total(read)).toBe(over.length)
        for (const kind of ['completed', 'failed', 'stopped'] as const) {
          const expected = Array.from(
            { length: read.span.buckets },
            (_, bucket) =>
              over.filter((row) => ending(row.outcome) === kind && bucketOf(read.span, row.ended) === bucket).length,
          )
          expect(read.attempts[kind]).toEqual(expected)
        }
        expect(read.leftOut).toEqual({ agents: 0, attempts: 0 })
        const drawn = read.lanes.flatMap((lane) =>
          lane.spans.map(
            (span) => `${lane.agentId} ${span.taskId}/${span.attempt} ${span.from} ${span.to} ${span.outcome}`,
          ),
        )
        expect(drawn.sort()).toEqual(
          rows
            .map((row) => `agent-${row.agent} ${row.task}/${row.n} ${row.claimed} ${row.ended} ${row.outcome}`)
            .sort(),
        )
      }),
      { numRuns: testedStore === 'sqlite' ? 40 : 10 },
    )
  })

  it('do not include attempts of other sessions', async () => {
    const { perform, task, agent, pass, report } = await open()
    const worker = await agent('a')
    const first = await task()
    await perform(claimTask, { taskId: first.id }, worker)
    pass(minute)
    await perform(completeTask, { taskId: first.id }, worker)
    const before = await report()
    await perform(endSession, {})
    pass(minute)
    await perform(beginSession, {})
    const after = await report()
    expect([total(before), total(after)]).toEqual([1, 0])
    expect(after.session.id).not.toBe(before.session.id)
    expect(after.tasks.open).toEqual([0, 0])
    expect(await perform(readSessionReport, { sessionId: before.session.id })).toMatchObject({
      attempts: before.attempts,
      tasks: before.tasks,
      session: { status: 'completed' },
    })
    expect(await refusal(perform(readSessionReport, { sessionId: 'session-1' }))).toMatchObject({
      code: 'not_found',
      message: 'There is no session session-1.',
    })
  })
})

describe('the tasks of a session', () => {
  it('decrease from those at the start to those that are open now', async () => {
    const { core, perform, task, agent, pass, report } = await open()
    const worker = await agent('a')
    for (let n = 0; n < 4; n++) await task()
    for (const [id, end] of [1, 2, 3].map((n) => [n, n === 2 ? failTask : completeTask] as const)) {
      pass(10 * minute)
      await perform(claimTask, { taskId: id }, worker)
      if (end === failTask) await perform(failTask, { taskId: id, errorMessage: 'no' }, worker)
      else await perform(completeTask, { taskId: id }, worker)
    }
    // The second waits for its retry, so it is as open as the fourth.
    const { tasks, span, attempts } = await report()
    expect([sum(tasks.created), sum(tasks.closed), tasks.open[0], tasks.open.at(-1)]).toEqual([4, 2, 0, 2])
    expect(tasks.open).toHaveLength(span.buckets + 1)
    expect([sum(attempts.completed), sum(attempts.failed)]).toEqual([2, 1])
    // A later session starts with the remaining tasks.
    await perform(endSession, { status: 'aborted' })
    pass(minute)
    await perform(beginSession, {})
    await task()
    expect((await report()).tasks.open).toEqual([2, 3])
    expect(core.clock() > span.to).toBe(true)
  })

  it('are not changed by tasks that were created or closed after the session', async () => {
    const { perform, task, agent, pass, report } = await open()
    const worker = await agent('a')
    await task()
    await task()
    pass(10 * minute)
    await perform(endSession, { status: 'aborted' })
    const { session, tasks } = await report()
    pass(10 * minute)
    await task()
    await perform(claimTask, { taskId: 1 }, worker)
    await perform(completeTask, { taskId: 1 }, worker)
    expect((await perform(readSessionReport, { sessionId: session.id })).tasks).toEqual(tasks)
    expect(tasks.open.at(-1)).toBe(2)
  })
})

it('the tokens and cost of a run that reports them only at its end are in the bucket of that end', async () => {
  const { perform, task, report, pass, store } = await open()
  await task()
  await task()
  expect((await report()).usage).toEqual({
    tokensIn: [0],
    tokensOut: [0],
    tokensCached: [0],
    tokensUnpriced: [0],
    costUsd: null,
  })
  const { started } = await perform(dispatch, { maxParallel: 2 }, system())
  const reports = [
    {
      model: 'm',
      session: null,
      tokensIn: 1000,
      tokensOut: 200,
      tokensCached: 400,
      costUsd: 0.1,
      said: null,
      problem: null,
    },
    { model: 'm', session: null, tokensIn: 30, tokensOut: 5, tokensCached: 0, costUsd: 0.2, said: null, problem: null },
  ]
  const [early, late] = [15 * minute, 40 * minute]
  for (const [n, { agentId }] of started.entries()) {
    pass(n === 0 ? early : late - early)
    await perform(recordLaunch, { agentId, run: 1, pid: 4711, startedAt: '1', bootId: 'b', startsTask: true }, system())
    await perform(
      settleRun,
      { agentId, run: 1, exitCode: 1, verdict: { kind: 'failed', error: 'no' }, report: reports[n]! },
      system(),
    )
  }
  const { usage, span } = await report()
  expect(usage.costUsd![bucketOf(span, later(start, early))]).toBe(0.1)
  expect(usage.costUsd![bucketOf(span, later(start, late))]).toBe(0.2)
  expect([sum(usage.tokensIn), sum(usage.tokensOut), sum(usage.tokensCached)]).toEqual([1030, 205, 400])
  const [row] = await byHand<{ tokens_in: number; cost_usd: number }>(
    store,
    "SELECT tokens_in, cost_usd FROM usage_totals WHERE scope = 'session'",
  )
  expect([row!.tokens_in, row!.cost_usd]).toEqual([sum(usage.tokensIn), expect.closeTo(sum(usage.costUsd!), 9)])
})

describe('the usage that a run reports while it works', () => {
  const began = async () => {
    const world = await open()
    await world.task()
    const { started } = await world.perform(dispatch, { maxParallel: 1 }, system())
    const { agentId } = started[0]!
    await world.perform(
      recordLaunch,
      { agentId, run: 1, pid: 4711, startedAt: '1', bootId: 'b', startsTask: true },
      system(),
    )
    const used = (tokensIn: number, tokensOut: number, tokensCached: number, costUsd: number | null) => ({
      model: 'm',
      session: null,
      tokensIn,
      tokensOut,
      tokensCached,
      costUsd,
      said: null,
      problem: null,
    })
    return {
      ...world,
      tells: (...of: Parameters<typeof used>) =>
        world.perform(recordRunReport, { agentId, run: 1, report: used(...of) }, system()),
      ends: (...of: Parameters<typeof used>) =>
        world.perform(
          settleRun,
          { agentId, run: 1, exitCode: 1, verdict: { kind: 'failed', error: 'no' }, report: used(...of) },
          system(),
        ),
    }
  }
  const at = (report: SessionReport, values: readonly number[] | null, ms: number): number =>
    values![bucketOf(report.span, later(start, ms))]!

  it('is in the bucket of its report, and a price reported at the end is spread over its tokens', async () => {
    const { report, pass, tells, ends } = await began()
    pass(10 * minute)
    await tells(1000, 100, 800, null)
    pass(30 * minute)
    await tells(3000, 200, 2400, null)
    const sofar = await report()
    expect([at(sofar, sofar.usage.tokensIn, 10 * minute), at(sofar, sofar.usage.tokensIn, 40 * minute)]).toEqual([
      1000, 2000,
    ])
    expect([at(sofar, sofar.usage.tokensUnpriced, 10 * minute), sofar.usage.costUsd]).toEqual([1100, null])
    pass(50 * minute)
    await ends(3000, 200, 2400, 0.32)
    const { usage, ...rest } = await report()
    const over = { usage, ...rest }
    expect([
      at(over, usage.costUsd, 10 * minute),
      at(over, usage.costUsd, 40 * minute),
      at(over, usage.costUsd, 90 * minute),
    ]).toEqual([0.11, 0.21, 0])
    expect([sum(usage.tokensOut), sum(usage.tokensCached), sum(usage.tokensUnpriced)]).toEqual([200, 2400, 0])
  })

  it("adds up to the run's total, even after a correction, and is never negative", async () => {
    const tokens = fc.record({
      tokensIn: fc.nat(5000),
      tokensOut: fc.nat(500),
      tokensCached: fc.nat(5000),
      after: fc.nat(9 * minute),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(tokens, { minLength: 1, maxLength: 12 }),
        fc.option(fc.double({ min: 0, max: 10, noNaN: true })),
        async (told, costUsd) => {
          const { report, pass, tells, ends } = await began()
          for (const { tokensIn, tokensOut, tokensCached, after } of told) {
            pass(after)
            await tells(tokensIn, tokensOut, tokensCached, null)
          }
          const last = told.at(-1)!
          await ends(last.tokensIn, last.tokensOut, last.tokensCached, costUsd)
          const { usage } = await report()
          expect([sum(usage.tokensIn), sum(usage.tokensOut), sum(usage.tokensCached)]).toEqual([
            last.tokensIn,
            last.tokensOut,
            last.tokensCached,
          ])
          expect(
            Math.min(...usage.tokensIn, ...usage.tokensOut, ...usage.tokensCached, ...(usage.costUsd ?? [])),
          ).toBeGreaterThanOrEqual(0)
          if (costUsd === null)
            expect([usage.costUsd, sum(usage.tokensUnpriced)]).toEqual([null, last.tokensIn + last.tokensOut])
          else expect(Math.abs(sum(usage.costUsd!) - costUsd)).toBeLessThan(1e-6)
        },
      ),
      { numRuns: testedStore === 'sqlite' ? 40 : 10 },
    )
  })
})

it('a session with too many attempts to draw is sampled evenly, and the rest is counted', async () => {
  const { report, store, pass } = await open()
  const attempts = 20_000
  await fill(store, { agents: 100, attempts })
  pass(3 * 60 * minute)
  const read = await report()
  expect(total(read)).toBe(attempts)
  expect(read.lanes).toHaveLength(MOST_LANES)
  const drawn = sum(read.lanes.map((lane) => lane.spans.length))
  expect(drawn).toBeLessThanOrEqual(MOST_SPANS)
  expect(drawn).toBeGreaterThan(MOST_SPANS / 2)
  expect(read.leftOut).toEqual({ agents: 60, attempts: attempts - drawn })
  // Agents that take turns are sampled alike.
  expect(
    read.lanes.every((lane) => lane.attempts === attempts / 100 && lane.spans.length > 2 && lane.spans.length < 40),
  ).toBe(true)
  expect(read.tasks.open.at(-1)).toBe(0)
  expect(sum(read.tasks.created)).toBe(attempts)
})

it('the usage of many runs is summed in pieces, and other work runs in between', async () => {
  const { report, store, pass } = await open()
  const [agents, runs, stretches] = [7, 50, 3]
  await fill(store, { agents, attempts: 1 })
  const ofRuns: string[] = []
  const ofSteps: string[] = []
  for (let agent = 0; agent < agents; agent++) {
    for (let run = 1; run <= runs; run++) {
      ofRuns.push(
        `('agent-${agent}', ${run}, 'claude', '${start}', ${stretches * 100}, ${stretches * 10}, 0, ${run % 2 === 0 ? 'NULL' : '0.5'})`,
      )
      for (let step = 1; step <= stretches; step++)
        ofSteps.push(`('agent-${agent}', ${run}, ${milliseconds(start) / second + step * 600}, 100, 10, 0)`)
    }
  }
  await byHand(
    store,
    `INSERT INTO agent_runs (agent_id, run, kind, started_at, tokens_in, tokens_out, tokens_cached, cost_usd) VALUES ${ofRuns.join(', ')};
     INSERT INTO usage_steps (agent_id, run, at, tokens_in, tokens_out, tokens_cached) VALUES ${ofSteps.join(', ')}`,
  )
  pass(60 * minute)
  let turns = 0
  let goesOn = true
  const others = (): void => {
    turns += 1
    if (goesOn) setImmediate(others)
  }
  setImmediate(others)
  const { usage, span } = await report()
  goesOn = false
  // 350 runs, of which 100 are read at once.
  expect(turns).toBeGreaterThanOrEqual(3)
  const all = agents * runs
  expect([sum(usage.tokensIn), sum(usage.tokensOut), sum(usage.tokensUnpriced)]).toEqual([
    all * 300,
    all * 30,
    (all / 2) * 330,
  ])
  expect(sum(usage.costUsd!)).toBeCloseTo((all / 2) * 0.5, 6)
  expect(usage.tokensIn[bucketOf(span, later(start, 20 * minute))]).toBe(all * 100)
})

it('the pace is the pace of the last two hours', async () => {
  const { perform, store, pass } = await open()
  await fill(store, { agents: 2, attempts: 7000 })
  pass(10_000_000)
  const pace = await perform(readPace, {})
  const since = instant(milliseconds(start) + 10_000_000 - 120 * minute)
  const [row] = await byHand<{ n: number }>(
    store,
    `SELECT count(*) AS n FROM task_attempts WHERE ended_at >= '${since satisfies Instant}'`,
  )
  expect(pace.step).toBe(5 * minute)
  expect([sum(pace.completed), sum(pace.failed)]).toEqual([row!.n, 0])
  expect(row!.n).toBeGreaterThan(1000)
})
