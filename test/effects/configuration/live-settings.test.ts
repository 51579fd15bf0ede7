import { expect, it } from 'vitest'
import { liveSettings } from '../../../src/effects/guard/trusted-configuration.ts'
import type { World } from '../../../src/effects/world.ts'
import { openSwarm, write } from '../swarm.ts'

const CHANGED =
  'The configuration of the board has changed. session.maxParallel, rules and hooks apply now; restart this process for the rest.'

it('a process on another host says once what of a changed configuration waits for its restart', async () => {
  const swarm = await openSwarm({ config: 'session: {maxParallel: 1}\n' })
  const open = await swarm.open()
  const said: string[] = []
  const world: World = { ...open, core: { ...open.core, host: 'bbbbbbbb' }, report: (sentence) => said.push(sentence) }
  const settings = liveSettings(world)
  expect((await settings()).session.maxParallel).toBe(1)
  const edit = async (text: string) => {
    write(swarm.root, { '.aiswarm/config.yaml': text })
    // No agent runs, so a person has made the change.
    await swarm.open()
    return settings()
  }
  const live = `session: {maxParallel: 5}\non: {task.completed: 'true'}\nagents: {personas: {implementer: {allow: [shell(ls)]}}}\n`
  expect((await edit(live)).session.maxParallel).toBe(5)
  expect(said).toEqual([])
  await edit(`${live}lease: {ttl: 90s}\n`)
  await edit(`${live}lease: {ttl: 90s}\n# the same\n`)
  expect(said).toEqual([CHANGED])
  await edit(live)
  await edit(`${live}lease: {ttl: 80s}\n`)
  expect(said).toEqual([CHANGED, CHANGED])
})
