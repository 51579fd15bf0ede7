import { expect, it, onTestFinished } from 'vitest'
import { agentsSocketOf } from '../../../src/effects/doorway/worker.ts'
import { openSwarm, read } from '../swarm.ts'

/** A task whose command asks aiswarm; a worker here answers every call with the same words. */
const asked = async (config: string): Promise<string> => {
  const swarm = await openSwarm({ config })
  const doorway = {
    tools: () => Promise.resolve(),
    perform: () => Promise.resolve({ answer: { json: 'by the worker', code: 0 } }),
  }
  const socket = agentsSocketOf({ ...swarm.world, doorway })
  socket.open()
  onTestFinished(() => socket.close())
  await swarm.carryOut('aiswarm task list --json > answer')
  return read(swarm.root, 'answer')
}

it('agents on a board in a file ask the process that runs them if that is configured, and otherwise open the board', async () => {
  expect(await asked('agents: {connect: socket}\n')).toBe('"by the worker"\n')
  expect(JSON.parse(await asked(''))).toMatchObject([{ id: 1, title: 'a task' }])
})
