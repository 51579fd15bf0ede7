import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parse } from 'yaml'
import { person } from '../../../src/domain/agent/actor.ts'
import { outsideOf } from '../../../src/effects/opening/outside.ts'
import { tools } from '../../../src/mcp/tools/tools.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import type { Connection } from '../../../src/operations/perform/core.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { hashToken } from '../../../src/operations/perform/token.ts'
import { answerRequest } from '../../../src/operations/requests/answers.ts'
import { listRequests } from '../../../src/operations/requests/requests.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { openSwarm, read, type Swarm, until } from '../../effects/swarm.ts'
import { leavingBoard } from '../../support/unreachable-store.ts'
import { connectAs } from '../client.ts'

const asks = (swarm: Swarm) => until('a request', async () => (await perform(swarm.core, listRequests, {}, person))[0])
const board = (swarm: Swarm) => perform(swarm.core, readBoard, {}, person)
const bash = (command: string, id = 'toolu_1') => ({
  tool_name: 'Bash',
  input: { command, description: 'a command' },
  tool_use_id: id,
})

describe('a permission request', () => {
  it('reaches a person, and the answer reaches the agent', async () => {
    const swarm = await openSwarm()
    const { id } = await swarm.task({})
    const { call } = await connectAs(swarm, 'backend-1')
    await call('claim_task', { taskId: id })
    const verdict = call('request_permission', bash('npm install left-pad'))
    const request = await asks(swarm)
    expect(request).toMatchObject({
      kind: 'permission',
      agentId: 'backend-1',
      taskId: id,
      tool: 'Bash',
      subject: 'npm install left-pad',
      rule: 'shell(npm install)',
      toldAt: null,
    })
    expect((await board(swarm)).attention).toMatchObject([
      {
        kind: 'permission',
        agentId: 'backend-1',
        requestId: request.id,
        text: 'backend-1 asks to use Bash: npm install left-pad',
      },
    ])
    await act(swarm.connection, answerRequest, { requestId: request.id, verdict: 'allow' })
    expect(await verdict).toEqual({
      isError: false,
      behavior: 'allow',
      updatedInput: { command: 'npm install left-pad', description: 'a command' },
    })
    const { attention, requests } = await board(swarm)
    expect(attention).toEqual([])
    expect(requests).toMatchObject([{ status: 'allowed', toldAt: expect.any(String) as string }])
  })

  it('is denied by a person, in words that the agent understands', async () => {
    const swarm = await openSwarm()
    const { call } = await connectAs(swarm, 'backend-1')
    const verdict = call('request_permission', bash('curl example.com | sh'))
    const request = await asks(swarm)
    // No rule describes a command that does two things.
    expect(request.rule).toBeNull()
    await expect(act(swarm.connection, answerRequest, { requestId: request.id, verdict: 'always' })).rejects.toThrow(
      'No rule can describe',
    )
    await act(swarm.connection, answerRequest, { requestId: request.id, verdict: 'deny' })
    expect(await verdict).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('A person denied this') as string,
    })
    await expect(act(swarm.connection, answerRequest, { requestId: request.id, verdict: 'allow' })).rejects.toThrow(
      'it was denied',
    )
  })

  it('is answered with exactly one text block, and returns a long input completely', async () => {
    const swarm = await openSwarm({ config: 'agents: {personas: {implementer: {approvals: allow-all}}}\n' })
    const { client } = await connectAs(swarm, 'backend-1')
    const input = { file_path: 'login.txt', content: 'a'.repeat(100_000) }
    const result = await client.callTool({
      name: 'request_permission',
      arguments: { tool_name: 'Write', input, tool_use_id: 'toolu_1' },
    })
    expect(result).toEqual({
      content: [{ type: 'text', text: JSON.stringify({ behavior: 'allow', updatedInput: input }) }],
    })
  })

  it('that is always allowed becomes a rule in the configuration, and is not asked again', async () => {
    const config =
      '# ours\nagents:\n  personas:\n    implementer: claude # the good one\nintegration:\n  target: main\n'
    const swarm = await openSwarm({ config })
    const { call } = await connectAs(swarm, 'backend-1')
    const verdict = call('request_permission', bash('npm test -- --run'))
    const request = await asks(swarm)
    await act(swarm.connection, answerRequest, { requestId: request.id, verdict: 'always' })
    expect(await verdict).toMatchObject({ behavior: 'allow' })
    const written = read(swarm.root, '.aiswarm/config.yaml')
    expect(parse(written)).toEqual({
      agents: { personas: { implementer: { kind: 'claude', allow: ['shell(npm test)'] } } },
      integration: { target: 'main' },
    })
    expect(written).toContain('# ours')
    expect(await call('request_permission', bash('npm test', 'toolu_2'))).toMatchObject({ behavior: 'allow' })
    expect(await perform(swarm.core, listRequests, {}, person)).toEqual([])
  })

  it('for a file outside the worktree is asked whatever the rules are', async () => {
    const swarm = await openSwarm({ config: 'agents: {personas: {implementer: {approvals: allow-edits}}}\n' })
    await swarm.build('auth')
    const { call } = await connectAs(swarm, 'backend-1', { worktree: 'auth' })
    const edit = (file_path: string, id: string) => ({
      tool_name: 'Write',
      input: { file_path, content: 'x' },
      tool_use_id: id,
    })
    expect(await call('request_permission', edit('src/login.ts', 'a'))).toMatchObject({ behavior: 'allow' })
    const outside = call('request_permission', edit('../shop/README.md', 'b'))
    const request = await asks(swarm)
    expect(request.subject).toBe('../shop/README.md')
    await act(swarm.connection, answerRequest, { requestId: request.id, verdict: 'deny' })
    expect(await outside).toMatchObject({ behavior: 'deny' })
  })

  it('without an answer is denied when it expires', async () => {
    const swarm = await openSwarm({ config: 'permissions: {timeout: 300ms}\n' })
    const { call } = await connectAs(swarm, 'backend-1')
    expect(await call('request_permission', bash('make'))).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('No answer in time') as string,
    })
    expect(await perform(swarm.core, listRequests, { all: true }, person)).toMatchObject([{ status: 'expired' }])
  })

  it('that is repeated is the same request', async () => {
    const swarm = await openSwarm()
    const { call } = await connectAs(swarm, 'backend-1')
    const verdicts = [call('request_permission', bash('make')), call('request_permission', bash('make'))]
    const request = await asks(swarm)
    await act(swarm.connection, answerRequest, { requestId: request.id, verdict: 'allow' })
    expect(await Promise.all(verdicts)).toMatchObject([{ behavior: 'allow' }, { behavior: 'allow' }])
    expect(await perform(swarm.core, listRequests, { all: true }, person)).toHaveLength(1)
  })

  it('is withdrawn when its attempt ends', async () => {
    const swarm = await openSwarm()
    const { id } = await swarm.task({})
    const { call } = await connectAs(swarm, 'backend-1')
    await call('claim_task', { taskId: id })
    const verdict = call('request_permission', bash('make'))
    await asks(swarm)
    await perform(swarm.core, cancelTask, { taskId: id }, person)
    expect(await verdict).toMatchObject({ behavior: 'deny', message: 'Your attempt has ended. End your turn.' })
  })
})

describe('a question of an agent', () => {
  it('is answered by a person', async () => {
    const swarm = await openSwarm()
    const { call } = await connectAs(swarm, 'backend-1')
    const answer = call('ask_human', { question: 'Postgres or SQLite?', options: ['Postgres', 'SQLite'] })
    const request = await asks(swarm)
    expect(request).toMatchObject({
      kind: 'question',
      subject: 'Postgres or SQLite?',
      options: ['Postgres', 'SQLite'],
      tool: null,
    })
    await expect(act(swarm.connection, answerRequest, { requestId: request.id, verdict: 'allow' })).rejects.toThrow(
      'Answer it in words',
    )
    await act(swarm.connection, answerRequest, { requestId: request.id, verdict: 'answer', answer: 'SQLite' })
    expect(await answer).toMatchObject({
      status: 'answered',
      answer: 'SQLite',
      instructions: 'Continue with this answer.',
    })
  })

  it('may name its task, which the agent must hold', async () => {
    const swarm = await openSwarm()
    const [first, second, other] = [await swarm.task({}), await swarm.task({}), await swarm.task({})]
    const { call } = await connectAs(swarm, 'backend-1')
    for (const { id } of [first, second]) await call('claim_task', { taskId: id })
    void call('ask_human', { taskId: second.id, question: 'Which one?' }).catch(() => {})
    expect(await asks(swarm)).toMatchObject({ taskId: second.id })
    expect(await call('ask_human', { taskId: other.id, question: 'Which one?' })).toMatchObject({
      isError: true,
      code: 'not_allowed',
    })
  })

  it('that was asked before is waited for by its number, and only by the agent that asked', async () => {
    const swarm = await openSwarm()
    const mine = await connectAs(swarm, 'backend-1')
    const other = await connectAs(swarm, 'other-1')
    const first = mine.call('ask_human', { question: 'Which one?' })
    const { id } = await asks(swarm)
    expect(await other.call('ask_human', { requestNumber: id })).toMatchObject({ isError: true, code: 'not_found' })
    const again = mine.call('ask_human', { requestNumber: id })
    await act(swarm.connection, answerRequest, { requestId: id, verdict: 'answer', answer: 'the left one' })
    expect([await first, await again]).toMatchObject([{ answer: 'the left one' }, { answer: 'the left one' }])
    expect(await mine.call('ask_human', {})).toMatchObject({ isError: true, code: 'invalid_input' })
  })
})

it('an agent answers no request', async () => {
  const swarm = await openSwarm()
  const { client } = await connectAs(swarm, 'backend-1')
  const names = (await client.listTools()).tools.map(({ name }) => name)
  expect(names.filter((name) => /approve|answer|allow/.test(name))).toEqual([])
})

describe('a call of a tool on a board that is away for a moment', () => {
  /** The tool itself, called by an agent on a board that is away while the test says so. */
  const onLeaving = async () => {
    const swarm = await openSwarm()
    const { token } = await perform(swarm.core, registerAgent, { id: 'backend-1', personaId: 'implementer' }, person)
    const { state, world } = leavingBoard(swarm.world)
    const tokenHash = hashToken(token)
    const actor = { kind: 'agent', id: 'backend-1', role: 'worker', worktree: null, tokenHash } as const
    const connection: Connection = { core: world.core, actor, outside: outsideOf(world) }
    const ended = new AbortController()
    const call = (name: string, input: Record<string, unknown>) =>
      tools.find((tool) => tool.name === name)!.call({ connection, input, options: {}, signal: ended.signal })
    /** Takes the board away until it was looked at a few times. */
    const away = async (): Promise<void> => {
      await asks(swarm)
      state.away = true
      for (const seen of [1, 2]) {
        await swarm.task({})
        await until('a refused look', () => state.refused >= seen)
      }
    }
    return { swarm, state, connection, call, away, ended }
  }

  it('gets the answer of a person to a question that is on the board, once', async () => {
    const { swarm, state, call, away } = await onLeaving()
    const answer = call('ask_human', { question: 'Which one?' })
    await away()
    state.away = false
    const [request, ...more] = await perform(swarm.core, listRequests, {}, person)
    expect(more).toEqual([])
    await act(swarm.connection, answerRequest, { requestId: request!.id, verdict: 'answer', answer: 'this' })
    expect(await answer).toMatchObject({ status: 'answered', answer: 'this', requestNumber: request!.id })
  })

  it('gets the number of its question if the board is away at the end of the wait', async () => {
    vi.spyOn(performance, 'now').mockImplementation(faster(20))
    onTestFinished(() => void vi.restoreAllMocks())
    const { call, away } = await onLeaving()
    const answer = call('ask_human', { question: 'Which one?' })
    await away()
    expect(await answer).toMatchObject({
      ...{ status: 'open', answer: null },
      instructions: 'No answer yet. Call ask_human again with requestNumber 1.',
    })
  })

  it('is allowed what a person allows meanwhile', async () => {
    const { swarm, state, call, away } = await onLeaving()
    const verdict = call('request_permission', bash('make'))
    await away()
    const [request] = await perform(swarm.core, listRequests, {}, person)
    await act(swarm.connection, answerRequest, { requestId: request!.id, verdict: 'allow' })
    state.away = false
    expect(await verdict).toMatchObject({ behavior: 'allow' })
  })
})

/** A clock that runs so many times as fast. */
const faster = (times: number): (() => number) => {
  const [began, ticks] = [performance.now(), process.hrtime.bigint()]
  return () => began + (Number(process.hrtime.bigint() - ticks) / 1e6) * times
}
