import { z } from 'zod'
import { changeRun } from '../../db/runs.ts'
import { setAgent } from '../../db/agents.ts'
import { setPaused } from '../../db/costs.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import { insertTaskLog } from '../../db/task-logs.ts'
import { leftWords } from '../../domain/agent/agent.ts'
import type { Context } from '../perform/core.ts'
import { lazyObject, text } from '../perform/schemas.ts'
import { runMemory } from '../memory/dual-memory.ts'
import { endMessages } from '../messages/messages.ts'
import { recordDenials } from '../requests/requests.ts'
import { contextUse, recordContext, recordReport, runReport } from './run-report.ts'

/** The end of run N of an agent's process, with its report and usage. */
export const runEnd = lazyObject(() => ({
  run: z.int().min(1),
  exitCode: z.int().nullable(),
  report: runReport().optional(),
  use: contextUse().optional(),
  memory: runMemory().optional(),
  /** Processes that still run after the kill, because they left the session and cleared their environment. */
  left: z
    .array(z.object({ pid: z.int(), name: text(100) }))
    .max(100)
    .default([]),
  denied: z
    .array(z.object({ tool: text(200), about: text(4000) }))
    .max(50)
    .default([]),
}))

/** Records the usage, the report and the denied actions of an ended run. */
export const endRun = async (
  context: Context,
  agent: AgentRow,
  { run, exitCode, report, use, denied, left }: z.output<ReturnType<typeof runEnd>>,
): Promise<void> => {
  const { db, now } = context
  if (report) await recordReport(context, agent.id, run, report)
  await endMessages(context, agent.id, run, (report?.problem ?? null) === null)
  if (use) await recordContext(context, agent.id, run, use)
  await changeRun(db, agent.id, run, { ended_at: now, exit_code: exitCode })
  await setAgent(db, agent.id, { metadata: left.length === 0 ? null : JSON.stringify({ left }) })
  if (left.length > 0 && agent.task_id !== null) {
    const message = `The run of ${agent.id} has ended, but ${leftWords(left)}`
    await insertTaskLog(db, {
      task_id: agent.task_id,
      agent_id: agent.id,
      level: 'warn',
      message,
      attempt: null,
      percent: null,
      logged_at: now,
    })
  }
  await setPaused(db, agent.id, run, null)
  if (agent.task_id !== null) await recordDenials(context, agent, agent.task_id, denied)
}
