import { expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { configurationsOf } from '../../../src/effects/opening/configurations.ts'
import { readGuard } from '../../../src/operations/integration/configuration.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { CONFIGURATION } from '../../../src/domain/integration/trusted-configuration.ts'
import { refusal } from '../../support/core.ts'
import { openSwarm, read, write } from '../swarm.ts'

const dark = [{ key: 'console.theme', value: 'dark' }] as const

it('a saved change is trusted, with its comments', async () => {
  const swarm = await openSwarm()
  const root = swarm.world.core.root
  const configurations = configurationsOf(swarm.world)
  const { text } = await configurations.read()
  await configurations.save(text, dark)
  const saved = read(root, '.aiswarm/config.yaml')
  expect(saved).toContain('theme: dark')
  for (const line of text.split('\n').filter((one) => one.startsWith('#'))) expect(saved).toContain(line)
  const guard = await perform(swarm.world.core, readGuard, {}, person)
  expect([guard?.entries[CONFIGURATION], guard?.changed ?? null]).toEqual([saved, null])
})

it('a file that has changed since it was read is not overwritten', async () => {
  const swarm = await openSwarm()
  const root = swarm.world.core.root
  const configurations = configurationsOf(swarm.world)
  const { text } = await configurations.read()
  const theirs = `${text}\n# theirs\n`
  write(root, { '.aiswarm/config.yaml': theirs })
  const { code, message } = await refusal(configurations.save(text, dark))
  expect([code, message]).toEqual([
    'configuration_changed',
    expect.stringContaining('has changed since it was read, so nothing was saved.'),
  ])
  expect(read(root, '.aiswarm/config.yaml')).toBe(theirs)
})

it('a value that cannot be is refused, and a broken file is not touched', async () => {
  const swarm = await openSwarm()
  const root = swarm.world.core.root
  const configurations = configurationsOf(swarm.world)
  const { text } = await configurations.read()
  expect((await refusal(configurations.draft(text, [{ key: 'lease.ttl', value: 'soon' }]))).message).toContain(
    "lease.ttl: 'soon' is not a duration",
  )
  write(root, { '.aiswarm/config.yaml': 'a: [' })
  expect((await refusal(configurations.read())).code).toBe('config_invalid')
  expect((await refusal(configurations.save('a: [', dark))).code).toBe('config_invalid')
  expect(read(root, '.aiswarm/config.yaml')).toBe('a: [')
})
