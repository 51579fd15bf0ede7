import fc from 'fast-check'
import { expect, it } from 'vitest'
import { selectStartable } from '../../../src/db/task-queue.ts'
import { system } from '../../../src/domain/agent/actor.ts'
import { plan } from '../../../src/domain/task/schedule.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { startableOf } from '../../../src/operations/tasks/startable.ts'
import { openCore } from '../../support/core.ts'
import { byHand } from '../../support/store.ts'

/** A task of an unknown kind, with a command that waits for a person, for an agent that is already busy, or ready to start. */
const task = fc.record({
  priority: fc.integer({ min: 0, max: 3 }),
  is: fc.constantFrom('unknown', 'unknown', 'unallowed', 'shell', 'named', 'ready'),
})

it('a dispatch that reads a board page by page starts the same tasks in the same order as one that reads it all', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(task, { minLength: 500, maxLength: 900, size: 'max' }),
      fc.integer({ min: 0, max: 250 }),
      async (tasks, maxParallel) => {
        const world = await openCore()
        const { read } = world.store
        const rows = tasks.map(({ priority, is }, at) => ({
          id: at + 1,
          priority,
          command: ['unallowed', 'shell'].includes(is) ? "'true'" : 'NULL',
          of: is === 'unknown' ? `'{"cli": "nobody"}', 'nobody'` : 'NULL, NULL',
          allowed: is === 'unallowed' ? 0 : 1,
          named: is === 'named',
        }))
        const named = rows.filter((row) => row.named).map(({ id }) => `(${id}, 'agent-${(id - 1) % 3}')`)
        await byHand(
          world.store,
          `INSERT INTO tasks (id, title, description, persona_id, priority, command, metadata, cli) VALUES ${rows.map(({ id, priority, command, of }) => `(${id}, 'a task', '', 'implementer', ${priority}, ${command}, ${of})`).join(', ')};
           INSERT INTO task_status (task_id, status, command_allowed) VALUES ${rows.map(({ id, allowed }) => `(${id}, 'pending', ${allowed})`).join(', ')};
           ${named.length === 0 ? '' : `INSERT INTO task_assignments (task_id, agent_id) VALUES ${named.join(', ')}`}`,
        )
        const { core } = world
        const all = await selectStartable(read, core.clock(), 1e6, null)
        const inOneLook = plan(
          await startableOf({ db: read, now: core.clock(), settings: core.settings }, all),
          [],
          core.settings,
          core.kinds,
          maxParallel,
        )
        const started: number[] = []
        for (let behind: { priority: number; id: number } | null | undefined; behind !== null;) {
          const look: Awaited<ReturnType<(typeof dispatch)['run']>> = await world.perform(
            dispatch,
            { maxParallel, behind: behind ?? null },
            system(),
          )
          started.push(...look.started.map(({ taskId }) => taskId))
          behind = look.next
        }
        expect(started).toEqual(inOneLook.starts.map(({ taskId }) => taskId))
        expect((await world.perform(dispatch, { maxParallel }, system())).started).toEqual([])
      },
    ),
    { numRuns: 6, endOnFailure: true },
  )
})
