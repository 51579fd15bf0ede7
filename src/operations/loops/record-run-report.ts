import { z } from 'zod'
import { agentId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { contextUse, recordContext, recordReport, runReport } from './run-report.ts'

export const recordRunReport = operation({
  name: 'record_run_report',
  summary: 'Record the usage, the last message and the context size of a run so far',
  access: 'beat',
  authority: 'system',
  /** Without a report for a kind with plain-text output. */
  input: () =>
    z.strictObject({ agentId, run: z.int().min(1), report: runReport().optional(), use: contextUse().optional() }),
  output: () => z.null(),
  run: async (context, { agentId, run, report, use }) => {
    if (report) await recordReport(context, agentId, run, report)
    if (use) await recordContext(context, agentId, run, use)
    return null
  },
})
