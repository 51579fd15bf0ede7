import { describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { answerBudget } from '../../../src/operations/tasks/budget-answers.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { claimTask } from '../../../src/operations/tasks/claims.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { endSession } from '../../../src/operations/sessions/end.ts'
import { getTaskLogs } from '../../../src/operations/tasks/detail.ts'
import { getSession, pauseScheduling } from '../../../src/operations/sessions/sessions.ts'
import { heartbeatAndGetTasks } from '../../../src/operations/agents/offers.ts'
import { listAgents } from '../../../src/operations/agents/list.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { readBudget, readCosts } from '../../../src/operations/budgets/costs.ts'
import { readRun, recordRunReport } from '../../../src/operations/runs/reports.ts'
import { readRemainingWork } from '../../../src/operations/sessions/results.ts'
import { readWishes } from '../../../src/operations/supervision/wishes.ts'
import { recordLaunch, recordPause } from '../../../src/operations/runs/processes.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { settleRun } from '../../../src/operations/runs/ends.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { later } from '../../../src/domain/words/time.ts'
import { minute, openCore, refusal, refused, type World } from '../../support/core.ts'

const send = ({ perform }: World, maxParallel = 9) => perform(dispatch, { maxParallel }, system())
const launched = ({ perform }: World, agentId: string, run = 1) =>
  perform(recordLaunch, { agentId, run, pid: 4242, startedAt: '99', bootId: 'boot', startsTask: true }, system())

const used = (
  costUsd: number | null,
  tokensIn = 0,
  tokensOut = 0,
  tokensCached = 0,
  session: string | null = null,
) => ({
  model: null,
  session,
  tokensIn,
  tokensOut,
  tokensCached,
  costUsd,
  said: null,
  problem: null,
})
const reports = ({ perform }: World, agentId: string, report: ReturnType<typeof used>, run = 1) =>
  perform(recordRunReport, { agentId, run, report }, system())
const ends = (
  { perform }: World,
  agentId: string,
  report: ReturnType<typeof used>,
  verdict: Parameters<typeof settleRun.run>[1]['verdict'] = { kind: 'failed', error: 'red' },
  run = 1,
) => perform(settleRun, { agentId, run, exitCode: 1, report, verdict }, system())
const board = ({ perform }: World) => perform(readBoard, {})
const asked = async (world: World) => (await board(world)).attention.filter(({ kind }) => kind === 'budget')
const held = async (world: World) =>
  (await world.perform(readWishes, {}, system())).runs.map(({ agentId, held, pausedAt }) => ({
    agentId,
    held,
    pausedAt,
  }))

type Changes = Parameters<typeof openCore>[0]
type Draft = Parameters<World['task']>[0]

/** A session in which spawned agents work on as many tasks as there are drafts. */
const working = async (changes: Changes = {}, ...drafts: Draft[]) => {
  const world = await openCore(changes)
  await world.perform(beginSession, {}, system())
  for (const draft of drafts.length > 0 ? drafts : [{}]) await world.task(draft)
  const agents = (await send(world)).started.map(({ agentId }) => agentId)
  for (const agentId of agents) await launched(world, agentId)
  return { world, agents }
}

describe('the usage', () => {
  it('is summed up by agent, task and session while it grows, and each report replaces the previous one', async () => {
    const { world, agents } = await working({}, {}, {})
    await reports(world, agents[0]!, used(0.5, 1000, 100, 800))
    await reports(world, agents[0]!, used(0.75, 1500, 150, 900))
    await reports(world, agents[1]!, used(0.1, 10, 1))
    expect((await world.show(1)).usage).toEqual({
      tokensIn: 1500,
      tokensOut: 150,
      tokensCached: 900,
      tokensUnpriced: 0,
      costUsd: 0.75,
    })
    expect((await world.perform(listAgents, {})).map(({ usage }) => usage.costUsd)).toEqual([0.75, 0.1])
    const total = { tokensIn: 1510, tokensOut: 151, tokensCached: 900, tokensUnpriced: 0, costUsd: 0.85 }
    expect((await world.perform(getSession, {})).usage).toEqual(total)
    expect((await board(world)).usage).toEqual(total)
  })

  it('of all attempts of a task is counted', async () => {
    const { world } = await working()
    await ends(world, 'implementer-1', used(0.5, 100))
    world.pass(minute)
    const again = (await send(world)).started[0]!.agentId
    await launched(world, again)
    await reports(world, again, used(0.25, 50))
    expect((await world.show(1)).usage).toMatchObject({ tokensIn: 150, costUsd: 0.75 })
  })

  it('in a session that another run resumes is known, even if the clock was set back in between', async () => {
    const { world } = await working()
    await ends(world, 'implementer-1', used(null, 1000, 100, 800, 's-1'))
    world.pass(-60 * minute)
    await world.perform(retryTask, { taskId: 1 })
    const again = (await send(world)).started[0]!.agentId
    await world.perform(
      recordLaunch,
      { agentId: again, run: 1, pid: 4242, startedAt: '99', bootId: 'boot', startsTask: true, resumes: 's-1' },
      system(),
    )
    await reports(world, again, used(null, 50, 5, 0, 's-1'))
    const { earlier } = await world.perform(readRun, { agentId: again, run: 1 }, system())
    expect(earlier).toEqual({ tokensIn: 1000, tokensOut: 100, tokensCached: 800, costUsd: 0 })
  })

  it('has no cost if no agent reports one', async () => {
    const { world } = await working()
    await reports(world, 'implementer-1', used(null, 100, 10))
    expect((await world.show(1)).usage).toEqual({
      tokensIn: 100,
      tokensOut: 10,
      tokensCached: 0,
      tokensUnpriced: 110,
      costUsd: null,
    })
    await reports(world, 'implementer-1', used(0.2, 100, 10))
    expect((await world.show(1)).usage).toMatchObject({ costUsd: 0.2, tokensUnpriced: 0 })
  })

  it('names the tokens without a price', async () => {
    const { world, agents } = await working({}, {}, {})
    await reports(world, agents[0]!, used(0.5, 1000, 100))
    await reports(world, agents[1]!, used(null, 40, 2))
    await reports(world, agents[1]!, used(null, 70, 7))
    expect((await board(world)).usage).toMatchObject({ tokensIn: 1070, costUsd: 0.5, tokensUnpriced: 77 })
    expect((await world.perform(listAgents, {})).map(({ usage }) => usage.tokensUnpriced)).toEqual([0, 77])
    expect((await world.perform(readCosts, {})).usage.tokensUnpriced).toBe(77)
    await ends(world, agents[1]!, used(0.1, 80, 8))
    expect((await board(world)).usage).toMatchObject({ tokensIn: 1080, costUsd: 0.6, tokensUnpriced: 0 })
  })

  it('belongs to the session in which the run started', async () => {
    const { world } = await working()
    const first = (await world.perform(getSession, {})).id
    await world.perform(endSession, { status: 'aborted' })
    world.pass(minute)
    await world.perform(beginSession, {}, system())
    await reports(world, 'implementer-1', used(0.4, 7))
    const second = await world.perform(getSession, {})
    expect(second.id).not.toBe(first)
    expect(second.usage.tokensIn).toBe(0)
    await world.perform(endSession, { status: 'aborted' })
    const sums = await world.store.read.selectFrom('usage_totals').where('scope', '=', 'session').selectAll().execute()
    expect(sums).toMatchObject([{ subject: first, tokens_in: 7, cost_usd: 0.4 }])
  })

  it('is listed by cost, the highest first', async () => {
    const { world } = await working({}, { title: 'cheap' }, { title: 'dear' })
    await reports(world, 'implementer-1', used(0.1, 10))
    await reports(world, 'implementer-2', used(0.9, 20))
    const costs = await world.perform(readCosts, {})
    expect(costs.usage).toMatchObject({ tokensIn: 30, costUsd: 1 })
    expect(costs.tasks.map(({ id, title }) => [id, title])).toEqual([
      [2, 'dear'],
      [1, 'cheap'],
    ])
    expect(costs.agents.map(({ id }) => id)).toEqual(['implementer-2', 'implementer-1'])
    expect(costs.kinds).toMatchObject([{ kind: 'claude', usage: { costUsd: 1 } }])
  })

  it('is the sum of all runs, in whatever order they reported', async () => {
    const { world, agents } = await working({}, {}, {}, {})
    for (const [step, agentId] of [...agents, ...agents, ...agents].entries())
      await reports(world, agentId, used(step % 2 === 0 ? null : step / 10, step * 3, step, step % 3))
    const sums = await world.store.read
      .selectFrom('agent_runs')
      .select(({ fn }) => [
        fn.sum<number>('tokens_in').as('tokensIn'),
        fn.sum<number>('tokens_out').as('tokensOut'),
        fn.sum<number>('tokens_cached').as('tokensCached'),
      ])
      .executeTakeFirstOrThrow()
    expect((await board(world)).usage).toMatchObject(sums)
  })
})

describe('a task over its budget', () => {
  it('waits for a person: its run must stop, its lease stays, and it does not fail', async () => {
    const { world } = await working({}, { title: 'Log in', budget: { costUsd: 2.5 } })
    await reports(world, 'implementer-1', used(2.5))
    expect(await asked(world)).toEqual([])
    await reports(world, 'implementer-1', used(3.1))
    expect(await asked(world)).toMatchObject([
      {
        taskId: 1,
        since: world.now(),
        text: 'task 1 has used up its budget: $3.10 of $2.50',
        evidence: 'Log in; implementer-1 is paused until you answer',
      },
    ])
    expect(await held(world)).toEqual([{ agentId: 'implementer-1', held: true, pausedAt: null }])
    expect(await world.show(1)).toMatchObject({
      status: 'in_progress',
      retryCount: 0,
      assignedAgentId: 'implementer-1',
      budget: { costUsd: 2.5, tokens: null, askedAt: world.now() },
    })
  })

  it('is raised once if two people answer the same question', async () => {
    const { world } = await working({
      budget: { task: { costUsd: 2, tokens: null }, session: { costUsd: 2, tokens: null } },
    })
    await reports(world, 'implementer-1', used(3))
    const since = world.now()
    world.pass(minute)
    for (const about of [{ taskId: 1 }, {}]) {
      const raise = () => world.perform(answerBudget, { ...about, answer: { kind: 'raise' }, askedAt: since })
      expect((await raise()).budget.costUsd).toBe(4)
      expect((await refusal(raise())).message).toMatch(/was just answered: it is \$4\.00\. Nothing was changed/)
      expect((await world.perform(readBudget, about)).budget).toEqual({ costUsd: 4, tokens: null, askedAt: null })
    }
  })

  it('is asked about once, and is not reported as stalled', async () => {
    const { world } = await working({ budget: { task: { costUsd: null, tokens: 100 } } })
    await reports(world, 'implementer-1', used(null, 90, 11))
    const since = world.now()
    world.pass(10 * minute)
    const found = async (where: string) =>
      (await world.perform(listTasks, { where })).map(({ id, overBudget }) => [id, overBudget])
    expect([await found('state:over-budget'), await found('is:over-budget'), await found('state:stalled')]).toEqual([
      [[1, true]],
      [[1, true]],
      [],
    ])
    await reports(world, 'implementer-1', used(null, 90, 12))
    expect((await board(world)).attention.map(({ kind, since }) => [kind, since])).toEqual([['budget', since]])
    await world.perform(answerBudget, { taskId: 1, answer: { kind: 'none' } })
    expect((await board(world)).attention).toEqual([])
    expect([await found('state:over-budget'), await found('')]).toEqual([[], [[1, false]]])
  })

  it('is raised by its first budget, as often as necessary', async () => {
    const { world } = await working({}, { budget: { costUsd: 2 } })
    await reports(world, 'implementer-1', used(7))
    expect((await world.perform(answerBudget, { taskId: 1, answer: { kind: 'raise' } })).budget).toEqual({
      costUsd: 8,
      tokens: null,
      askedAt: null,
    })
    expect(await held(world)).toMatchObject([{ held: false }])
    await reports(world, 'implementer-1', used(8.5))
    expect((await world.perform(answerBudget, { taskId: 1, answer: { kind: 'raise' } })).budget.costUsd).toBe(10)
  })

  it('is raised by an amount only if that is enough', async () => {
    const { world } = await working({}, { budget: { costUsd: 2 } })
    await reports(world, 'implementer-1', used(7))
    const no = await refusal(world.perform(answerBudget, { taskId: 1, answer: { kind: 'raise', costUsd: 1 } }))
    expect([no.code, no.message]).toEqual([
      'invalid_input',
      'That budget is already used up: $7.00 of $3.00. Raise it by more.',
    ])
    expect(await asked(world)).toHaveLength(1)
    expect(
      (await world.perform(answerBudget, { taskId: 1, answer: { kind: 'raise', costUsd: 6 } })).budget.costUsd,
    ).toBe(8)
  })

  it('continues without a limit, and without the limit of the configuration', async () => {
    const { world } = await working({ budget: { task: { costUsd: 1, tokens: null } } })
    await reports(world, 'implementer-1', used(2))
    await world.perform(answerBudget, { taskId: 1, answer: { kind: 'none' } })
    await reports(world, 'implementer-1', used(200))
    expect(await asked(world)).toEqual([])
    expect((await world.perform(readBudget, { taskId: 1 })).budget).toEqual({
      costUsd: null,
      tokens: null,
      askedAt: null,
    })
  })

  it('is cancelled together with its process when a person stops it', async () => {
    const { world } = await working({}, { budget: { costUsd: 1 } })
    await reports(world, 'implementer-1', used(2))
    await world.perform(recordPause, { agentId: 'implementer-1', run: 1, paused: true }, system())
    expect(await world.perform(answerBudget, { taskId: 1, answer: { kind: 'stop' } })).toMatchObject({
      stopped: 'implementer-1',
    })
    expect(await world.show(1)).toMatchObject({
      status: 'cancelled',
      errorMessage: 'stopped because of its budget: $2.00 of $1.00',
    })
    const { runs } = await world.perform(readWishes, {}, system())
    expect(runs).toMatchObject([{ agentId: 'implementer-1', held: false, stopRequestedAt: world.now() }])
    expect(await asked(world)).toEqual([])
    // The final report of its process asks nothing.
    await ends(world, 'implementer-1', used(2.5))
    expect((await world.perform(readBudget, { taskId: 1 })).budget.askedAt).toBeNull()
    expect(
      (await world.perform(getTaskLogs, { taskId: 1 })).filter(({ message }) => message.includes('is used up')),
    ).toHaveLength(1)
  })

  it('is not started again by anyone before a person has answered', async () => {
    const { world } = await working({}, { budget: { costUsd: 1 } })
    await ends(world, 'implementer-1', used(2))
    world.pass(minute)
    const agent = await world.agent('a')
    expect((await send(world)).started).toEqual([])
    expect(await refused(world.perform(claimTask, { taskId: 1 }, agent))).toBe('blocked')
    expect(await refused(world.perform(spawnAgent, { personaId: 'implementer', taskId: 1 }))).toBe('blocked')
    expect((await world.perform(heartbeatAndGetTasks, {}, agent)).tasks).toEqual([])
    expect((await world.perform(readRemainingWork, {}, system())).waiting).toEqual([
      { taskId: 1, why: "its budget is used up; answer with 'aiswarm task budget 1'" },
    ])
    await world.perform(answerBudget, { taskId: 1, answer: { kind: 'raise' } })
    expect((await send(world)).started).toMatchObject([{ taskId: 1 }])
  })

  it('that has failed is asked about when it is retried, not before', async () => {
    const { world } = await working({ session: { maxRetries: 0 } }, { budget: { costUsd: 1 } })
    await ends(world, 'implementer-1', used(0.5))
    await reports(world, 'implementer-1', used(2))
    expect(await asked(world)).toEqual([])
    await world.perform(retryTask, { taskId: 1 })
    expect(await asked(world)).toMatchObject([{ taskId: 1, text: 'task 1 has used up its budget: $2.00 of $1.00' }])
    expect((await send(world)).started).toEqual([])
  })

  it('is not paused after its run has ended', async () => {
    const { world } = await working({}, { budget: { costUsd: 1 } })
    await reports(world, 'implementer-1', used(2))
    await world.perform(recordPause, { agentId: 'implementer-1', run: 1, paused: true }, system())
    expect((await world.perform(listAgents, {}))[0]!.pausedAt).toBe(world.now())
    await ends(world, 'implementer-1', used(2), { kind: 'lost', why: 'gone' })
    expect(await world.store.read.selectFrom('run_pauses').selectAll().execute()).toEqual([])
    expect(await world.show(1)).toMatchObject({ status: 'pending', retryCount: 0, attempts: [{ outcome: 'lost' }] })
  })

  it('is not asked about when it is done', async () => {
    const { world } = await working({}, { budget: { costUsd: 1 } })
    await ends(world, 'implementer-1', used(2), { kind: 'completed', resultData: null })
    expect(await asked(world)).toEqual([])
    expect((await world.show(1)).budget).toEqual({ costUsd: 1, tokens: null, askedAt: null })
  })

  it('has a budget that only a person sets', async () => {
    const { world } = await working()
    const agent = await world.agent('p', { personaId: 'planner' })
    expect(
      await refused(
        world.perform(createTask, { title: 't', personaId: 'implementer', budget: { costUsd: 1000 } }, agent),
      ),
    ).toBe('not_allowed')
    expect(await refused(world.perform(answerBudget, { taskId: 1, answer: { kind: 'none' } }, agent))).toBe(
      'not_allowed',
    )
    expect(await refused(world.task({ budget: {} }))).toBe('invalid_input')
    expect(await refused(world.task({ budget: { costUsd: 0 } }))).toBe('invalid_input')
  })
})

describe('a session over its budget', () => {
  const budget = { session: { costUsd: 1, tokens: null } }

  it('starts nothing until a person has answered, and running agents continue', async () => {
    const { world } = await working({ budget })
    await reports(world, 'implementer-1', used(1.5))
    await world.task()
    expect((await send(world)).started).toEqual([])
    expect(await held(world)).toMatchObject([{ held: false }])
    expect((await world.perform(readRemainingWork, {}, system())).waiting).toEqual([
      { taskId: 2, why: "the session's budget is used up; answer with 'aiswarm session budget'" },
    ])
    expect(await asked(world)).toMatchObject([
      { taskId: null, text: 'the session has used up its budget: $1.50 of $1.00' },
    ])
    await world.perform(answerBudget, { answer: { kind: 'raise' } })
    expect((await send(world)).started).toMatchObject([{ taskId: 2 }])
    expect((await board(world)).budget).toEqual({ costUsd: 2, tokens: null, askedAt: null })
  })

  it('is paused when it is stopped, and asks again when it is resumed', async () => {
    const { world } = await working({ budget })
    await reports(world, 'implementer-1', used(1.5))
    await world.task()
    await world.perform(answerBudget, { answer: { kind: 'stop' } })
    expect((await board(world)).session?.pausedAt).toBe(world.now())
    await reports(world, 'implementer-1', used(1.6))
    expect(await asked(world)).toEqual([])
    await world.perform(pauseScheduling, { paused: false })
    expect((await send(world)).started).toEqual([])
    expect(await asked(world)).toHaveLength(1)
  })

  it('refuses workers that a planner starts, and accepts those of a person', async () => {
    const { world } = await working({ budget })
    await world.worktree('auth')
    const planner = await world.agent('lead', { personaId: 'planner' })
    const spawn = async (actor?: typeof planner) => {
      const { id } = await world.task({ targetWorktree: 'auth' })
      return world.perform(spawnAgent, { personaId: 'implementer', taskId: id, beside: true }, actor)
    }
    expect(await spawn(planner)).toMatchObject({ taskId: 2 })
    await reports(world, 'implementer-1', used(1.5))
    expect((await refusal(spawn(planner))).message).toBe(
      "Task 3 cannot start now: the session's budget is used up; answer with 'aiswarm session budget'.",
    )
    expect(await spawn()).toMatchObject({ taskId: 4 })
    await world.perform(answerBudget, { answer: { kind: 'stop' } })
    expect((await refusal(spawn(planner))).message).toBe('Task 5 cannot start now: the session is paused.')
  })

  it('has no budget without a running session', async () => {
    const world = await openCore({ budget })
    expect(await refused(world.perform(answerBudget, { answer: { kind: 'none' } }))).toBe('not_found')
  })
})

describe('a used-up quota', () => {
  const kinds = {
    default: 'claude',
    names: {},
    kinds: {},
    pass: [],
    personas: { tester: { kind: 'codex', args: [], approvals: 'ask' as const, allow: [] } },
  }

  const tired = async () => {
    const { world } = await working({ agents: kinds })
    const until = later(world.now(), 137 * minute)
    await ends(world, 'implementer-1', used(0.1), {
      kind: 'unavailable',
      why: 'implementer-1 (claude) could not work: resets at 03:39',
      resetsAt: until,
    })
    await world.task()
    await world.task({ personaId: 'tester' })
    return { world, until }
  }

  it('puts the task to sleep without using a retry, and prevents other agents of its kind from starting', async () => {
    const { world, until } = await tired()
    expect(await world.show(1)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      notBefore: until,
      sleep: { kind: 'claude', until },
    })
    expect(await world.show(2)).toMatchObject({ notBefore: null, sleep: { kind: 'claude', until } })
    const { started, held } = await send(world)
    expect(started).toMatchObject([{ taskId: 3 }])
    expect(held).toMatchObject([
      { taskId: 2, why: expect.stringMatching(/^it is asleep until \d\d:\d\d \(claude's quota\)$/) as string },
    ])
    expect((await world.perform(listTasks, {})).map(({ sleep }) => sleep?.kind)).toEqual([
      'claude',
      'claude',
      undefined,
    ])
  })

  it('ends at its time: the loops know when, and both tasks start', async () => {
    const { world, until } = await tired()
    await send(world)
    expect((await world.perform(readWishes, {}, system())).nextDue).toBe(until)
    expect((await world.perform(readRemainingWork, {}, system())).moving).toBe(true)
    world.pass(137 * minute)
    expect((await world.show(2)).sleep).toBeNull()
    expect((await send(world)).started.map(({ taskId }) => taskId)).toEqual([1, 2])
  })

  it('is not ended by an agent, which cannot know', async () => {
    const { world, until } = await tired()
    const planner = await world.agent('lead', { personaId: 'planner' })
    for (const taskId of [1, 2]) expect(await refused(world.perform(retryTask, { taskId }, planner))).toBe('blocked')
    expect(await world.show(2)).toMatchObject({ sleep: { kind: 'claude', until } })
  })

  it('is ended by a person who wakes a task', async () => {
    const { world } = await tired()
    expect(await world.perform(retryTask, { taskId: 2 })).toMatchObject({ status: 'pending', retryCount: 0 })
    expect((await send(world)).started.map(({ taskId }) => taskId)).toEqual([2, 3])
    expect(await world.show(1)).toMatchObject({ retryCount: 0 })
    expect(await world.perform(retryTask, { taskId: 1 })).toMatchObject({ notBefore: null, retryCount: 0 })
  })

  it('has an unknown end if the CLI does not report one', async () => {
    const { world } = await working({ agents: kinds })
    await ends(world, 'implementer-1', used(0.1), { kind: 'unavailable', why: 'not logged in', resetsAt: null })
    await world.task()
    expect((await send(world)).started).toMatchObject([{ taskId: 2 }])
  })
})
