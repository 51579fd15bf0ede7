import { describe, expect, it } from 'vitest'
import { person } from '../../src/domain/actor.ts'
import { startSupervisor } from '../../src/effects/supervisor.ts'
import { createSubtask } from '../../src/operations/create-subtask.ts'
import { createTask } from '../../src/operations/create-task.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { hashToken } from '../../src/operations/kernel/token.ts'
import { listAgents } from '../../src/operations/list-agents.ts'
import { registerAgent } from '../../src/operations/register-agent.ts'
import { spawnAgent } from '../../src/operations/spawn-agent.ts'
import { openSwarm, type Swarm, until } from './swarm.ts'

/** A planner that registered itself. */
const planner = async (swarm: Swarm) => {
  const { token } = await perform(swarm.core, registerAgent, { id: 'boss', personaId: 'planner' }, person)
  return { kind: 'agent', id: 'boss', role: 'planner', worktree: null, tokenHash: hashToken(token) } as const
}

const waits = 'agents: {default: mine, kinds: {mine: {command: [sh, -c, "sleep 600"]}}}\n'

describe('what one agent may ask for', () => {
  it('starts no more workers at a time than maxParallel, and the others wait their turn', async () => {
    const swarm = await openSwarm({ config: waits })
    const boss = await planner(swarm)
    for (let n = 1; n <= 4; n++) {
      await swarm.build(`work-${n}`)
      const { id } = await perform(swarm.core, createTask, { title: `work ${n}`, personaId: 'implementer', targetWorktree: `work-${n}` }, boss)
      await perform(swarm.core, spawnAgent, { personaId: 'implementer', taskId: id }, boss)
    }
    const states = async () => (await perform(swarm.core, listAgents, {}, person)).filter(({ id }) => id !== 'boss').map(({ process }) => process)
    const supervisor = startSupervisor(swarm.world, { maxParallel: 2 })
    try {
      await until('two workers', async () => (await states()).filter((process) => process === 'started').length === 2)
      // A person's own goes above the number; by then the loops have looked again.
      const mine = await swarm.task({ title: 'mine' })
      const { id } = await perform(swarm.core, spawnAgent, { personaId: 'implementer', taskId: mine.id }, person)
      await until('the third', async () => (await perform(swarm.core, listAgents, {}, person)).some((agent) => agent.id === id && agent.process === 'started'))
      expect((await states()).sort()).toEqual(['started', 'started', 'started', 'wanted', 'wanted'])
    } finally {
      await supervisor.stop()
    }
  })

  it('puts no more open tasks on the board than session.maxOpenTasks; a person may', async () => {
    const swarm = await openSwarm({ config: 'session: {maxOpenTasks: 2}\n' })
    const boss = await planner(swarm)
    const create = (actor: Parameters<typeof perform>[3]) => perform(swarm.core, createTask, { title: 'work', personaId: 'implementer' }, actor)
    await create(boss)
    await create(boss)
    await expect(create(boss)).rejects.toThrow('boss has 2 open tasks on the board, and session.maxOpenTasks allows 2')
    for (let n = 0; n < 3; n++) await create(person)
    await expect(create(boss)).rejects.toMatchObject({ code: 'blocked' })
  })

  it('nests tasks at most five deep', async () => {
    const swarm = await openSwarm()
    const boss = await planner(swarm)
    let parent = (await perform(swarm.core, createTask, { title: 'level 1', personaId: 'implementer' }, boss)).id
    const below = (parentTaskId: number) => perform(swarm.core, createSubtask, { title: 'below', description: '', personaId: 'implementer', parentTaskId }, boss)
    for (let level = 2; level <= 5; level++) parent = (await below(parent)).id
    await expect(below(parent)).rejects.toThrow(`Task ${parent} is 5 levels deep already`)
  })
})
