import { rmSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { launch } from '../../../src/effects/runs/launcher.ts'
import { settle, stop } from '../../../src/effects/runs/termination.ts'
import { addConversation, retrieveConversation } from '../../../src/operations/memory/conversations.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { completeTask, reportTaskProgress } from '../../../src/operations/tasks/claims.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { retrieveExecution } from '../../../src/operations/memory/executions.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { terminateAgent } from '../../../src/operations/agents/spawn.ts'
import { fakeCli, lineOf, says, tells, waitsFor } from '../fake-cli.ts'
import { openSwarm, type Swarm, until } from '../swarm.ts'

const open = async (config = 'agents: {default: claude}\n') => {
  const swarm = await openSwarm({ config })
  const session = (await perform(swarm.core, beginSession, {}, person)).id
  const asked = (messageId: string, userId = 'default_user') => ({
    userId,
    messageId,
    query: 'what was this?',
    limit: 10,
  })
  return {
    ...swarm,
    session,
    conversation: async (id: string, user?: string) =>
      (await perform(swarm.core, retrieveConversation, asked(id, user), person)).conversations[0],
    execution: async (id: string, user?: string) =>
      (await perform(swarm.core, retrieveExecution, asked(id, user), person)).executions[0],
  }
}

const attempt = async (swarm: Swarm) => {
  const run = await swarm.begin()
  await swarm.ended(run)
  await settle(swarm.world, run, 'ended')
  return run
}

const begins = lineOf('claude', '"connected"')
const speaks = (text: string) => ({
  type: 'assistant',
  message: { content: [{ type: 'text', text }] },
  parent_tool_use_id: null,
})
const calls = (id: string, name: string) => ({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id, name, input: { command: 'ls' } }] },
})
const fails = (id: string, content: string) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, is_error: true, content }] },
})

describe('a stored attempt', () => {
  it('has its prompt, its answer, its tools and its errors after its run has ended', async () => {
    const swarm = await open()
    const { started } = fakeCli(
      'claude',
      says(
        begins,
        speaks('I begin.'),
        calls('1', 'Bash'),
        fails('1', 'no such file'),
        calls('2', 'Edit'),
        calls('3', 'Bash'),
        speaks('It cannot be done.'),
      ),
    )
    const { id } = await swarm.task({ title: 'Log in', description: 'with a password' })
    const run = await attempt(swarm)
    const messageId = `${swarm.session}:task-${id}:1`
    expect(await swarm.conversation(messageId)).toMatchObject({
      userInput: started(1).stdin,
      agentResponse: 'It cannot be done.',
      metaData: { task: id, attempt: 1, agent: run.agentId, kind: 'claude', outcome: 'failed' },
      hasExecution: true,
    })
    expect(started(1).stdin).toContain('with a password')
    const execution = (await swarm.execution(messageId))!
    expect(execution).toMatchObject({
      summary: `Task ${id}, Log in: failed in attempt 1 by ${run.agentId} (claude)`,
      toolsUsed: ['Bash', 'Edit', 'Bash'],
      errors: [
        { error_type: 'tool_failed', error_message: 'no such file', tool: 'Bash' },
        { error_type: 'failed', error_message: expect.stringContaining('no-artifact') as string },
      ],
      success: false,
    })
    expect(execution.durationMs).toBeGreaterThanOrEqual(0)
    expect(
      await perform(swarm.core, retrieveConversation, { userId: 'default_user', query: 'PASSWORD', limit: 10 }, person),
    ).toMatchObject({ total: 1 })
  })

  it('is a success with its notes if its agent completed it by a tool', async () => {
    const swarm = await open()
    const cli = fakeCli(
      'claude',
      says(begins, calls('1', 'Bash'), speaks('All done.')) + tells('spoken') + waitsFor('end'),
    )
    const { id } = await swarm.task({ title: 'Log in' })
    const run = await swarm.begin()
    await until('its words', () => cli.told('spoken'))
    await perform(
      swarm.core,
      reportTaskProgress,
      { taskId: id, agentId: run.agentId, progressNote: 'the form is there' },
      person,
    )
    await perform(swarm.core, completeTask, { taskId: id, agentId: run.agentId, resultData: 'ok' }, person)
    expect(await swarm.conversation(`${swarm.session}:task-${id}:1`)).toBeUndefined()
    cli.tell('end')
    await swarm.ended(run)
    await settle(swarm.world, run, 'ended')
    expect(await swarm.conversation(`${swarm.session}:task-${id}:1`)).toMatchObject({
      agentResponse: 'All done.',
      metaData: { outcome: 'completed' },
    })
    expect(await swarm.execution(`${swarm.session}:task-${id}:1`)).toMatchObject({
      success: true,
      errors: [],
      toolsUsed: ['Bash'],
      observations: expect.stringContaining('the form is there') as string,
    })
  })

  it('is separate from other attempts, under its own number', async () => {
    const swarm = await open()
    fakeCli('claude', says(begins, speaks('first')), says(begins, speaks('second')))
    const { id } = await swarm.task({ title: 'Log in' })
    await attempt(swarm)
    await perform(swarm.core, retryTask, { taskId: id }, person)
    await attempt(swarm)
    expect((await swarm.conversation(`${swarm.session}:task-${id}:1`))?.agentResponse).toBe('first')
    expect((await swarm.conversation(`${swarm.session}:task-${id}:2`))?.agentResponse).toBe('second')
  })

  it('exists for a stopped agent too', async () => {
    const swarm = await open()
    const cli = fakeCli('claude', says(begins, speaks('on my way')) + tells('spoken') + waitsFor('never'))
    const { id } = await swarm.task({ title: 'Log in' })
    const run = await swarm.begin()
    await until('its words', () => cli.told('spoken'))
    await perform(swarm.core, cancelTask, { taskId: id, reason: 'no longer wanted' }, person)
    expect(await stop(swarm.world, await swarm.run(run.agentId))).toBe(true)
    expect(await swarm.conversation(`${swarm.session}:task-${id}:1`)).toMatchObject({
      agentResponse: 'on my way',
      metaData: { outcome: 'cancelled' },
    })
    expect(await swarm.execution(`${swarm.session}:task-${id}:1`)).toMatchObject({
      success: false,
      errors: [{ error_type: 'cancelled', error_message: 'no longer wanted' }],
    })
  })

  it('of a command has the command and the end of its output', async () => {
    const swarm = await open()
    const { id } = await swarm.carryOut(
      `node -e "process.stdout.write('x'.repeat(300000) + ' sk-${'a'.repeat(30)} the end')"`,
      { title: 'Print' },
    )
    const { agentResponse, userInput } = (await swarm.conversation(`${swarm.session}:task-${id}:1`))!
    expect(userInput).toContain('node -e')
    expect(agentResponse.replace(/x+/, 'x…')).toMatch(/^\(\d+ characters before\) …x… •+ the end$/)
    expect([...agentResponse].length).toBeLessThanOrEqual(10_000)
    expect(await swarm.execution(`${swarm.session}:task-${id}:1`)).toMatchObject({ success: true, toolsUsed: [] })
  })

  it('of a prompt in the arguments has the prompt, and a long one is cut', async () => {
    const swarm = await open(
      "agents:\n  default: mine\n  kinds:\n    mine: {command: ['sh', '-c', 'echo heard; exit 3', '{prompt}']}\n",
    )
    const { id } = await swarm.task({ title: 'Log in', description: 'word '.repeat(4000) })
    await attempt(swarm)
    const { agentResponse, userInput } = (await swarm.conversation(`${swarm.session}:task-${id}:1`))!
    expect(agentResponse).toBe('heard')
    expect(userInput).toContain(`# Your task: ${id}. Log in`)
    expect(userInput).toMatch(/… \(\d+ more characters\)$/)
    expect([...userInput].length).toBeLessThanOrEqual(10_000)
  })

  it('belongs to the user of the supervisor', async () => {
    vi.stubEnv('MEMORY_USER_ID', 'team/ada')
    onTestFinished(() => void vi.unstubAllEnvs())
    const swarm = await open()
    const { id } = await swarm.carryOut('echo $MEMORY_USER_ID', { title: 'Print' })
    expect(await swarm.conversation(`${swarm.session}:task-${id}:1`)).toBeUndefined()
    expect(await swarm.conversation(`${swarm.session}:task-${id}:1`, 'team/ada')).toMatchObject({
      agentResponse: 'team/ada',
    })
  })

  it('keeps what an agent has stored under its id, and ends anyway', async () => {
    const swarm = await open()
    const messageId = `${swarm.session}:task-1:1`
    await perform(
      swarm.core,
      addConversation,
      { userId: 'default_user', messageId, userInput: 'mine', agentResponse: 'own words' },
      person,
    )
    const task = await swarm.carryOut('true', { title: 'Print' })
    expect(task).toMatchObject({ id: 1, status: 'completed' })
    expect(await swarm.conversation(messageId)).toMatchObject({ userInput: 'mine', hasExecution: true })
  })
})

describe('a stored attempt whose process could not start', () => {
  const missing =
    "The program './no-such-agent' of the agent kind 'mine' was not found; install it or change its command in .aiswarm/config.yaml."

  it('has its prompt and the reason, and uses no retry', async () => {
    const swarm = await open('agents: {default: mine, kinds: {mine: {command: [./no-such-agent], prompt: stdin}}}\n')
    const { id } = await swarm.task({ title: 'Log in', description: 'with a password' })
    const wanted = await swarm.run(await swarm.dispatched())
    await launch(swarm.world, wanted)
    // A loop that was interrupted does this.
    await launch(swarm.world, wanted)
    const messageId = `${swarm.session}:task-${id}:1`
    const conversation = (await swarm.conversation(messageId))!
    expect(conversation).toMatchObject({
      agentResponse: missing,
      metaData: { task: id, attempt: 1, kind: 'mine', outcome: 'not_started' },
      hasExecution: true,
    })
    expect(conversation.userInput).toContain(`# Your task: ${id}. Log in`)
    expect(conversation.userInput).toContain('with a password')
    expect(await swarm.execution(messageId)).toMatchObject({
      success: false,
      toolsUsed: [],
      errors: [{ error_type: 'not_started', error_message: missing }],
      summary: `Task ${id}, Log in: not_started in attempt 1 by ${wanted.agentId} (mine)`,
    })
    expect(
      await perform(swarm.core, retrieveConversation, { userId: 'default_user', query: 'password', limit: 10 }, person),
    ).toMatchObject({ total: 1 })
    expect(await swarm.show(id)).toMatchObject({ status: 'pending', retryCount: 0 })
  })

  it('has the text of its task if no prompt was written yet', async () => {
    const swarm = await open()
    const folder = await swarm.build('auth')
    const { id } = await swarm.task({ title: 'Build', command: 'make all', targetWorktree: 'auth' })
    rmSync(folder, { recursive: true })
    await launch(swarm.world, await swarm.run(await swarm.dispatched()))
    expect(await swarm.conversation(`${swarm.session}:task-${id}:1`)).toMatchObject({
      userInput: 'make all',
      agentResponse: expect.stringContaining(folder) as string,
    })
  })

  it('is separate for each further try', async () => {
    const swarm = await open('agents: {default: mine, kinds: {mine: {command: [./no-such-agent]}}}\n')
    const { id } = await swarm.task({ title: 'Log in' })
    await launch(swarm.world, await swarm.run(await swarm.dispatched()))
    await perform(swarm.core, retryTask, { taskId: id }, person)
    await launch(swarm.world, await swarm.run(await swarm.dispatched()))
    for (const attempt of [1, 2])
      expect(await swarm.conversation(`${swarm.session}:task-${id}:${attempt}`)).toMatchObject({
        metaData: { attempt },
        hasExecution: true,
      })
  })

  it('exists too if its agent was stopped before it started', async () => {
    const swarm = await open()
    fakeCli('claude', says(begins))
    const { id } = await swarm.task({ title: 'Log in' })
    const agentId = await swarm.dispatched()
    await perform(swarm.core, terminateAgent, { agentId, reason: 'not now' }, person)
    expect(await stop(swarm.world, await swarm.run(agentId))).toBe(true)
    expect(await swarm.conversation(`${swarm.session}:task-${id}:1`)).toMatchObject({
      userInput: 'Log in',
      agentResponse: expect.stringContaining('not now') as string,
      metaData: { outcome: 'terminated' },
      hasExecution: true,
    })
  })
})
