import { statSync, utimesSync } from 'node:fs'
import { expect, it } from 'vitest'
import { instant, later } from '../../../src/domain/words/time.ts'
import { wishesOf } from '../../../src/effects/wishes.ts'
import { followJobs } from '../../../src/effects/loops/supervisor.ts'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { openSwarm, type Swarm, until, write } from '../swarm.ts'

const follow = async (swarm: Swarm): Promise<void> => {
  for (const job of followJobs(swarm.world, await wishesOf(swarm.world))) await job.run()
}

it('the output of a command counts as progress of its task', async () => {
  const swarm = await openSwarm({ config: 'lease: {stalledAfter: 10m}\n' })
  const { id } = await swarm.task({
    title: 'Count',
    command: 'while [ ! -e go ]; do sleep 0.05; done; echo one; sleep 600',
  })
  const run = await swarm.begin()
  const progressedAt = async () => (await swarm.show(id)).progressedAt
  await follow(swarm)
  expect(await progressedAt()).toBeNull()

  write(swarm.root, { go: '' })
  const path = outputPath(swarm.root, run.agentId)
  await until('its line', () => statSync(path).size > 0)
  await follow(swarm)
  const first = (await progressedAt())!
  expect(first).toBe(instant(statSync(path).mtimeMs))

  // A second line soon after is not recorded: it would make every board read its rows for nothing.
  const told = (at: string) => utimesSync(path, new Date(at), new Date(at))
  told(later(first, 30_000))
  await follow(swarm)
  expect(await progressedAt()).toBe(first)
  told(later(first, 90_000))
  await follow(swarm)
  expect(await progressedAt()).not.toBe(first)
})

it('output from before the start of a command does not count as progress', async () => {
  const swarm = await openSwarm({ config: 'lease: {stalledAfter: 10m}\n' })
  const { id } = await swarm.task({ title: 'Count', command: 'echo one; sleep 600' })
  const run = await swarm.begin()
  const path = outputPath(swarm.root, run.agentId)
  await until('its line', () => statSync(path).size > 0)
  const before = new Date(later((await swarm.show(id)).startedAt!, -1000))
  utimesSync(path, before, before)
  await follow(swarm)
  expect((await swarm.show(id)).progressedAt).toBeNull()
})
