import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { milliseconds } from '../../../src/domain/words/time.ts'
import { wishesOf } from '../../../src/effects/wishes.ts'
import { dispatchTasks } from '../../../src/effects/loops/dispatcher.ts'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { identify, livenessOf } from '../../../src/effects/processes/identity.ts'
import { processesMarked } from '../../../src/effects/processes/table.ts'
import { settle } from '../../../src/effects/runs/termination.ts'
import { answerRequest } from '../../../src/operations/requests/answers.ts'
import { getAgentRuns } from '../../../src/operations/agents/runs.ts'
import { getTaskLogs } from '../../../src/operations/tasks/detail.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { listRequests } from '../../../src/operations/requests/requests.ts'
import type { AgentRun } from '../../../src/operations/supervision/wishes.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { terminateAgent } from '../../../src/operations/agents/spawn.ts'
import { fakeCli, lineOf, says, tells, waitsFor } from '../fake-cli.ts'
import { openSwarm, read, type Swarm, until } from '../swarm.ts'
import { connectionOf } from '../../support/store.ts'

/** All but Claude run without a conversation here: their lines are those of such runs. */
const swarmOf = (cli: string, more = ''): Promise<Swarm> =>
  openSwarm({
    config: `agents: {default: ${cli}, kinds: {codex: {protocol: headless}, qwen: {protocol: headless}, copilot: {protocol: headless}}}\n${more}`,
  })

/** A swarm of this CLI with one task, whose first attempt has run to its end. */
const attempted = async (cli: string, more = '') => {
  const swarm = await swarmOf(cli, more)
  const { id } = await swarm.task({ title: 'Log in' })
  return { swarm, id, run: await attempt(swarm) }
}

const attempt = async (swarm: Swarm): Promise<AgentRun> => {
  const run = await swarm.begin()
  await swarm.ended(run)
  await settle(swarm.world, run, 'ended')
  return run
}

/** The next attempt of a waiting task, at once. */
const attemptAgain = async (swarm: Swarm, taskId: number): Promise<AgentRun> => {
  await perform(swarm.core, retryTask, { taskId }, person)
  return attempt(swarm)
}

const runsOf = (swarm: Swarm, agentId: string) => perform(swarm.core, getAgentRuns, { agentId }, person)
const requestsOf = (swarm: Swarm) => perform(swarm.core, listRequests, {}, person)
const notesOf = async (swarm: Swarm, taskId: number) =>
  (await perform(swarm.core, getTaskLogs, { taskId }, person)).map(({ level, message }) => `${level}: ${message}`)

/** Everything that a person reads of an agent's output, piece by piece like a log pane. */
const spokenBy = async (swarm: Swarm, agentId: string): Promise<string> => {
  const pieces: string[] = []
  for (let offset = 0, tries = 0; ; tries++) {
    const { text, next, size } = await swarm.connection.outside.readOutput(agentId, { offset })
    pieces.push(text)
    if (next >= size || next === offset || tries > 1000) return pieces.join('')
    offset = next
  }
}

const waited = (task: { notBefore: string | null; attempts: readonly { endedAt: string | null }[] }): number =>
  milliseconds(task.notBefore!) - milliseconds(task.attempts.at(-1)!.endedAt!)

const left = (swarm: Swarm): readonly number[] => processesMarked({ AISWARM_ROOT: swarm.root })

const session = 'b21da286-7c70-4129-ad7e-ff711a561484'
const claude = {
  begins: lineOf('claude', '"connected"'),
  withoutServer: lineOf('claude', '"status":"failed"'),
  speaks: lineOf('claude', 'I take the next task.'),
  calls: lineOf('claude', '"tool_use"'),
  ends: lineOf('claude', 'Done what I may.'),
  limited: lineOf('claude', '"api_error_status":429'),
  noSession: lineOf('claude', 'No conversation found'),
  text: (text: string) => ({
    type: 'assistant',
    message: { content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
  }),
}
const minute = 60_000

describe('an account over its limit', () => {
  const resetsAt = '2099-01-01T00:00:00.000Z'
  const rejected = {
    type: 'rate_limit_event',
    rate_limit_info: { status: 'rejected', resetsAt: milliseconds(resetsAt) / 1000, rateLimitType: 'five_hour' },
  }

  it('uses no retry, and its task waits until the limit ends', async () => {
    const cli = fakeCli('claude', says(claude.begins, rejected, claude.limited) + 'exit 1')
    const { swarm, id, run } = await attempted('claude')
    const why = 'implementer-1 (claude) could not work: 429 API Error: Request rejected (429) · scripted 429'
    expect(await swarm.show(id)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      assignedAgentId: null,
      notBefore: resetsAt,
      errorMessage: why,
      attempts: [{ outcome: 'unavailable', error: why }],
    })
    expect(await swarm.agent(run.agentId)).toMatchObject({ status: 'terminated', exitCode: 1 })
    expect(await notesOf(swarm, id)).toContain(`warn: ${why}`)
    expect(await spokenBy(swarm, run.agentId)).toContain('! Over the limit five_hour\n')
    expect((await wishesOf(swarm.world)).nextDue).toBe(resetsAt)
    expect((await dispatchTasks(swarm.world, 10)).started).toEqual([])
    expect(cli.runs()).toBe(1)
  })

  it.each([
    [
      'an overloaded service',
      {
        type: 'result',
        subtype: 'success',
        is_error: true,
        api_error_status: 529,
        result: 'API Error: 529 Overloaded',
      },
    ],
    [
      'an hour that is long over',
      { type: 'result', subtype: 'success', is_error: true, result: 'Claude AI usage limit reached|1577836800' },
    ],
  ])('without a future reset time, as from %s, is tried again after a minute, then after two', async (_, line) => {
    fakeCli('claude', says(claude.begins, line) + 'exit 1')
    const { swarm, id } = await attempted('claude')
    const first = await swarm.show(id)
    expect(first).toMatchObject({ retryCount: 0, attempts: [{ outcome: 'unavailable' }] })
    expect(waited(first)).toBe(minute)
    await attemptAgain(swarm, id)
    expect(waited(await swarm.show(id))).toBe(2 * minute)
  })

  it('fails its task for good after many times, unless it reports its reset time', async () => {
    fakeCli('claude', says(claude.begins, claude.limited) + 'exit 1')
    const { swarm, id } = await attempted('claude')
    for (let more = 0; more < 4; more++) await attemptAgain(swarm, id)
    const task = await swarm.show(id)
    expect(task).toMatchObject({ status: 'failed', retryCount: 0 })
    expect(task.errorMessage).toContain('This was the 5th attempt that ended this way.')
  })

  it('may occur more often if it reports its reset time', async () => {
    fakeCli('claude', says(claude.begins, rejected, claude.limited) + 'exit 1')
    const { swarm, id } = await attempted('claude')
    for (let more = 0; more < 5; more++) await attemptAgain(swarm, id)
    expect(await swarm.show(id)).toMatchObject({ status: 'pending', retryCount: 0, notBefore: resetsAt })
  })

  it('that reports a duration is awaited that long', async () => {
    fakeCli(
      'codex',
      says(lineOf('codex', 'thread.started'), {
        type: 'turn.failed',
        error: { message: "You've hit your usage limit. Try again in 2 hours 5 minutes." },
      }) + 'exit 1',
    )
    const { swarm, id } = await attempted('codex')
    const task = await swarm.show(id)
    expect(task.attempts).toMatchObject([{ outcome: 'unavailable' }])
    // The duration counts from its message: after the claim, and before the end.
    expect(milliseconds(task.notBefore!)).toBeGreaterThan(milliseconds(task.attempts[0]!.claimedAt) + 125 * minute - 1)
    expect(milliseconds(task.notBefore!)).toBeLessThanOrEqual(milliseconds(task.attempts[0]!.endedAt!) + 125 * minute)
  })

  it('that recovered does not excuse a later failure', async () => {
    const retried = {
      type: 'system',
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 10,
      error_status: 429,
      error: 'rate_limit',
    }
    fakeCli('claude', says(claude.begins, retried, claude.speaks, claude.ends))
    const { swarm, id } = await attempted('claude')
    expect(await swarm.show(id)).toMatchObject({ retryCount: 1, attempts: [{ outcome: 'failed' }] })
    expect((await runsOf(swarm, 'implementer-1'))[0]!.problem).toBeNull()
  })

  it('does not affect a task that was completed before', async () => {
    fakeCli(
      'claude',
      `${says(claude.begins)}aiswarm task complete 1 --agent "$AISWARM_AGENT_ID" --result '{"by":"me"}'\n${says(rejected, claude.limited)}exit 1`,
    )
    const { swarm, id } = await attempted('claude')
    expect(await swarm.show(id)).toMatchObject({
      status: 'completed',
      resultData: { by: 'me' },
      attempts: [{ outcome: 'completed' }],
    })
  })
})

describe('a CLI that is not logged in uses no retry and says so:', () => {
  it.each([
    [
      'claude',
      'as its service answers',
      says(
        claude.begins,
        lineOf('claude', 'api_retry'),
        lineOf('claude', '"<synthetic>"'),
        lineOf('claude', '"api_error_status":401'),
      ) + 'exit 1',
      '401 Failed to authenticate. API Error: 401 scripted 401',
    ],
    [
      'codex',
      'as its service answers',
      says(lineOf('codex', 'thread.started'), lineOf('codex', 'Reconnecting'), lineOf('codex', 'turn.failed', '401')) +
        'exit 1',
      'unexpected status 401 Unauthorized: scripted 401, url: https://api.example/v1/responses',
    ],
    [
      'qwen',
      'even if it reports a success',
      says(lineOf('qwen', '"connected"'), lineOf('qwen', '"assistant"', '401'), lineOf('qwen', '"result"', '401')),
      '[API Error: 401 scripted 401]',
    ],
    [
      'claude',
      'which knows it by itself',
      'echo "Invalid API key · Please run /login" >&2; exit 1',
      'Invalid API key · Please run /login',
    ],
  ])('%s, %s', async (name, _, script, sentence) => {
    fakeCli(name, script)
    const { swarm, id, run } = await attempted(name)
    const why = `implementer-1 (${name}) could not work: ${sentence}`
    const task = await swarm.show(id)
    expect(task).toMatchObject({
      status: 'pending',
      retryCount: 0,
      errorMessage: why,
      attempts: [{ outcome: 'unavailable', error: why }],
    })
    expect(waited(task)).toBe(minute)
    expect((await runsOf(swarm, run.agentId))[0]).toMatchObject({ problem: sentence })
    expect(await spokenBy(swarm, run.agentId)).toContain(sentence)
  })
})

describe('output that is not a message', () => {
  const garbage = `printf '\\377\\376\\200 \\000\\001{"type":\\n{]}\\n\\303('; echo; ${says('[[[', '{"type":"result"', 'null', '{"type":"assistant","message":{"content":[null,7]}}')}`

  it('is skipped, and the messages in between are read', async () => {
    fakeCli(
      'claude',
      garbage + says(claude.begins) + garbage + says(claude.speaks) + garbage + says(claude.ends) + garbage,
    )
    const { swarm, id, run } = await attempted('claude')
    expect(await swarm.show(id)).toMatchObject({
      retryCount: 1,
      attempts: [{ outcome: 'failed', tokensIn: 9000, tokensOut: 450 }],
    })
    expect((await runsOf(swarm, run.agentId))[0]).toMatchObject({
      session,
      said: 'I take the next task.',
      problem: null,
    })
  })

  it('is shown to a person once, even if the last line is cut', async () => {
    fakeCli('claude', `${says(claude.text('one'), claude.text('two'))}head -c 300 /dev/zero | tr '\\0' '\\377'`)
    const { swarm, run } = await attempted('claude')
    const { outside } = swarm.connection
    const first = await outside.readOutput(run.agentId, { offset: 0 })
    expect(first.text).toBe('one\ntwo\n')
    expect((await outside.readOutput(run.agentId, { offset: first.next })).text).toBe('')
  })

  it('of 5 MB in one line is neither awaited nor shown', async () => {
    const long = `printf '{"type":"user","message":"'; head -c 5000000 /dev/zero | tr '\\0' x; echo '"}'\n`
    fakeCli('claude', says(claude.begins, claude.text('before')) + long + says(claude.text('after'), claude.ends))
    const { swarm, id, run } = await attempted('claude')
    expect((await swarm.show(id)).attempts).toMatchObject([{ outcome: 'failed', tokensIn: 9000 }])
    expect((await runsOf(swarm, run.agentId))[0]).toMatchObject({ said: 'after' })
    const spoken = await spokenBy(swarm, run.agentId)
    // It is not compared as a text, because a failure would print all of it.
    expect([
      spoken.startsWith('before\n'),
      spoken.includes('\nafter\n'),
      spoken.endsWith('■ ended\n'),
      spoken.length < 10_000,
    ]).toEqual([true, true, true, true])
  })

  it('and a last message without a line end are read at the end of the run', async () => {
    fakeCli(
      'claude',
      `${says(claude.begins)}printf %s '${JSON.stringify({ type: 'result', subtype: 'success', is_error: true, api_error_status: 401, result: 'Not logged in' })}'; exit 1`,
    )
    const { swarm, id } = await attempted('claude')
    expect((await swarm.show(id)).attempts).toMatchObject([{ outcome: 'unavailable' }])
  })
})

describe('the text of an agent', () => {
  it('is shown while the agent works, even if a line comes in two pieces', async () => {
    const at = claude.ends.indexOf('"usage"')
    const halves = `printf %s '${claude.ends.slice(0, at).replaceAll("'", "'\\''")}'\n${tells('half')}${waitsFor('go on')}${says(claude.ends.slice(at))}${tells('whole')}${waitsFor('end')}`
    const cli = fakeCli('claude', says(claude.begins, claude.speaks) + halves)
    const swarm = await swarmOf('claude')
    await swarm.task({})
    const run = await swarm.begin()
    const report = async () => {
      await swarm.world.reports.follow(swarm.world, run)
      return (await runsOf(swarm, run.agentId))[0]
    }
    await until('half a line', () => cli.told('half'))
    expect(await report()).toMatchObject({
      session,
      said: 'I take the next task.',
      tokensIn: 1000,
      tokensOut: 1,
      costUsd: null,
      endedAt: null,
    })
    cli.tell('go on')
    await until('the whole line', () => cli.told('whole'))
    expect(await report()).toMatchObject({ tokensIn: 9000, tokensOut: 450, endedAt: null })
    cli.tell('end')
    await swarm.ended(run)
    await settle(swarm.world, run, 'ended')
    expect((await runsOf(swarm, run.agentId))[0]).toMatchObject({ tokensIn: 9000, tokensOut: 450, exitCode: 0 })
  })

  it('is shown completely if the first read was in the middle of a character', async () => {
    const [before, after] = JSON.stringify(claude.text('naïve')).split('ï')
    const cli = fakeCli(
      'claude',
      `printf '%s\\303' '${before}'\n${tells('half')}${waitsFor('go on')}printf '\\257%s\\n' '${after}'`,
    )
    const swarm = await swarmOf('claude')
    await swarm.task({})
    const run = await swarm.begin()
    const { outside } = swarm.connection
    await until('half a letter', () => cli.told('half'))
    const first = await outside.readOutput(run.agentId, { offset: 0 })
    cli.tell('go on')
    await swarm.ended(run)
    const second = await outside.readOutput(run.agentId, { offset: first.next })
    expect(first.text + second.text).toBe('naïve\n')
    await settle(swarm.world, run, 'ended')
  })
})

describe('an agent that did nothing', () => {
  const nothing = 'no-artifact: implementer-1 ended with exit code 0 without completing its task'

  it('and printed nothing has failed its task, even if it ended well', async () => {
    fakeCli('claude', 'exit 0')
    const { swarm, id } = await attempted('claude')
    expect(await swarm.show(id)).toMatchObject({
      status: 'pending',
      retryCount: 1,
      errorMessage: nothing,
      attempts: [{ outcome: 'failed' }],
    })
  })

  it('has its own words as the reason, not those of its protocol', async () => {
    fakeCli('claude', says(claude.begins))
    const { swarm, id } = await attempted('claude')
    expect((await swarm.show(id)).errorMessage).toBe(nothing)
  })

  it('because its turns were used up has that as the reason', async () => {
    fakeCli(
      'claude',
      says(claude.begins, claude.speaks, {
        type: 'result',
        subtype: 'error_max_turns',
        is_error: true,
        session_id: session,
        num_turns: 9,
      }) + 'exit 1',
    )
    const { swarm, id } = await attempted('claude')
    const task = await swarm.show(id)
    expect(task).toMatchObject({ retryCount: 1, attempts: [{ outcome: 'failed' }] })
    expect(task.errorMessage).toContain('error_max_turns')
  })
})

describe('a terminated CLI', () => {
  const grace = 'lease: {terminateGrace: 300ms}\n'
  const begun = async (script: string, next = 'exit 0') => {
    const cli = fakeCli('claude', says(claude.begins) + script, next)
    const swarm = await swarmOf('claude', grace)
    const { id } = await swarm.task({})
    const run = await swarm.begin()
    await until('its start', () => cli.told('ready'))
    return { cli, swarm, id, run }
  }
  const terminate = (swarm: Swarm, { agentId }: AgentRun) =>
    act(swarm.connection, terminateAgent, { agentId, reason: 'enough' })

  it('that hangs and ignores TERM leaves no process, and its task uses no retry', async () => {
    const { swarm, id, run } = await begun(`trap '' TERM INT HUP\n${tells('ready')}while :; do sleep 60; done`)
    expect(await terminate(swarm, run)).toMatchObject({ status: 'terminated', stopReason: 'enough' })
    expect(livenessOf(run.identity!)).toBe('dead')
    expect(await swarm.show(id)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      assignedAgentId: null,
      attempts: [{ outcome: 'terminated' }],
    })
    await until('the end of all', () => left(swarm).length === 0)
  })

  it('that is only a wrapper takes the real agent with it', async () => {
    const agent = `sh -c 'trap "" TERM; echo $$ > "$0/agent"; : > "$0/ready"; while :; do sleep 60; done' "$here"`
    const { cli, swarm, run } = await begun(`trap 'exit 143' TERM; ${agent} & wait`)
    const real = identify(Number(cli.read('agent')))!
    await terminate(swarm, run)
    await until('the end of the real agent', () => livenessOf(real) === 'dead')
    await until('the end of all', () => left(swarm).length === 0)
  })

  it('keeps its text and its usage, and the next attempt resumes its session', async () => {
    const { cli, swarm, id, run } = await begun(
      `${says(claude.speaks, claude.ends)}${tells('ready')}sleep 60`,
      says(claude.begins),
    )
    await terminate(swarm, run)
    expect((await runsOf(swarm, run.agentId))[0]).toMatchObject({
      session,
      said: 'I take the next task.',
      tokensIn: 9000,
      endedAt: expect.any(String) as string,
    })
    expect((await swarm.show(id)).attempts).toMatchObject([{ outcome: 'terminated', tokensIn: 9000, tokensOut: 450 }])
    await attempt(swarm)
    expect(cli.started(2).argv).toContain('--resume')
  })
})

it('a killed agent uses no retry, and the next attempt resumes its session', async () => {
  const cli = fakeCli(
    'claude',
    `${says(claude.begins, claude.speaks)}${tells('ready')}sleep 60`,
    says(claude.begins, claude.ends),
  )
  const swarm = await swarmOf('claude')
  const { id } = await swarm.task({})
  const run = await swarm.begin()
  await until('its start', () => cli.told('ready'))
  process.kill(-run.identity!.pid, 'SIGKILL')
  await until('its death', () => livenessOf(run.identity!) === 'dead')
  await settle(swarm.world, run, 'vanished')
  expect(await swarm.show(id)).toMatchObject({ retryCount: 0, attempts: [{ outcome: 'lost' }] })
  await attempt(swarm)
  expect(cli.started(2).argv.slice(-2)).toEqual(['--resume', session])
})

it('a server that a CLI started in a session of its own ends with the run', async () => {
  fakeCli(
    'claude',
    `${says(claude.begins)}setsid sh -c 'trap "" TERM HUP; : > "$0/ready"; while :; do sleep 60; done' "$here" &\n${waitsFor('ready')}${says(claude.ends)}`,
  )
  const { swarm } = await attempted('claude')
  await until('the end of all', () => left(swarm).length === 0)
})

describe('a run without the MCP server of aiswarm', () => {
  const sentence = 'The MCP server aiswarm did not start (failed)'
  const others = (servers: readonly unknown[]) => ({ ...(JSON.parse(claude.begins) as object), mcp_servers: servers })

  it.each([
    ['claude', says(claude.withoutServer, claude.speaks, claude.ends), sentence],
    [
      'codex',
      says(lineOf('codex', 'required MCP servers failed')) + 'exit 1',
      lineOf('codex', 'required MCP servers failed'),
    ],
    [
      'qwen',
      says(lineOf('qwen', '"disconnected"'), lineOf('qwen', 'I take the next task.')),
      'The MCP server aiswarm did not start (disconnected)',
    ],
  ])('uses no retry, because %s could report nothing', async (name, script, said) => {
    fakeCli(name, script)
    const { swarm, id } = await attempted(name)
    const why = `implementer-1 (${name}) could not work: ${said}`
    expect(await swarm.show(id)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      errorMessage: why,
      attempts: [{ outcome: 'unavailable' }],
    })
  })

  it('is detected even if the CLI does not know about it', async () => {
    fakeCli('claude', says(others([]), claude.speaks, claude.ends))
    const { swarm, id } = await attempted('claude')
    expect(await swarm.show(id)).toMatchObject({ retryCount: 0, attempts: [{ outcome: 'unavailable' }] })
  })

  it('is not assumed if the server came up later', async () => {
    const call = {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id: 'c-1', name: 'mcp__aiswarm__report_task_progress', input: {} }] },
    }
    fakeCli('claude', says(claude.withoutServer, call, claude.ends))
    const { swarm, id } = await attempted('claude')
    expect((await swarm.show(id)).attempts).toMatchObject([{ outcome: 'failed' }])
  })

  it("is not assumed if the person's own server failed", async () => {
    fakeCli(
      'claude',
      says(
        others([
          { name: 'aiswarm', status: 'connected' },
          { name: 'theirs', status: 'failed' },
        ]),
        claude.ends,
      ),
    )
    const { swarm, id } = await attempted('claude')
    expect((await swarm.show(id)).attempts).toMatchObject([{ outcome: 'failed' }])
  })
})

describe('a session that a later run resumes', () => {
  const thread = '01a1fd25-8b85-7961-a61f-0bf99678c021'
  const turn = (tokensIn: number, tokensOut: number, cached = 0) => ({
    type: 'turn.completed',
    usage: { input_tokens: tokensIn, output_tokens: tokensOut, cached_input_tokens: cached },
  })
  const codex = (...usage: readonly unknown[]) => says(lineOf('codex', 'thread.started'), ...usage)
  const tokens = async (swarm: Swarm, id: number) =>
    (await swarm.show(id)).attempts.map(({ tokensIn, tokensOut }) => [tokensIn, tokensOut])

  it('counts each token once if the CLI counts per session', async () => {
    fakeCli('codex', codex(turn(9000, 450, 100)), codex(turn(12_000, 500, 100), turn(15_000, 700, 300)))
    const { swarm, id } = await attempted('codex')
    const second = await attemptAgain(swarm, id)
    expect(await tokens(swarm, id)).toEqual([
      [9000, 450],
      [6000, 250],
    ])
    expect((await runsOf(swarm, second.agentId))[0]).toMatchObject({
      session: thread,
      resumed: true,
      tokensIn: 6000,
      tokensOut: 250,
      tokensCached: 200,
    })
  })

  it('counts each token once in a third run too, after a run that ended before its count', async () => {
    const limited = says(lineOf('codex', 'thread.started'), lineOf('codex', '429 Too Many')) + 'exit 1'
    fakeCli('codex', codex(turn(9000, 450)), limited, codex(turn(15_000, 700)))
    const { swarm, id } = await attempted('codex')
    await attemptAgain(swarm, id)
    await attemptAgain(swarm, id)
    expect(await tokens(swarm, id)).toEqual([
      [9000, 450],
      [0, 0],
      [6000, 250],
    ])
  })

  it('counts the tokens of each run if the CLI counts per run', async () => {
    fakeCli('claude', says(claude.begins, claude.ends))
    const { swarm, id } = await attempted('claude')
    await attemptAgain(swarm, id)
    expect((await swarm.show(id)).attempts).toMatchObject([
      { tokensIn: 9000, tokensOut: 450, costUsd: 0.056249999999999994 },
      { tokensIn: 9000, tokensOut: 450, costUsd: 0.056249999999999994 },
    ])
  })

  it('is the one that the CLI reported, and the prompt only asks the agent to continue', async () => {
    const cli = fakeCli('claude', says(claude.begins, claude.speaks, claude.ends))
    const { swarm, id } = await attempted('claude')
    expect(cli.started(1).argv).not.toContain('--resume')
    expect(cli.started(1).stdin).toMatch(/^You are agent implementer-1 of a team[^]*# Your task: 1\. Log in/)
    await attemptAgain(swarm, id)
    const { argv, stdin } = cli.started(2)
    expect(argv.slice(argv.indexOf('--resume'))).toEqual(['--resume', session])
    expect(stdin).toMatch(/^You are agent implementer-2 now\. Continue task 1, "Log in"\. This is attempt 2/)
    expect(stdin).toContain('The last attempt ended with:\nno-artifact: implementer-1 ended with exit code 0')
    expect(stdin).not.toContain('# Your task')
  })

  it('is abandoned after two failed attempts', async () => {
    const cli = fakeCli('codex', codex(turn(9000, 450)), codex(turn(15_000, 700)), codex(turn(2000, 20)))
    const { swarm, id } = await attempted('codex')
    await attemptAgain(swarm, id)
    await attemptAgain(swarm, id)
    expect([1, 2, 3].map((run) => cli.started(run).argv.slice(-3).includes('resume'))).toEqual([false, true, false])
    expect(cli.started(2).argv.slice(-3)).toEqual(['resume', thread, '-'])
    expect(cli.started(3).stdin).toContain('Two attempts have failed: try another approach.')
    expect((await tokens(swarm, id))[2]).toEqual([2000, 20])
  })

  it('that no longer exists uses no retry: the next attempt starts over with the whole brief', async () => {
    const cli = fakeCli(
      'claude',
      says(claude.begins, claude.ends),
      says(claude.noSession) + 'exit 1',
      says(claude.begins, claude.ends),
    )
    const { swarm, id } = await attempted('claude')
    const lost = await attemptAgain(swarm, id)
    expect(cli.started(2).argv).toContain('--resume')
    const task = await swarm.show(id)
    expect(task).toMatchObject({
      status: 'pending',
      retryCount: 1,
      attempts: [{ outcome: 'failed' }, { outcome: 'unavailable' }],
    })
    expect(task.errorMessage).toContain('No conversation found with session ID')
    expect((await runsOf(swarm, lost.agentId))[0]).toMatchObject({ tokensIn: 0, tokensOut: 0 })
    await attemptAgain(swarm, id)
    expect(cli.started(3).argv).not.toContain('--resume')
    expect(cli.started(3).stdin).toMatch(/^You are agent implementer-3 of a team[^]*# Your task: 1\. Log in/)
  })

  it('is not resumed by another CLI', async () => {
    fakeCli('claude', says(claude.begins, claude.ends))
    const codexCli = fakeCli('codex', codex(turn(1, 1)))
    const { swarm, id } = await attempted('claude')
    connectionOf(swarm.core.store).exec(`UPDATE tasks SET metadata = '{"cli":"codex"}', cli = 'codex'`)
    await attemptAgain(swarm, id)
    expect(codexCli.started(1).argv).not.toContain('resume')
    expect(codexCli.started(1).stdin).toContain('# Your task: 1. Log in')
  })
})

describe('a secret in the output', () => {
  const key = `sk-ant-api03-${'a1B2'.repeat(20)}`
  const token = `ghp_${'c3D4'.repeat(9)}`
  const call = (command: string) => ({
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id: 'c-1', name: 'Bash', input: { command } }] },
  })
  const denied = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: `The key is ${key}`,
    permission_denials: [{ tool_name: 'Bash', tool_use_id: 'c-2', tool_input: { command: `curl -H ${token}` } }],
  }

  it('is masked wherever people and other agents read it', async () => {
    fakeCli(
      'claude',
      says(
        claude.begins,
        call(`curl -u ${token} https://api.example`),
        claude.text(`The key is ${key}`),
        `warning: ${key} is old`,
        denied,
      ),
    )
    const { swarm, id, run } = await attempted('claude')
    const spoken = await spokenBy(swarm, run.agentId)
    expect(spoken).toContain('● Bash curl -u •••••• https://api.example\nThe key is ••••••\nwarning: •••••• is old\n')
    const [one] = await runsOf(swarm, run.agentId)
    expect(one!.said).toBe('The key is ••••••')
    const requests = await requestsOf(swarm)
    expect(requests.map(({ subject }) => subject)).toEqual(['curl -H ••••••'])
    const all = JSON.stringify([spoken, one, requests, await swarm.show(id), await notesOf(swarm, id)])
    expect(all).not.toContain(key)
    expect(all).not.toContain(token)
    expect(readFileSync(outputPath(swarm.root, run.agentId), 'utf8')).toContain(key)
  })

  it('is masked if it is part of the reason why an agent could not work', async () => {
    const refused = {
      type: 'result',
      subtype: 'success',
      is_error: true,
      api_error_status: 401,
      result: `invalid x-api-key ${key}`,
    }
    fakeCli('claude', says(claude.begins, refused) + 'exit 1')
    const { swarm, id, run } = await attempted('claude')
    const task = await swarm.show(id)
    expect(task.errorMessage).toBe('implementer-1 (claude) could not work: 401 invalid x-api-key ••••••')
    expect(JSON.stringify([task, await runsOf(swarm, run.agentId), await notesOf(swarm, id)])).not.toContain(key)
  })
})

describe('a permission that a CLI denied its agent', () => {
  it('is requested from a person once', async () => {
    fakeCli('claude', says(claude.begins, claude.ends))
    const { swarm, id, run } = await attempted('claude')
    const requests = await requestsOf(swarm)
    expect(
      requests.every(
        (one) =>
          one.kind === 'denial' &&
          one.status === 'open' &&
          one.agentId === run.agentId &&
          one.taskId === id &&
          one.tool === 'Bash',
      ),
    ).toBe(true)
    expect(requests.map(({ subject, rule }) => [subject, rule])).toEqual([
      ['touch made-by-touch.txt', 'shell(touch)'],
      ['git status && touch chained.txt', null],
      ["printf %s b3V0Cg== | base64 -d > '/elsewhere/outside.txt'", null],
      ['npm run build', 'shell(npm run build)'],
      ['npm test', 'shell(npm test)'],
      ["printf %s aW4K | base64 -d > '/repo/auth/inside.txt'", null],
    ])
  })

  it('is granted to the next attempt if a person answers always', async () => {
    const cli = fakeCli('claude', says(claude.begins, claude.ends), says(claude.begins))
    const { swarm, id } = await attempted('claude')
    const wanted = (await requestsOf(swarm)).find(({ rule }) => rule === 'shell(npm test)')!
    await act(swarm.connection, answerRequest, { requestId: wanted.id, verdict: 'always' })
    expect(read(swarm.root, '.aiswarm/config.yaml')).toContain('shell(npm test)')
    await attemptAgain(swarm, id)
    const allowed = (run: number) =>
      cli.started(run).argv[cli.started(run).argv.indexOf('--allowedTools') + 1]!.split(',')
    expect(allowed(1)).not.toContain('Bash(npm test:*)')
    expect(allowed(2)).toContain('Bash(npm test:*)')
  })

  it('is requested if the CLI reported it at once', async () => {
    const declined = {
      type: 'item.completed',
      item: { id: 'item_9', type: 'command_execution', command: "/bin/bash -lc 'npm test'", status: 'declined' },
    }
    fakeCli('codex', says(lineOf('codex', 'thread.started'), declined))
    const { swarm } = await attempted('codex')
    expect(await requestsOf(swarm)).toMatchObject([
      { kind: 'denial', tool: 'shell', subject: 'npm test', rule: 'shell(npm test)' },
    ])
  })

  it('is not requested again while the first request is open', async () => {
    fakeCli('claude', says(claude.begins, claude.ends))
    const { swarm, id } = await attempted('claude')
    const first = await requestsOf(swarm)
    await attemptAgain(swarm, id)
    expect((await requestsOf(swarm)).map(({ subject }) => subject)).toEqual(first.map(({ subject }) => subject))
  })
})
