import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { readReports } from '../../../src/effects/session-files/reports.ts'
import { nothingSeen } from '../../../src/effects/session-files/seen-files.ts'
import { claimTask } from '../../../src/operations/tasks/claim-task.ts'
import { getTaskLogs } from '../../../src/operations/tasks/get-task-logs.ts'
import { perform } from '../../../src/operations/door/perform.ts'
import { registerAgent } from '../../../src/operations/agents/register-agent.ts'
import { openSwarm, write } from '../swarm.ts'

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
