import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { later } from '../../../src/domain/words/time.ts'
import { listAgents } from '../../../src/operations/agents/list.ts'
import { getAgentRuns } from '../../../src/operations/agents/runs.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { recordLaunch } from '../../../src/operations/runs/processes.ts'
import { recordRunReport } from '../../../src/operations/runs/reports.ts'
import { renew } from '../../../src/operations/supervision/sweep.ts'
import { minute, openCore, second, start } from '../../support/core.ts'
import { countStatements } from '../../support/statements.ts'
import { testedStore } from '../../support/template.ts'

it('renew takes as many statements for thirty agents as for one, and renews each', async () => {
  const world = await openCore()
  const agentIds: string[] = []
  for (let id = 1; id <= 30; id++) {
    await world.task()
    agentIds.push((await world.perform(spawnAgent, { personaId: 'implementer', taskId: id })).id)
  }
  const { core, during } = countStatements(world.core)
  world.pass(minute / 2)
  const one = await during(() => perform(core, renew, { agentIds: agentIds.slice(0, 1) }, system()))
  const all = await during(() => perform(core, renew, { agentIds }, system()))
  expect(all.statements).toBe(one.statements)
  expect(all.statements).toBeLessThanOrEqual(4)
  const now = later(start, minute / 2)
  for (const agent of await world.perform(listAgents, {})) expect(agent.lastHeartbeat).toBe(now)
  for (let id = 1; id <= 30; id++)
    expect((await world.show(id)).leaseExpiresAt).toBe(later(now, core.settings.lease.ttl))
})

it('record_run_report writes nothing that is already recorded', async () => {
  const world = await openCore()
  await world.task()
  await world.perform(spawnAgent, { personaId: 'implementer', taskId: 1 })
  await world.perform(
    recordLaunch,
    { agentId: 'implementer-1', run: 1, pid: 1, startedAt: '1', bootId: 'b', startsTask: true },
    system(),
  )
  const report = {
    ...{ model: 'm', session: 's', tokensIn: 5, tokensOut: 6, tokensCached: 1, costUsd: 0.5 },
    ...{ said: 'hello', problem: null },
  }
  const given = (change: Partial<typeof report>) => ({
    agentId: 'implementer-1',
    run: 1,
    report: { ...report, ...change },
  })
  await world.perform(recordRunReport, given({}), system())
  world.pass(second)
  // On a server, the version also counts what others have done.
  const written = async () =>
    testedStore === 'sqlite'
      ? world.store.version()
      : (
          await sql`SELECT string_agg(a.xmin::text, ' ') AS attempts, string_agg(r.xmin::text, ' ') AS runs FROM task_attempts a, agent_runs r`.execute(
            world.store.read,
          )
        ).rows
  const before = await written()
  await world.perform(recordRunReport, given({}), system())
  expect(await written()).toEqual(before)
  await world.perform(recordRunReport, given({ tokensIn: 9 }), system())
  expect(await written()).not.toEqual(before)
  expect(await world.perform(getAgentRuns, { agentId: 'implementer-1' })).toMatchObject([{ tokensIn: 9, costUsd: 0.5 }])
  expect((await world.show(1)).attempts).toMatchObject([{ tokensIn: 9, costUsd: 0.5 }])
})
