import { type Report, usageOf, windowOf } from '../../agents/reading/report.ts'
import { type ContextUse, estimatedTokens } from '../../domain/agent/context-health.ts'
import { NO_SESSION } from '../../domain/agent/conversation.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import type { RunReport } from '../../operations/runs/reports.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import type { World } from '../world.ts'
import type { Reader } from './run-reader.ts'

export const recordOf = ({ core }: World, run: AgentRun, { report, earlier }: Reader): RunReport => {
  const usage = usageOf(report, earlier)
  const token = core.launchToken(run.agentId, run.run)
  const short = (text: string | null, length: number): string | null =>
    text === null ? null : maskSecrets(text, [token]).slice(0, length)
  return {
    model: short(report.model, 200),
    session: short(report.session, 200),
    tokensIn: usage.tokensIn,
    tokensOut: usage.tokensOut,
    tokensCached: usage.tokensCached,
    costUsd: usage.costUsd,
    said: short(report.said, 4000),
    problem: short(problemOf(report), 4000),
  }
}

/** The context use that the CLI reports, otherwise an estimate from its output. */
export const useOf = (run: AgentRun, { report, model, printed }: Reader): ContextUse => ({
  tokens: report.context ?? estimatedTokens(printed),
  window: report.window ?? windowOf(run.kind, report.model ?? model),
  estimated: report.context === null,
})

/** The problem that kept the CLI from working, for reasons outside of its task; null if there was none. */
export const problemOf = (report: Report): string | null =>
  report.unauthorized ??
  report.limited?.sentence ??
  report.noServer ??
  (report.noSession === null ? null : `${NO_SESSION}: ${report.noSession}`)
