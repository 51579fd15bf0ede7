import { z } from 'zod'
import { changeRun } from '../../db/agent-runs.ts'
import { changeAgent } from '../../db/agents.ts'
import { setPaused } from '../../db/budgets.ts'
import type { AgentRow } from '../../db/schema.ts'
import { insertTaskLog } from '../../db/task-logs.ts'
import { leftWords } from '../../domain/agent.ts'
import type { Context } from './core.ts'
import { text } from './inputs.ts'
import { runMemory } from './remember-run.ts'
import { recordDenials } from './requests.ts'
import { contextUse, recordContext, recordReport, runReport } from './run-report.ts'

/** How run N of an agent's process ended, and what it said and used. */
export const runEnd = z.object({
  run: z.int().min(1),
  exitCode: z.int().nullable(),
  report: runReport.optional(),
  use: contextUse.optional(),
  memory: runMemory.optional(),
  /** What of it still runs though its processes were ended: it left its session and emptied its environment. */
  left: z
    .array(z.object({ pid: z.int(), name: text(100) }))
    .max(100)
    .default([]),
  denied: z
    .array(z.object({ tool: text(200), about: text(4000) }))
    .max(50)
    .default([]),
})

/** Records what a run that is over used and said, and what its CLI did not let it do. */
export const endRun = async (context: Context, agent: AgentRow, { run, exitCode, report, use, denied, left }: z.output<typeof runEnd>): Promise<void> => {
  const { db, now } = context
  if (report) await recordReport(context, agent.id, run, report)
  if (use) await recordContext(context, agent.id, run, use)
  await changeRun(db, agent.id, run, { ended_at: now, exit_code: exitCode })
  await changeAgent(db, agent.id, {}, { metadata: left.length === 0 ? null : JSON.stringify({ left }) })
  if (left.length > 0 && agent.task_id !== null) {
    const message = `The run of ${agent.id} has ended, and ${leftWords(left)}`
    await insertTaskLog(db, { task_id: agent.task_id, agent_id: agent.id, level: 'warn', message, attempt: null, percent: null, logged_at: now })
  }
  await setPaused(db, agent.id, run, null)
  if (agent.task_id !== null) await recordDenials(context, agent, agent.task_id, denied)
}
