import { expect, it } from 'vitest'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import { runTasks } from '../../../src/effects/loops/headless.ts'
import { refusal } from '../../support/core.ts'
import { leavingBoard } from '../../support/unreachable-store.ts'
import { openSwarm, until, write } from '../swarm.ts'

const runningTask = async () => {
  const swarm = await openSwarm()
  const { id } = await swarm.task({ command: 'until [ -e done ]; do sleep 0.01; done' })
  const { state, world } = leavingBoard(swarm.world)
  const interrupt = new AbortController()
  const running = runTasks(world, [id], { wait: true, line: () => {}, signal: interrupt.signal })
  running.catch(() => {})
  await until('the agent', async () => (await swarm.runs())[0]?.process === 'started')
  return { swarm, state, running, interrupt }
}

it('a wait for tasks continues while the board is away', async () => {
  const { swarm, state, running } = await runningTask()
  state.away = true
  await until('refused reads', () => state.refused > 3)
  state.away = false
  write(swarm.root, { done: '' })
  expect(await running).toMatchObject([{ status: 'completed', attempt: 1 }])
})

it('a wait for tasks ends with a refusal that no restart of the server ends', async () => {
  const { state, running } = await runningTask()
  state.refusal = new Refusal('database_moved', 'The board is elsewhere.')
  state.away = true
  expect((await refusal(running)).code).toBe('database_moved')
})
