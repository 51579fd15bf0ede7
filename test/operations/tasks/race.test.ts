import { expect, test } from 'vitest'
import { importTasks } from '../../../src/operations/tasks/import.ts'
import { migrations, openCore } from '../../support/core.ts'
import { dose } from '../../support/dose.ts'
import { firstLine, look, outcome, startFixture } from '../../support/store.ts'

/** 5,000 tasks; the bench with 16 processes has as many. */
const TASKS = dose(5000, 600)
const PROCESSES = 8

test(
  `8 processes that share ${TASKS} tasks claim each task once, and more than one process wins`,
  { timeout: 600_000 },
  async () => {
    const { perform, agent, store } = await openCore()
    await perform(
      importTasks,
      Array.from({ length: TASKS }, (_, i) => ({ title: `task ${i + 1}`, personaId: 'implementer' })),
    )
    const ids = Array.from({ length: PROCESSES }, (_, i) => `claimer-${i + 1}`)
    for (const id of ids) await agent(id)

    const children = ids.map((id) => startFixture('claimer', [store.path, migrations, id]))
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
    expect(
      look(store.path, "SELECT count(*) AS n FROM task_status WHERE status = 'completed' AND attempt = 1"),
    ).toEqual([{ n: TASKS }])
    expect(look(store.path, "SELECT count(*) AS n FROM task_attempts WHERE outcome = 'completed'")).toEqual([
      { n: TASKS },
    ])
    // Every acknowledged claim and completion has its event, by the agent that won the task.
    expect(
      look(
        store.path,
        "SELECT operation, count(*) AS n FROM events WHERE operation IN ('claim_task', 'complete_task') GROUP BY operation",
      ),
    ).toEqual([
      { operation: 'claim_task', n: TASKS },
      { operation: 'complete_task', n: TASKS },
    ])
    for (const [at, id] of ids.entries()) {
      expect(
        look(
          store.path,
          `SELECT count(*) AS n FROM task_status WHERE assigned_agent_id = '${id}' AND result_data = '"${id}"'`,
        ),
      ).toEqual([{ n: won[at]!.length }])
    }
  },
)
