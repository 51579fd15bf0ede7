import { z } from 'zod'
import { agentId } from '../door/inputs.ts'
import { operation } from '../door/operation.ts'
import { contextUse, recordContext, recordReport, runReport } from './run-report.ts'

export const recordRunReport = operation({
  name: 'record_run_report',
  summary: 'Record what a run has used and said so far, and how much its model has before it',
  access: 'beat',
  authority: 'system',
  /** Without a report for a kind with plain-text output. */
  input: z.strictObject({ agentId, run: z.int().min(1), report: runReport.optional(), use: contextUse.optional() }),
  output: z.null(),
  run: async (context, { agentId, run, report, use }) => {
    if (report) await recordReport(context, agentId, run, report)
    if (use) await recordContext(context, agentId, run, use)
    return null
  },
})
