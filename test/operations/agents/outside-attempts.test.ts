import { describe, expect, it } from 'vitest'
import { type Actor, person, system } from '../../../src/domain/agent/actor.ts'
import { addConversation, retrieveConversation } from '../../../src/operations/memory/conversations.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask, completeTask, failTask, reportTaskProgress } from '../../../src/operations/tasks/claims.ts'
import { retrieveExecution } from '../../../src/operations/memory/executions.ts'
import { sweep } from '../../../src/operations/supervision/sweep.ts'
import { minute, openCore, second } from '../../support/core.ts'

/** An agent that registered itself, with a claimed task. */
const open = async () => {
  const world = await openCore()
  const session = (await world.perform(beginSession, {})).id
  const guest: Actor = await world.agent('guest')
  const { id } = await world.task({ title: 'Log in', description: 'with a password' })
  await world.perform(claimTask, { taskId: id }, guest)
  const asked = (attempt: number) => ({
    userId: 'default_user',
    messageId: `${session}:task-${id}:${attempt}`,
    query: 'what was this?',
    limit: 10,
  })
  return {
    ...world,
    guest,
    id,
    session,
    conversation: async (attempt = 1) => (await world.perform(retrieveConversation, asked(attempt))).conversations[0],
    execution: async (attempt = 1) => (await world.perform(retrieveExecution, asked(attempt))).executions[0],
  }
}

describe('the attempt of an agent that registered itself', () => {
  it('is stored with its task and its result when the agent completes it', async () => {
    const { perform, pass, guest, id, conversation, execution } = await open()
    await perform(reportTaskProgress, { taskId: id, progressNote: 'the form is there' }, guest)
    pass(30 * second)
    expect(await conversation()).toBeUndefined()
    await perform(completeTask, { taskId: id, resultData: { url: '/login' } }, guest)
    expect(await conversation()).toMatchObject({
      userInput: 'Log in\nwith a password',
      agentResponse: '{"url":"/login"}',
      metaData: { task: id, attempt: 1, agent: 'guest', kind: 'external', outcome: 'completed' },
      hasExecution: true,
    })
    expect(await execution()).toMatchObject({
      success: true,
      errors: [],
      toolsUsed: [],
      durationMs: 30_000,
      observations: 'the form is there',
    })
  })

  it('is stored with its error when the agent fails it, each attempt separately', async () => {
    const { perform, pass, guest, id, conversation, execution } = await open()
    await perform(failTask, { taskId: id, errorMessage: 'no route to the host' }, guest)
    pass(minute)
    await perform(claimTask, { taskId: id }, guest)
    await perform(completeTask, { taskId: id }, guest)
    expect(await conversation(1)).toMatchObject({
      agentResponse: 'no route to the host',
      metaData: { outcome: 'failed' },
    })
    expect(await execution(1)).toMatchObject({
      success: false,
      errors: [{ error_type: 'failed', error_message: 'no route to the host' }],
    })
    expect(await conversation(2)).toMatchObject({
      agentResponse: '(completed, no message)',
      metaData: { outcome: 'completed' },
    })
  })

  it('is stored when a person cancels its task, and when it is lost', async () => {
    const one = await open()
    await one.perform(cancelTask, { taskId: one.id, reason: 'no longer wanted' }, person)
    expect(await one.conversation()).toMatchObject({
      agentResponse: 'no longer wanted',
      metaData: { outcome: 'cancelled' },
    })
    const other = await open()
    other.pass(2 * minute)
    await other.perform(sweep, {}, system())
    expect(await other.execution()).toMatchObject({ success: false, errors: [{ error_type: 'lost' }] })
  })

  it('does not change what the agent has stored under its id', async () => {
    const { perform, guest, id, session, conversation } = await open()
    await perform(
      addConversation,
      { userId: 'default_user', messageId: `${session}:task-${id}:1`, userInput: 'mine', agentResponse: 'own words' },
      guest,
    )
    await perform(completeTask, { taskId: id, resultData: 'ok' }, guest)
    expect(await conversation()).toMatchObject({ userInput: 'mine', agentResponse: 'own words', hasExecution: true })
  })

  it('belongs to the user of the environment in which it ended', async () => {
    const { core, perform, guest, id, conversation } = await open()
    Object.assign(core, { memoryUser: 'team/ada' })
    await perform(completeTask, { taskId: id, resultData: 'ok' }, guest)
    expect(await conversation()).toBeUndefined()
    expect(await perform(retrieveConversation, { userId: 'team/ada', query: 'log', limit: 10 })).toMatchObject({
      total: 1,
    })
  })
})
