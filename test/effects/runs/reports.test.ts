import { describe, expect, it, vi } from 'vitest'
import { emptyReport } from '../../../src/agents/reading/report.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { elapsed, instant, later } from '../../../src/domain/words/time.ts'
import { identify } from '../../../src/effects/processes/identity.ts'
import { Waiting } from '../../../src/effects/runs/reports.ts'
import { settle } from '../../../src/effects/runs/termination.ts'
import { getAgentRuns } from '../../../src/operations/agents/runs.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { fakeCli, lineOf, says, tells } from '../fake-cli.ts'
import { openSwarm, until } from '../swarm.ts'

const at = instant(1_800_000_000_000)
const limitedFor = (ms: number | null) => ({
  ...emptyReport,
  limited: { sentence: 'quota', resetsAt: ms === null ? null : later(at, ms) },
})

describe('a waiting run', () => {
  it('is not stopped for a limit that ends soon, at an unknown time, or was just reported', () => {
    const waiting = new Waiting()
    for (const report of [limitedFor(60_000), limitedFor(null), emptyReport])
      for (const now of [0, 60_000]) expect(waiting.longLimit(report, at, now)).toBeNull()
    expect(waiting.longLimit(limitedFor(61_000), at, 0)).toBeNull()
    expect(waiting.longLimit(limitedFor(61_000), at, 4999)).toBeNull()
    expect(waiting.longLimit(limitedFor(61_000), at, 5000)).toMatchObject({ sentence: 'quota' })
  })

  it('starts its wait again after its model has answered', () => {
    const waiting = new Waiting()
    waiting.longLimit(limitedFor(3_600_000), at, 0)
    waiting.longLimit(emptyReport, at, 4000)
    expect(waiting.longLimit(limitedFor(3_600_000), at, 6000)).toBeNull()
  })

  it('in silence is distinguished from one whose tool may still run', () => {
    const waiting = new Waiting()
    expect(waiting.silence(at, later(at, 60_000), 60_000)).toBeNull()
    expect(waiting.silence(at, later(at, 60_001), 60_000)).toMatch(
      /^it has printed nothing since [\d:]+ and runs no tool: its service does not respond/,
    )
    waiting.line([{ kind: 'tool', name: 'bash', about: 'npm test' }])
    expect(waiting.silence(at, later(at, 60_001), 60_000)).toMatch(
      /when it called a tool: the tool is still running, or its service does not respond$/,
    )
    waiting.line([])
    expect(waiting.silence(at, later(at, 60_001), 60_000)).toContain('runs no tool')
  })
})

it('a CLI that waits for its quota is stopped, uses no retry, and resumes its conversation later', async () => {
  const quota =
    'Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 2h0m0s.. Retrying after 7200000ms...'
  const begins = lineOf('gemini', '"init"')
  // It prints once more while it ends: that is not an answer of its model.
  const lastWords = says({ type: 'message', role: 'assistant', content: 'Interrupted.' })
  fakeCli(
    'gemini',
    `trap '${lastWords.trimEnd()}\nexit 0' TERM\n${says(begins, quota)}${tells('waits')}while :; do sleep 0.05; done`,
    says(begins) + 'exit 1',
  )
  const swarm = await openSwarm({ config: 'agents: {default: gemini}\nlease: {terminateGrace: 5s}\n' })
  const { id } = await swarm.task({ title: 'Log in' })
  const run = await swarm.begin()
  const clock = vi.spyOn(performance, 'now')
  const [pid] = [run.identity!.pid]
  await until('the limit', async () => {
    await swarm.world.reports.follow(swarm.world, run)
    return (await perform(swarm.core, getAgentRuns, { agentId: run.agentId }, person))[0]!.problem !== null
  })
  expect(identify(pid)).toBeDefined()
  const now = performance.now()
  clock.mockReturnValue(now + 5001)
  await swarm.world.reports.follow(swarm.world, run)
  clock.mockRestore()
  expect(identify(pid)).toBeUndefined()
  await settle(swarm.world, run, 'ended')
  const task = await swarm.show(id)
  expect(task).toMatchObject({ status: 'pending', retryCount: 0, attempts: [{ outcome: 'unavailable' }] })
  expect(elapsed(task.attempts[0]!.endedAt!, task.notBefore!)).toBeGreaterThan(7_000_000)
  expect(task.sleep).toMatchObject({ kind: 'gemini', until: task.notBefore })
  await perform(swarm.core, retryTask, { taskId: id }, person)
  const second = await swarm.begin()
  await swarm.ended(second)
  expect((await perform(swarm.core, getAgentRuns, { agentId: second.agentId }, person)).at(-1)).toMatchObject({
    resumed: true,
  })
})

it('a stalled task shows what is known about its silent agent', async () => {
  fakeCli('claude', says(lineOf('claude', '"connected"')) + 'while :; do sleep 0.05; done')
  const swarm = await openSwarm({
    config: 'agents: {default: claude}\nlease: {stalledAfter: 200ms, terminateGrace: 1s}\n',
  })
  await swarm.task({ title: 'Log in' })
  const run = await swarm.begin()
  const stalled = async () => {
    await swarm.world.reports.follow(swarm.world, run)
    return (await perform(swarm.core, readBoard, {}, person)).attention.find(
      ({ kind, evidence }) => kind === 'stalled' && evidence.includes('printed nothing'),
    )
  }
  expect(await until('the stalled task', stalled)).toMatchObject({
    taskId: 1,
    evidence: expect.stringMatching(/it has printed nothing since [\d:]+ and runs no tool/) as string,
  })
})
