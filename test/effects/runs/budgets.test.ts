import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { wishesOf } from '../../../src/effects/wishes.ts'
import { renewLiving, startSupervisor } from '../../../src/effects/loops/supervisor.ts'
import { dispatchTasks } from '../../../src/effects/loops/dispatcher.ts'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { livenessOf } from '../../../src/effects/processes/identity.ts'
import { statFields } from '../../../src/effects/processes/table.ts'
import { inspect, SECOND_LOOK, settle } from '../../../src/effects/runs/termination.ts'
import { answerBudget } from '../../../src/operations/tasks/budget-answers.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { recordRunReport } from '../../../src/operations/runs/reports.ts'
import type { AgentRun } from '../../../src/operations/supervision/wishes.ts'
import { terminateAgent } from '../../../src/operations/agents/spawn.ts'
import { fakeCli, lineOf, says, tells, waitsFor } from '../fake-cli.ts'
import { openSwarm, type Swarm, until } from '../swarm.ts'
import { needs } from '../../support/needs.ts'

const begins = lineOf('claude', '"connected"')
const costs = (dollars: number) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'going on',
  total_cost_usd: dollars,
  modelUsage: { m: { inputTokens: 100, outputTokens: 10 } },
})

/** The letter that the system shows for the state of a process; T if it is stopped. */
const stateOf = (pid: number): string => statFields(readFileSync(`/proc/${pid}/stat`, 'utf8')).state
const childOf = (run: AgentRun): number =>
  Number(readFileSync(`/proc/${run.identity!.pid}/task/${run.identity!.pid}/children`, 'utf8').trim().split(' ')[0])
/** A shell that starts a program which was stopped before it began waits for it in the state D, and is idle too. */
const isStopped = (run: AgentRun): boolean =>
  stateOf(run.identity!.pid) === 'T' && ['T', 'D'].includes(stateOf(childOf(run)))
const stopped = (run: AgentRun) => until('the stop of the process', () => isStopped(run))
const moving = (run: AgentRun) =>
  until('the process to go on', () => stateOf(run.identity!.pid) !== 'T' && !['T', 'D'].includes(stateOf(childOf(run))))

/** An agent that has spent $3 of $2, and continues until it is asked to end. */
const spending = async (script = '', more = '') => {
  const cli = fakeCli('claude', says(begins, costs(3)) + tells('spent') + waitsFor('end') + script)
  const swarm = await openSwarm({ config: `agents: {default: claude}\nbudget: {task: {costUsd: 2}}\n${more}` })
  const { id } = await swarm.task({ title: 'Log in' })
  const run = await swarm.begin()
  await until('its costs', () => cli.told('spent'))
  await swarm.world.reports.follow(swarm.world, run)
  return { cli, swarm, id, run }
}

const paused = async () => {
  const found = await spending()
  await found.swarm.turn()
  await stopped(found.run)
  return { ...found, run: await found.swarm.run(found.run.agentId) }
}

const answer = (swarm: Swarm, taskId: number, kind: 'raise' | 'none' | 'stop') =>
  act(swarm.connection, answerBudget, { taskId, answer: { kind } })

describe('a process whose task has used up its budget', () => {
  beforeEach((context) => needs(context, process.platform === 'linux', 'only Linux tells that a process is stopped'))

  it('is stopped with its children, and keeps its task until a person answers', async () => {
    const { swarm, id, run } = await spending()
    expect(isStopped(run)).toBe(false)
    await swarm.turn()
    await stopped(run)
    expect(await swarm.agent(run.agentId)).toMatchObject({ status: 'active', pausedAt: expect.any(String) as string })
    const before = (await swarm.show(id)).leaseExpiresAt!
    await until('a later lease', async () => {
      await renewLiving(swarm.world, await wishesOf(swarm.world), new Map(), performance.now())
      return (await swarm.show(id)).leaseExpiresAt! > before
    })
    expect(isStopped(run)).toBe(true)
    expect((await swarm.show(id)).status).toBe('claimed')
  })

  it('continues if a person raises the budget, and ends normally', async () => {
    const { cli, swarm, id, run } = await paused()
    cli.tell('end')
    await answer(swarm, id, 'raise')
    await swarm.turn()
    await swarm.ended(run)
    await settle(swarm.world, await swarm.run(run.agentId), 'ended')
    expect(await swarm.show(id)).toMatchObject({
      status: 'pending',
      retryCount: 1,
      budget: { costUsd: 4, askedAt: null },
      usage: { costUsd: 3 },
      attempts: [{ outcome: 'failed' }],
    })
    expect((await swarm.agent(run.agentId)).pausedAt).toBeNull()
  })

  it('is resumed by the next console', async () => {
    const { swarm, id, run } = await paused()
    await answer(swarm, id, 'none')
    const next = await swarm.open()
    const supervisor = startSupervisor(next, { maxParallel: 3 })
    await moving(run)
    await supervisor.stop()
    expect((await swarm.agent(run.agentId)).pausedAt).toBeNull()
  })

  it('is stopped again if something has resumed it', async () => {
    const { swarm, run } = await paused()
    process.kill(-run.identity!.pid, 'SIGCONT')
    await moving(run)
    await renewLiving(swarm.world, await wishesOf(swarm.world), new Map(), performance.now())
    await stopped(run)
  })

  it('is ended with TERM, which it receives, if a person stops the task', async () => {
    const cli = fakeCli(
      'claude',
      `trap 'echo bye; exit 7' TERM\n` + says(begins, costs(3)) + tells('spent') + waitsFor('never'),
    )
    const swarm = await openSwarm({ config: 'agents: {default: claude}\nbudget: {task: {costUsd: 2}}\n' })
    const { id } = await swarm.task({})
    const run = await swarm.begin()
    await until('its costs', () => cli.told('spent'))
    await swarm.world.reports.follow(swarm.world, run)
    await swarm.turn()
    await stopped(run)
    await answer(swarm, id, 'stop')
    expect(livenessOf(run.identity!)).toBe('dead')
    expect(readFileSync(outputPath(swarm.root, run.agentId), 'utf8')).toContain('bye')
    expect(await swarm.agent(run.agentId)).toMatchObject({ status: 'terminated', exitCode: 7, pausedAt: null })
    expect(await swarm.show(id)).toMatchObject({ status: 'cancelled', attempts: [{ outcome: 'cancelled' }] })
  })

  it('is ended if a person terminates the agent; its task is released, and does not start before the answer', async () => {
    const { swarm, id, run } = await paused()
    await act(swarm.connection, terminateAgent, { agentId: run.agentId })
    expect(livenessOf(run.identity!)).toBe('dead')
    expect(await swarm.show(id)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      attempts: [{ outcome: 'terminated' }],
    })
    expect((await dispatchTasks(swarm.world, 9)).started).toEqual([])
    await answer(swarm, id, 'raise')
    expect((await dispatchTasks(swarm.world, 9)).started).toMatchObject([{ taskId: id }])
  })

  it('is settled normally if it dies while it is stopped', async () => {
    const { swarm, id, run } = await paused()
    process.kill(-run.identity!.pid, 'SIGKILL')
    await until('its death', () => livenessOf(run.identity!) === 'dead')
    const seen = new Map<string, number>()
    expect(inspect(swarm.core, run, seen, 0)).toBe('unknown')
    expect(inspect(swarm.core, run, seen, SECOND_LOOK)).toBe('vanished')
    await settle(swarm.world, run, 'vanished')
    expect(await swarm.show(id)).toMatchObject({ status: 'pending', retryCount: 0, attempts: [{ outcome: 'lost' }] })
    expect((await swarm.agent(run.agentId)).pausedAt).toBeNull()
  })

  it('is left alone if its process id belongs to another process', async () => {
    const { swarm, run } = await spending()
    const other = { ...run, held: true, pausedAt: 'now', identity: { ...run.identity!, startedAt: '1' } }
    await renewLiving(swarm.world, { ...(await wishesOf(swarm.world)), runs: [other] }, new Map(), performance.now())
    expect(isStopped(run)).toBe(false)
  })

  it('is stopped and resumed only by the loops', async () => {
    const { cli, swarm, id, run } = await spending()
    const supervisor = startSupervisor(swarm.world, { maxParallel: 3 })
    await stopped(run)
    expect(
      await perform(swarm.core, recordRunReport, { agentId: run.agentId, run: run.run }, swarm.world.actor),
    ).toBeNull()
    await answer(swarm, id, 'raise')
    await moving(run)
    cli.tell('end')
    await until('its end', async () => (await swarm.show(id)).attempts[0]!.outcome === 'failed')
    await supervisor.stop()
  })
})
