import { expect, it } from 'vitest'
import { agentKinds } from '../../../src/agents/kinds.ts'
import { mcpPromptFor, promptFor } from '../../../src/agents/kind/prompts.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { briefFor } from '../../../src/effects/runs/brief.ts'
import type { World } from '../../../src/effects/world.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { setRemote, setSnapshots } from '../../../src/operations/hosts/remote.ts'
import { openSwarm } from '../swarm.ts'

it('the prompt asks an agent to commit often only where its host pushes commits and no other files', async () => {
  const swarm = await openSwarm()
  await swarm.build('auth')
  await swarm.task({ command: 'true', targetWorktree: 'auth' })
  const run = await swarm.run(await swarm.dispatched())
  const kind = agentKinds(swarm.core.settings).get('claude')!
  const core = { ...swarm.core, host: LOCAL }
  const told = async (world: World): Promise<boolean> => {
    const brief = await briefFor(world, run, kind, swarm.path())
    const [byTools, byCommands] = [mcpPromptFor(brief), promptFor(brief)].map((prompt) =>
      prompt.includes('Commit often'),
    )
    expect(byTools).toBe(byCommands)
    return byTools!
  }
  const world: World = { ...swarm.world, core }
  await perform(core, setRemote, { url: '/srv/shop.git' }, person)
  // One host pushes nothing.
  expect(await told(world)).toBe(false)
  const { secret } = await perform(core, makeJoinCode, {}, person)
  await perform(core, joinHost, { secret, hostId: 'bbbbbbbb', name: 'b', machine: 'm', root: '/b' }, person)
  expect(await told(world)).toBe(true)
  expect(await told(swarm.world)).toBe(false)
  await perform(core, setSnapshots, { on: true }, person)
  expect(await told(world)).toBe(false)
})
