import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { agentsSocketOf } from '../../../src/effects/agents-socket/server.ts'
import { temporaryFolder } from '../../support/core.ts'
import { openSwarm, read } from '../swarm.ts'

/** A task whose command asks aiswarm; a worker here answers every command with the same words. */
const asked = async (config: string): Promise<string> => {
  const swarm = await openSwarm({ config })
  const program = join(temporaryFolder(), 'program.cjs')
  writeFileSync(program, "console.log('by the worker')\n")
  const world = { ...swarm.world, self: [process.execPath, program], serveAgent: () => Promise.resolve() }
  const socket = agentsSocketOf(world)
  socket.open()
  onTestFinished(() => socket.close())
  await swarm.carryOut('aiswarm task list --json > answer')
  return read(swarm.root, 'answer')
}

it('agents on a board in a file ask the process that runs them if that is configured, and otherwise open the board', async () => {
  expect(await asked('agents: {connect: socket}\n')).toBe('by the worker\n')
  expect(JSON.parse(await asked(''))).toMatchObject([{ id: 1, title: 'a task' }])
})
