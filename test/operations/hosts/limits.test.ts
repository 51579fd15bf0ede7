import { expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { insertAgent } from '../../../src/db/agents.ts'
import { insertTask } from '../../../src/db/tasks.ts'
import { mostOf } from '../../../src/domain/rules/capacity.ts'
import { newAgent } from '../../../src/operations/runs/agents.ts'
import { registerAgent, spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { forgetHost } from '../../../src/operations/failover/forget-host.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { listHosts } from '../../../src/operations/hosts/list.ts'
import { enterConsole, releaseLease } from '../../../src/operations/supervision/leases.ts'
import { openCore, refusal, second } from '../../support/core.ts'

it('fifty hosts join a board, and the next one is refused until another one has left', async () => {
  const world = await openCore()
  const join = async (n: number) => {
    const { secret } = await world.perform(makeJoinCode, {})
    const hostId = `host${String(n).padStart(4, '0')}`
    return world.perform(joinHost, { secret, hostId, name: `h${n}`, machine: 'm', root: `/h${n}` })
  }
  for (let n = 2; n <= mostOf.hosts; n++) await join(n)
  expect(await world.perform(listHosts, {})).toHaveLength(50)
  expect((await refusal(join(51))).message).toBe(
    "There are 50 hosts on the board, and aiswarm is made for 50. Remove one that is not used any more with 'aiswarm host forget'.",
  )
  await world.perform(forgetHost, { host: 'h2' })
  expect(await join(52)).toMatchObject({ name: 'h52' })
})

it('a board has a thousand live agents, and further ones are refused', async () => {
  const world = await openCore()
  await world.core.store.write(async (db) => {
    const context = { ...world.core, db, now: world.now() } as unknown as Parameters<typeof newAgent>[0]
    for (let n = 1; n < mostOf.agents; n++)
      await insertAgent(db, { ...newAgent(context, `a${n}`, 'implementer'), kind: 'external' })
  })
  await world.perform(registerAgent, { id: 'last', personaId: 'implementer' })
  const sentence =
    /There are 1000 live agents on the board, and aiswarm is made for 1000\. Let some of them end first\./
  expect((await refusal(world.perform(registerAgent, { id: 'more', personaId: 'implementer' }))).message).toMatch(
    sentence,
  )
  expect((await refusal(world.perform(spawnAgent, { personaId: 'implementer', kind: 'claude' }))).message).toMatch(
    sentence,
  )
})

it('a board has two hundred thousand tasks, and the next one is refused and leaves nothing', async () => {
  const world = await openCore()
  const before = { title: 'x', description: '', persona_id: 'implementer', created_at: world.now() }
  await world.core.store.write((db) =>
    insertTask(
      db,
      {
        ...{ context_ref: null, priority: 0, target_worktree: null, parent_task_id: null, command: null },
        ...{ session_id: null, created_by: 'human', metadata: null, id: mostOf.tasks - 1, ...before },
      },
      { command_allowed: 1, changed_at: world.now() },
    ),
  )
  expect((await world.task({})).id).toBe(200_000)
  expect((await refusal(world.task({}))).message).toBe(
    'There are 200000 tasks on the board so far, and aiswarm is made for 200000. Begin another board for further work.',
  )
})

it('thirty consoles of a board on a server are open, and the next one is refused until another one has ended', async () => {
  const world = await openCore()
  const enter = (n: number) => world.perform(enterConsole, { holder: `c${n}`, pid: n, ttl: 30 * second }, system())
  const roles = []
  for (let n = 1; n <= mostOf.consoles; n++) roles.push((await enter(n)).role)
  expect(new Set(roles).size).toBe(30)
  expect((await refusal(enter(31))).message).toBe(
    "There are 30 consoles open on this board, and aiswarm is made for 30. Quit one that is not used, or use the commands ('aiswarm help').",
  )
  await world.perform(releaseLease, { name: roles[6]!, holder: 'c7' }, system())
  expect(await enter(32)).toEqual({ role: roles[6] })
  expect((await refusal(enter(33))).code).toBe('blocked')
  // Consoles that were killed give no place back.
  world.pass(31 * second)
  expect(await enter(34)).toEqual({ role: roles[0] })
})
