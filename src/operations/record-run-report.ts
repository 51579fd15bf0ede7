import { z } from 'zod'
import { agentId } from './kernel/inputs.ts'
import { operation } from './kernel/operation.ts'
import { recordReport, runReport } from './kernel/run-report.ts'

export const recordRunReport = operation({
  name: 'record_run_report',
  summary: 'Record what a run has used and said so far',
  access: 'beat',
  authority: 'system',
  input: z.strictObject({ agentId, run: z.int().min(1), report: runReport }),
  output: z.null(),
  run: async (context, { agentId, run, report }) => {
    await recordReport(context, agentId, run, report)
    return null
  },
})
