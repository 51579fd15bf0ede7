import { describe, expect, test } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { recordLaunch } from '../../../src/operations/runs/processes.ts'
import { recordRunReport } from '../../../src/operations/runs/reports.ts'
import { settleRun } from '../../../src/operations/runs/ends.ts'
import { openTerminal } from '../terminal.ts'

/** An agent at work on one task with a budget of $2.50, which has cost this much. */
const openSpent = async (costUsd: number | null, ...budget: string[]) => {
  const terminal = await openTerminal()
  const { core, run } = terminal
  await perform(core, beginSession, {}, system())
  const added = await run('task', 'add', 'Log in', '--persona', 'implementer', '--kind', 'claude', ...budget)
  if (added.code !== 0) throw new Error(added.err)
  await perform(core, dispatch, { maxParallel: 1 }, system())
  await perform(
    core,
    recordLaunch,
    { agentId: 'implementer-1', run: 1, pid: 4242, startedAt: '99', bootId: 'boot', startsTask: true },
    system(),
  )
  const report = {
    model: null,
    session: null,
    tokensIn: 12_000,
    tokensOut: 900,
    tokensCached: 8000,
    costUsd,
    said: null,
    problem: null,
  }
  await perform(core, recordRunReport, { agentId: 'implementer-1', run: 1, report }, system())
  return terminal
}

const usage = (costUsd: number) => ({
  tokensIn: 12_000,
  tokensOut: 900,
  tokensCached: 8000,
  tokensUnpriced: 0,
  costUsd,
})

describe('the cost', () => {
  test('is in the JSON of the session, the task and the agent', async () => {
    const { json } = await openSpent(0.42)
    expect(await json('session', 'show')).toMatchObject({
      usage: usage(0.42),
      budget: { costUsd: null, tokens: null, askedAt: null },
    })
    expect(await json('task', 'show', '1')).toMatchObject({ usage: usage(0.42) })
    expect(await json('agent', 'list')).toMatchObject([{ id: 'implementer-1', usage: usage(0.42), pausedAt: null }])
    expect(await json('cost')).toMatchObject({
      usage: usage(0.42),
      tasks: [{ id: 1, title: 'Log in', usage: usage(0.42) }],
      agents: [{ id: 'implementer-1', usage: usage(0.42) }],
      kinds: [{ kind: 'claude', usage: usage(0.42) }],
      sleeps: [],
    })
  })

  test('is printed for a person', async () => {
    const { run } = await openSpent(0.42)
    const { out } = await run('cost')
    expect(out).toMatch(/^session-\d+-\d+: 12k in 900 out, 8k of input cached, \$0\.42; it has no budget\n/)
    expect(out).toContain('Tasks\n  1  12k in 900 out, 8k of input cached, $0.42  Log in\n')
    expect((await run('task', 'show', '1')).out).toContain('12k in 900 out, 8k of input cached, $0.42')
  })

  test('is printed as unknown if the agent reports no price, with a warning that a limit in dollars does not stop it', async () => {
    const { run, json } = await openSpent(null, '--budget', '2.50')
    expect((await run('cost')).out).toMatch(
      /: 12k in 900 out, 8k of input cached, no price reported; it has no budget\n/,
    )
    expect((await run('task', 'show', '1')).out).toContain('$0.00 of $2.50, without the price of 13k tokens\n')
    expect((await run('task', 'show', '1')).out).toContain('in progress, 12000 tokens in, 900 out, no price reported')
    expect((await run('task', 'budget', '1')).out).toBe(
      'Task 1 has used 12k in 900 out, 8k of input cached, no price reported; its budget is $2.50, which does not count tokens without a price (--raise-tokens limits those).\n',
    )
    expect(await json('task', 'show', '1')).toMatchObject({ usage: { tokensUnpriced: 12_900, costUsd: null } })
    // A limit in tokens is used up by tokens, so it needs no warning.
    expect((await run('task', 'budget', '1', '--raise-tokens', '50000')).out).toMatch(
      /no price reported; its budget is \$2\.50 and 50k tokens\.\n$/,
    )
  })

  test('is refused before the first session', async () => {
    const { refused } = await openTerminal()
    expect(await refused('cost')).toMatchObject({ exit: 1, code: 'not_found' })
  })
})

describe('a budget', () => {
  test('that is used up is listed in the inbox, and is shown', async () => {
    const { run, json } = await openSpent(3.1, '--budget', '2.50')
    expect((await run('status')).out).toContain('task 1 has used up its budget: $3.10 of $2.50')
    expect((await run('task', 'budget', '1')).out).toBe(
      'Task 1 has used 12k in 900 out, 8k of input cached, $3.10; its budget is $2.50, used up ($3.10 of $2.50), and needs your answer.\n',
    )
    expect(await json('task', 'budget', '1', '--again')).toMatchObject({
      taskId: 1,
      budget: { costUsd: 5, tokens: null, askedAt: null },
    })
    expect((await run('status')).out).not.toContain('used up')
  })

  test.each([
    [['--raise', '1.50'], { costUsd: 4, tokens: null, askedAt: null }],
    [['--raise', '$1.50', '--raise-tokens', '20000'], { costUsd: 4, tokens: 20_000, askedAt: null }],
    [['--none'], { costUsd: null, tokens: null, askedAt: null }],
  ])('is answered by %j', async (words, budget) => {
    const { json } = await openSpent(3.1, '--budget', '2.50')
    expect(await json('task', 'budget', '1', ...words)).toMatchObject({ budget })
  })

  test('in tokens is raised in tokens', async () => {
    const { json, run } = await openSpent(0.1, '--token-budget', '10000')
    expect((await run('status')).out).toContain('13k of 10k tokens')
    expect(await json('task', 'budget', '1', '--again')).toMatchObject({ budget: { tokens: 20_000 } })
  })

  test('cancels its task with --stop', async () => {
    const { json } = await openSpent(3.1, '--budget', '2.50')
    expect(await json('task', 'budget', '1', '--stop')).toMatchObject({ stopped: 'implementer-1' })
    expect(await json('task', 'show', '1')).toMatchObject({ status: 'cancelled' })
  })

  test('of the session is set and removed', async () => {
    const { json } = await openSpent(3.1)
    expect(await json('session', 'budget', '--raise', '5')).toMatchObject({
      budget: { costUsd: 5 },
      usage: { costUsd: 3.1 },
    })
    expect(await json('session', 'show')).toMatchObject({ budget: { costUsd: 5 } })
    expect(await json('session', 'budget', '--none')).toMatchObject({ budget: { costUsd: null } })
    expect(await json('session', 'budget', '--stop')).toMatchObject({ taskId: null })
    expect(await json('session', 'show')).toMatchObject({ pausedAt: expect.any(String) as string })
  })

  test.each([
    [['task', 'budget', '1', '--raise', 'much'], 2],
    [['task', 'budget', '1', '--raise', '-1'], 2],
    [['task', 'budget', '1', '--raise', '0'], 2],
    [['task', 'budget', '1', '--none', '--stop'], 2],
    [['task', 'budget', '9', '--none'], 1],
    [['task', 'budget', '1', '--raise', '0.01'], 2],
    [['task', 'add', 'x', '--persona', 'implementer', '--budget', '0'], 2],
  ])('is refused with %j', async (argv, code) => {
    const { run } = await openSpent(3.1, '--budget', '2.50')
    expect((await run(...argv)).code).toBe(code)
  })
})

test('a task whose quota is used up shows when it wakes up', async () => {
  const { core, run, json } = await openSpent(0.1)
  const until = '2026-01-30T16:03:00.000Z'
  await perform(
    core,
    settleRun,
    {
      agentId: 'implementer-1',
      run: 1,
      exitCode: 1,
      verdict: { kind: 'unavailable', why: 'over its limit', resetsAt: until },
    },
    system(),
  )
  expect(await json('task', 'list')).toMatchObject([
    { notBefore: until, retryCount: 0, sleep: { kind: 'claude', until } },
  ])
  expect((await run('task', 'list')).out).toMatch(/asleep until \d\d:03 \(claude's quota\)/)
  expect(await json('cost')).toMatchObject({ sleeps: [{ kind: 'claude', until, why: 'over its limit' }] })
  expect(await json('task', 'retry', '1')).toMatchObject({ notBefore: null, sleep: null, retryCount: 0 })
})
