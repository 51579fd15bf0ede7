import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startSupervisor } from '../../../src/effects/loops/supervisor.ts'
import { temporaryFolder } from '../../support/core.ts'
import { openSwarm, until } from '../swarm.ts'

it('no task is started while too little disk space is free, which is reported once', async () => {
  const { whyHold } = await import('../../../src/effects/loops/capacity.ts')
  const swarm = await openSwarm({ config: 'session: {freeDisk: 8000000GB}\n' })
  expect(whyHold(swarm.world)).toMatch(/^only \S+ of the disk is free$/)
  const reported: string[] = []
  const supervisor = startSupervisor(
    { ...swarm.world, report: (sentence) => void reported.push(sentence) },
    { maxParallel: 2 },
  )
  onTestFinished(() => supervisor.stop())
  await swarm.task({ command: 'true' })
  await until('a word', () => reported[0])
  // It has looked again by the time another event was seen.
  const { id } = await swarm.task({ command: 'true' })
  await until('another look', async () => (await swarm.show(id)).status === 'pending' && supervisor.standing().here)
  expect(reported).toEqual([expect.stringMatching(/^No agent is started: only \S+ of the disk is free\.$/)])
  expect((await swarm.show(1)).attempt).toBe(0)
})

it('no task is started after the program was replaced on disk', async () => {
  vi.resetModules()
  const { whyHold } = await import('../../../src/effects/loops/capacity.ts')
  const swarm = await openSwarm()
  const program = join(temporaryFolder(), 'main.js')
  writeFileSync(program, 'one')
  const world = { ...swarm.world, self: ['node', program] }
  expect(whyHold(world)).toBeUndefined()
  writeFileSync(program, 'another')
  expect(whyHold(world)).toBe('aiswarm was replaced on disk; restart it')
})

it('no task is started while too little memory is available for it', async () => {
  vi.resetModules()
  const { whyHold } = await import('../../../src/effects/loops/capacity.ts')
  const few = await openSwarm({ config: 'session: {freeMemory: 900000GB}\n' })
  expect(whyHold(few.world)).toMatch(/^only \S+ of memory is available$/)
  const agent = await openSwarm({ config: 'limits: {memory: 900000GB}\n' })
  expect(whyHold(agent.world)).toMatch(/^only \S+ of memory is available$/)
  expect(whyHold((await openSwarm()).world)).toBeUndefined()
})
