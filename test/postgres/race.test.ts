import { expect, test } from 'vitest'
import { importTasks } from '../../src/operations/tasks/import.ts'
import { openCore } from '../support/core.ts'
import { dose } from '../support/dose.ts'
import { CLUSTER, postgresScripts } from '../support/postgres.ts'
import { firstLine, outcome, startFixture } from '../support/store.ts'

const TASKS = dose(20_000, 600)
const PROCESSES = 8

test(
  `8 processes that share ${TASKS} tasks on a server claim each task once, and more than one process wins`,
  { timeout: 3_600_000 },
  async () => {
    const { perform, agent, store } = await openCore()
    // The import takes 10,000 at most.
    for (let left = TASKS; left > 0; left -= 5000)
      await perform(
        importTasks,
        Array.from({ length: Math.min(left, 5000) }, (_, i) => ({ title: `task ${i + 1}`, personaId: 'implementer' })),
      )
    const ids = Array.from({ length: PROCESSES }, (_, i) => `claimer-${i + 1}`)
    for (const id of ids) await agent(id)

    const schema = /\((\w+)\)$/.exec(store.path)![1]!
    const children = ids.map((id) => startFixture('claimer', [process.env[CLUSTER]!, postgresScripts, id, schema]))
    await Promise.all(children.map(firstLine))
    const ends = Promise.all(children.map(outcome))
    for (const child of children) child.stdin!.write('go')
    const won = (await ends).map(({ code, output }) => {
      expect(code).toBe(0)
      return JSON.parse(output) as number[]
    })

    const all = won.flat()
    expect(all).toHaveLength(TASKS)
    expect(new Set(all).size).toBe(TASKS)
    expect(won.filter((tasks) => tasks.length > 0).length).toBeGreaterThan(1)
    const done = await store.read
      .selectFrom('task_status')
      .select(['assigned_agent_id as agent', 'result_data as result', 'attempt', 'status', 'task_id as id'])
      .orderBy('task_id')
      .execute()
    expect(done).toEqual(
      won
        .flatMap((tasks, at) =>
          tasks.map((id) => ({ agent: ids[at], result: `"${ids[at]!}"`, attempt: 1, status: 'completed', id })),
        )
        .sort((one, other) => one.id - other.id),
    )
    const events = await store.read
      .selectFrom('events')
      .select(({ fn }) => ['operation', fn.countAll<number>().as('n')])
      .where('operation', 'in', ['claim_task', 'complete_task'])
      .groupBy('operation')
      .orderBy('operation')
      .execute()
    expect(events).toEqual([
      { operation: 'claim_task', n: TASKS },
      { operation: 'complete_task', n: TASKS },
    ])
    expect(await store.maintenance.check()).toEqual({ damaged: false, findings: [] })
  },
)
