import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { nothingSeen, readReports } from '../../../src/effects/session-files/reports.ts'
import { claimTask } from '../../../src/operations/tasks/claims.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { getTaskLogs } from '../../../src/operations/tasks/detail.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { sessionFilesOf } from '../../../src/effects/session-files/session-files.ts'
import { freshWishesOf } from '../../../src/effects/wishes.ts'
import type { World } from '../../../src/effects/world.ts'
import type { Core } from '../../../src/operations/perform/core.ts'
import { instant } from '../../../src/domain/words/time.ts'
import { temporaryFolder } from '../../support/core.ts'
import { openSwarm, write } from '../swarm.ts'

const hour = 3_600_000

/** Longer than a written file counts as being written (ms). */
const SETTLED = 600

it('turns that were being written when the result was read are imported with it', async () => {
  const { world, core, root, task, show } = await openSwarm()
  const { id } = await task({ title: 'The duck' })
  await perform(core, registerAgent, { id: 'backend', personaId: 'implementer' }, person)
  await perform(core, claimTask, { taskId: id, agentId: 'backend' }, person)
  const folder = join(root, world.memory.basePath)
  write(folder, {
    'progress-backend.md': `# Progress: backend\n## Task: task-${id}\n\n### Turn 1 - 2026-01-30T14:22:33Z\n- **Action**: Drew it\n- **Status**: in_progress\n`,
    'result-backend.md': `# Result: backend\n## Task: task-${id}\n## Status: completed\n\n## Summary\nThe duck is there.\n`,
  })
  // The state when reading takes long: one file settled in the middle of a look, the other had not when it was read.
  await sleep(SETTLED)
  const now = new Date()
  utimesSync(join(folder, 'progress-backend.md'), now, now)
  await readReports(world, nothingSeen())
  expect((await show(id)).status).toBe('completed')
  expect((await perform(core, getTaskLogs, { taskId: id }, person)).map(({ message }) => message)).toContain(
    'Turn 1: Drew it · in_progress',
  )
})

/** A task of an agent whose worktree is on host b, which has written a turn there; the reader of its own files, by host. */
const onB = async (clock: Core['clock'] = () => instant(Date.now())) => {
  const swarm = await openSwarm()
  const folder = await swarm.build('pond')
  const { id } = await swarm.task({ title: 'The duck', targetWorktree: 'pond' })
  const core = { ...swarm.core, clock }
  await perform(core, registerAgent, { id: 'backend', personaId: 'implementer', worktree: 'pond' }, person)
  await swarm.core.store.write((db) =>
    db.updateTable('agents').set({ host_id: 'bbbbbbbb' }).where('id', '=', 'backend').execute(),
  )
  await perform(core, claimTask, { taskId: id, agentId: 'backend' }, person)
  write(join(folder, swarm.world.memory.basePath), {
    'progress-backend.md': `# Progress: backend\n## Task: task-${id}\n\n### Turn 1 - 2026-01-30T14:22:33Z\n- **Action**: Drew it\n- **Status**: in_progress\n`,
  })
  await sleep(SETTLED)
  const root = temporaryFolder()
  const read = async (host: string): Promise<void> => {
    const world: World = { ...swarm.world, core: { ...core, host, ...(host === 'local' ? {} : { root }) } }
    const files = sessionFilesOf(world)
    for (const job of files.jobs(await freshWishesOf(world), performance.now())) await job.run()
    await files.close()
  }
  const notes = async () => (await perform(core, getTaskLogs, { taskId: id }, person)).map(({ message }) => message)
  return { core, read, notes, root }
}

it('the files of an agent are read by its own host while it works, which writes no files of the board', async () => {
  const { core, read, notes, root } = await onB()
  await perform(core, beginSession, {}, person)
  await read('local')
  expect(await notes()).not.toContain('Turn 1: Drew it · in_progress')
  await read('bbbbbbbb')
  expect(await notes()).toContain('Turn 1: Drew it · in_progress')
  expect(readdirSync(root)).toEqual([])
})

it.each([hour, -hour])('a file counts for an attempt although the clock of the board differs by %s ms', async (by) => {
  const { read, notes } = await onB(() => instant(Date.now() + by))
  await read('bbbbbbbb')
  expect(await notes()).toContain('Turn 1: Drew it · in_progress')
})
