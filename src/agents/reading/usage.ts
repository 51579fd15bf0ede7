import type { Reading, Tokens } from './reading.ts'
import type { Report } from './report.ts'

type Usage = Extract<Reading, { kind: 'usage' }>

/** Upper bounds for one run, so that sums of any number of runs stay exact. */
const [MOST_TOKENS, MOST_DOLLARS] = [1e12, 1e6]

const whole = (tokens: number): number => Math.min(MOST_TOKENS, Math.max(0, Math.round(tokens)))

/** A wrong count, such as -1 or 1.5, would prevent the end of the run from being recorded. */
export const countable = ({ tokensIn, tokensOut, tokensCached, costUsd, ...usage }: Usage): Usage => ({
  ...usage,
  tokensIn: whole(tokensIn),
  tokensOut: whole(tokensOut),
  tokensCached: whole(tokensCached),
  costUsd: costUsd === null || !Number.isFinite(costUsd) ? null : Math.min(MOST_DOLLARS, Math.max(0, costUsd)),
})

/** Messages that may still be reported in parts, because subagents run at the same time. */
const OPEN_MESSAGES = 32

export const withUsage = (report: Report, usage: Usage): Report => {
  if (usage.of === 'message') return withMessage(report, usage)
  const { of, tokensIn, tokensOut, tokensCached, costUsd } = usage
  return of === 'step'
    ? {
        ...report,
        tokensIn: whole(report.tokensIn + tokensIn),
        tokensOut: whole(report.tokensOut + tokensOut),
        tokensCached: whole(report.tokensCached + tokensCached),
        costUsd: costUsd === null ? report.costUsd : (report.costUsd ?? 0) + costUsd,
        // A step is a turn.
        context: tokensIn + tokensOut || report.context,
      }
    : // An interrupted run may end with a count of zero: the counts of its messages are kept.
      of === 'run' && tokensIn + tokensOut === 0
      ? { ...report, costUsd: costUsd ?? report.costUsd }
      : {
          ...report,
          tokensIn,
          tokensOut,
          tokensCached,
          costUsd,
          counted: [],
          cumulative: of === 'session',
          before: report.before ?? beforeTurn(report, usage),
        }
}

/**
 * The tokens that were counted before the first turn of a run: all but those of the turn, which its messages report too,
 * including those of subagents.
 */
const beforeTurn = (report: Report, { turn, ...total }: Usage): Tokens | null => {
  if (turn === undefined) return null
  const rest = (key: keyof Tokens): number => whole(total[key] - Math.max(turn[key], report[key]))
  return { tokensIn: rest('tokensIn'), tokensOut: rest('tokensOut'), tokensCached: rest('tokensCached') }
}

/** The whole run is reported at its end; until then the counts of its messages are summed. */
const withMessage = (report: Report, { message = '', tokensIn, tokensOut, tokensCached }: Usage): Report => {
  const before = report.counted.find((one) => one.message === message) ?? { tokensIn: 0, tokensOut: 0, tokensCached: 0 }
  return {
    ...report,
    tokensIn: whole(report.tokensIn - before.tokensIn + tokensIn),
    tokensOut: whole(report.tokensOut - before.tokensOut + tokensOut),
    tokensCached: whole(report.tokensCached - before.tokensCached + tokensCached),
    counted: [
      ...report.counted.filter((one) => one !== before).slice(1 - OPEN_MESSAGES),
      { message, tokensIn, tokensOut, tokensCached },
    ],
  }
}

/** Of several models the one counts that the CLI named at its start. */
export const withContext = (
  report: Report,
  { tokens, window, model }: Extract<Reading, { kind: 'context' }>,
): Report =>
  model === undefined || report.model === null || model === report.model
    ? {
        ...report,
        context: tokens === null ? report.context : whole(tokens),
        window: window === null ? report.window : whole(window) || report.window,
      }
    : report

/** The usage of a session before a run. */
type Earlier = Tokens & {
  readonly costUsd: number
  /** The usage of the session of which it is a copy, by then. */
  readonly inherited?: Tokens
}

/**
 * Tokens and cost of this run only. `earlier` is the usage of earlier runs in the same session, which is subtracted if
 * the CLI counts a whole session. A lower count means that the CLI began a new one.
 */
export const usageOf = (
  report: Pick<Report, 'cumulative' | 'before' | 'tokensIn' | 'tokensOut' | 'tokensCached' | 'costUsd'>,
  earlier: Earlier,
): Tokens & { readonly costUsd: number | null } => {
  const { cumulative, before, costUsd, ...tokens } = report
  const counted = (cumulative ? [withInherited(earlier), earlier] : []).find(
    ({ tokensIn, tokensOut }) => tokens.tokensIn >= tokensIn && tokens.tokensOut >= tokensOut,
  )
  if (counted) return { ...less(tokens, counted), costUsd: lessCost(costUsd, earlier.costUsd) }
  // Only a run that resumes a session can have been counted with others.
  if (before === null || earlier.tokensIn + earlier.tokensOut === 0) return { ...less(tokens), costUsd }
  return {
    ...less(tokens, before),
    costUsd: before.tokensIn * COUNTED < earlier.tokensIn ? costUsd : lessCost(costUsd, earlier.costUsd),
  }
}

/**
 * A CLI that counts earlier runs had counted at least this part of their tokens before: one over it. A killed run is not
 * among them, and a CLI that counts each run by itself has only counted small requests of its own.
 */
const COUNTED = 10

const withInherited = ({ inherited, ...earlier }: Earlier): Tokens => ({
  tokensIn: earlier.tokensIn + (inherited?.tokensIn ?? 0),
  tokensOut: earlier.tokensOut + (inherited?.tokensOut ?? 0),
  tokensCached: earlier.tokensCached + (inherited?.tokensCached ?? 0),
})

const less = (tokens: Tokens, by?: Tokens): Tokens => ({
  tokensIn: Math.max(0, tokens.tokensIn - (by?.tokensIn ?? 0)),
  tokensOut: Math.max(0, tokens.tokensOut - (by?.tokensOut ?? 0)),
  tokensCached: Math.max(0, tokens.tokensCached - (by?.tokensCached ?? 0)),
})

const lessCost = (cost: number | null, by: number): number | null => (cost === null ? null : Math.max(0, cost - by))
