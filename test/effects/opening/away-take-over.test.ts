import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { isUndecided } from '../../../src/domain/rules/refusal.ts'
import { startSupervisor } from '../../../src/effects/loops/supervisor.ts'
import { takeOverConversation } from '../../../src/effects/opening/take-over.ts'
import { handBack } from '../../../src/operations/agents/hand-back.ts'
import { listAgents } from '../../../src/operations/agents/list.ts'
import { listMessages } from '../../../src/operations/messages/inbox.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { withAbsence } from '../../support/unreachable-store.ts'
import { isOfDay } from '../../support/dose.ts'
import { openSwarm, until } from '../swarm.ts'
import { streamAgent } from '../talk/stream-agent.ts'

const program = resolve(import.meta.dirname, '../../fixtures/terminal-agent.mjs')

it('a person takes a conversation over whole or not at all, although the board was away at any moment of that', async () => {
  streamAgent([{ say: 'I begin.' }, { until: 'never' }])
  const swarm = await openSwarm({ config: 'agents: {default: claude}\n' })
  const claude = swarm.world.kinds.get('claude')!
  const kinds = new Map(swarm.world.kinds).set('claude', {
    ...claude,
    terminal: (session: string) => [process.execPath, program, session],
  })
  const supervisor = startSupervisor({ ...swarm.world, kinds }, { maxParallel: 1 })
  onTestFinished(() => supervisor.stop())
  const { world, refuse, wasAway } = withAbsence({ ...swarm.world, kinds })
  const ends = { taken: 0, refused: 0 }
  for (let nth = 1, was = true; was; nth++) {
    if (!isOfDay(nth, 3)) continue
    const { id } = await swarm.task({ title: `Task ${nth}` })
    const agentId = await until(`the agent of task ${id}`, async () => {
      const { status, assignedAgentId } = await swarm.show(id)
      return status === 'in_progress' || status === 'claimed' ? assignedAgentId : undefined
    })
    await until('its process', async () => (await swarm.agent(agentId)).process === 'started')
    refuse(nth)
    const taken = await takeOverConversation(world, agentId, person).catch((error: unknown) => {
      expect(isUndecided(error), `access ${nth}: ${String(error)}`).toBe(true)
      return undefined
    })
    was = wasAway()
    refuse(Infinity)
    const holders = (await perform(swarm.core, listAgents, {}, person)).filter(
      (one) => one.id.startsWith('human-') && one.parentAgentId === agentId,
    )
    const stops = (await perform(swarm.core, listMessages, { agentId }, person)).filter(({ kind }) => kind === 'stop')
    if (taken === undefined) {
      // Nothing was begun: the agent works as before.
      expect([holders, stops], `access ${nth}`).toEqual([[], []])
      expect(await swarm.agent(agentId)).toMatchObject({ process: 'started', status: 'active' })
      ends.refused++
    } else {
      expect([holders.length, stops.length], `access ${nth}`).toEqual([1, 1])
      expect(await swarm.agent(agentId)).toMatchObject({ status: 'terminated' })
      expect(await swarm.show(id)).toMatchObject({ status: 'in_progress', assignedAgentId: taken.holderId })
      await perform(swarm.core, handBack, { holderId: taken.holderId, how: 'done' }, person)
      ends.taken++
    }
    if (taken === undefined) await perform(swarm.core, cancelTask, { taskId: id, reason: 'seen' }, person)
    await until('its end', async () => (await swarm.agent(agentId)).status === 'terminated')
    await sleep(1)
  }
  expect(ends.taken).toBeGreaterThan(0)
})
