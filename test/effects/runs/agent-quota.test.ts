import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { startSupervisor } from '../../../src/effects/loops/supervisor.ts'
import { createSubtask, createTask } from '../../../src/operations/tasks/create.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { hashToken } from '../../../src/operations/perform/token.ts'
import { listAgents } from '../../../src/operations/agents/list.ts'
import { registerAgent, spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { openSwarm, type Swarm, until } from '../swarm.ts'
import { connectionOf } from '../../support/store.ts'

/** A planner that registered itself. */
const planner = async (swarm: Swarm) => {
  const { token } = await perform(swarm.core, registerAgent, { id: 'boss', personaId: 'planner' }, person)
  return { kind: 'agent', id: 'boss', role: 'planner', worktree: null, tokenHash: hashToken(token) } as const
}

const waits = 'agents: {default: mine, kinds: {mine: {command: [sh, -c, "sleep 600"]}}}\n'

describe('an agent', () => {
  it('starts at most maxParallel workers at a time, and the others wait their turn', async () => {
    const swarm = await openSwarm({ config: waits })
    const boss = await planner(swarm)
    for (let n = 1; n <= 4; n++) {
      await swarm.build(`work-${n}`)
      const { id } = await perform(
        swarm.core,
        createTask,
        { title: `work ${n}`, personaId: 'implementer', targetWorktree: `work-${n}` },
        boss,
      )
      await perform(swarm.core, spawnAgent, { personaId: 'implementer', taskId: id }, boss)
    }
    const states = async () =>
      (await perform(swarm.core, listAgents, {}, person))
        .filter(({ id }) => id !== 'boss')
        .map(({ process }) => process)
    const supervisor = startSupervisor(swarm.world, { maxParallel: 2 })
    try {
      await until('two workers', async () => (await states()).filter((process) => process === 'started').length === 2)
      // A person's own agent is not limited; by then the loops have run again.
      const mine = await swarm.task({ title: 'mine' })
      const { id } = await perform(swarm.core, spawnAgent, { personaId: 'implementer', taskId: mine.id }, person)
      await until('the third', async () =>
        (await perform(swarm.core, listAgents, {}, person)).some(
          (agent) => agent.id === id && agent.process === 'started',
        ),
      )
      expect((await states()).sort()).toEqual(['started', 'started', 'started', 'wanted', 'wanted'])
    } finally {
      await supervisor.stop()
    }
  })

  it('creates at most session.maxOpenTasks open tasks; a person may create more', async () => {
    const swarm = await openSwarm({ config: 'session: {maxOpenTasks: 2}\n' })
    const boss = await planner(swarm)
    const create = (actor: Parameters<typeof perform>[3]) =>
      perform(swarm.core, createTask, { title: 'work', personaId: 'implementer' }, actor)
    await create(boss)
    await create(boss)
    await expect(create(boss)).rejects.toThrow('boss has 2 open tasks, and session.maxOpenTasks allows 2')
    for (let n = 0; n < 3; n++) await create(person)
    await expect(create(boss)).rejects.toMatchObject({ code: 'blocked' })
  })

  it('nests tasks at most five deep', async () => {
    const swarm = await openSwarm()
    const boss = await planner(swarm)
    let parent = (await perform(swarm.core, createTask, { title: 'level 1', personaId: 'implementer' }, boss)).id
    const below = (parentTaskId: number) =>
      perform(
        swarm.core,
        createSubtask,
        { title: 'below', description: '', personaId: 'implementer', parentTaskId },
        boss,
      )
    for (let level = 2; level <= 5; level++) parent = (await below(parent)).id
    await expect(below(parent)).rejects.toThrow(`Task ${parent} is 5 levels deep already`)
  })

  it('spawns agents at most five deep', async () => {
    const swarm = await openSwarm({ config: waits })
    const boss = await planner(swarm)
    const spawn = async (actor: Parameters<typeof perform>[3], worktree: string) => {
      await swarm.build(worktree)
      const { id } = await swarm.task({ title: 'work', targetWorktree: worktree })
      return perform(swarm.core, spawnAgent, { personaId: 'implementer', taskId: id }, actor)
    }
    // Each seems to have spawned the next.
    const line = ['line-1', 'line-2', 'line-3', 'line-4']
    for (const [at, id] of line.entries()) {
      await perform(swarm.core, registerAgent, { id, personaId: 'planner' }, person)
      if (at > 0)
        connectionOf(swarm.core.store)
          .prepare('UPDATE agents SET parent_agent_id = ? WHERE id = ?')
          .run(line[at - 1], id)
    }
    connectionOf(swarm.core.store).prepare("UPDATE agents SET parent_agent_id = 'line-4' WHERE id = 'boss'").run()
    await spawn(boss, 'fifth')
    await perform(swarm.core, registerAgent, { id: 'line-0', personaId: 'planner' }, person)
    connectionOf(swarm.core.store).prepare("UPDATE agents SET parent_agent_id = 'line-0' WHERE id = 'line-1'").run()
    await expect(spawn(boss, 'sixth')).rejects.toThrow('boss is the last of 5 agents that spawned each other')
  })
})
