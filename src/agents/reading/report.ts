import type { Instant } from '../../domain/words/time.ts'
import type { Reading } from './reading.ts'
import { SERVER_NAME } from '../kind/server-config.ts'

/** The summary of one run's readings. */
export interface Report {
  readonly session: string | null
  readonly model: string | null
  readonly tokensIn: number
  readonly tokensOut: number
  readonly tokensCached: number
  readonly costUsd: number | null
  /** The latest messages whose tokens were counted, with the counts, so that repeated reports are not counted twice. */
  readonly counted: readonly { readonly message: string; readonly tokensIn: number; readonly tokensOut: number; readonly tokensCached: number }[]
  /** True if the tokens are those of the whole session, with earlier runs. */
  readonly cumulative: boolean
  /** The context of the model now and its limit; null if the CLI does not report them. */
  readonly context: number | null
  readonly window: number | null
  readonly denied: readonly { readonly name: string; readonly about: string }[]
  readonly limited: { readonly sentence: string; readonly resetsAt: Instant | null } | null
  readonly unauthorized: string | null
  readonly noServer: string | null
  readonly noSession: string | null
  readonly ended: { readonly ok: boolean; readonly sentence: string } | null
  /** The last message. */
  readonly said: string | null
  /** The last other output, such as the error of a program. */
  readonly noted: string | null
  /** The latest calls, by which the end of one is matched; and whether the text may continue. */
  readonly calls: readonly Call[]
  readonly speaking: boolean
}

interface Call {
  readonly call: string
  readonly name: string
  readonly about: string
  readonly denied: boolean
}

type Usage = Extract<Reading, { kind: 'usage' }>

export const emptyReport: Report = {
  session: null,
  model: null,
  tokensIn: 0,
  tokensOut: 0,
  tokensCached: 0,
  costUsd: null,
  counted: [],
  cumulative: false,
  context: null,
  window: null,
  denied: [],
  limited: null,
  unauthorized: null,
  noServer: null,
  noSession: null,
  ended: null,
  said: null,
  noted: null,
  calls: [],
  speaking: false,
}

/** The longest message that is stored (characters); longer than any display, so that masking sees whole secrets. */
const LONGEST = 5000

/** The most denials that are stored, for an agent that tries the same action forever. */
const MOST_DENIED = 100

/** Calls whose end may still be reported. */
const OPEN_CALLS = 64

/** Messages that may still be reported in parts, because subagents run at the same time. */
const OPEN_MESSAGES = 32

export const addReading = (report: Report, reading: Reading): Report => {
  switch (reading.kind) {
    case 'session':
      return report.session === reading.id ? report : { ...report, session: reading.id }
    case 'model':
      return report.model === reading.name ? report : { ...report, model: reading.name }
    case 'text':
      return { ...answered(report), said: (reading.continues === true && report.speaking ? `${report.said ?? ''}${reading.text}` : reading.text).slice(0, LONGEST), speaking: true }
    case 'tool':
      return { ...answered(report), ...called(report, reading), speaking: false }
    case 'denied':
      return withDenial(report, reading)
    case 'usage':
      return withUsage(report, countable(reading))
    case 'context':
      return withContext(report, reading)
    case 'limited':
      return { ...report, limited: { sentence: reading.sentence, resetsAt: reading.resetsAt ?? report.limited?.resetsAt ?? null } }
    case 'unauthorized':
      return { ...report, unauthorized: reading.sentence }
    case 'no_server':
      return { ...report, noServer: reading.sentence }
    case 'no_session':
      return { ...report, noSession: reading.sentence }
    case 'ended':
      return { ...report, ended: { ok: reading.ok, sentence: reading.sentence }, speaking: false }
    case 'note':
      return { ...report, noted: reading.text.slice(0, LONGEST) }
    case 'tool_failed':
      return report
  }
}

/** An answer of the service shows that an earlier problem was temporary. */
const answered = (report: Report): Report => (report.limited === null && report.unauthorized === null ? report : { ...report, limited: null, unauthorized: null })

const called = (report: Report, { name, about, call }: Extract<Reading, { kind: 'tool' }>): Partial<Report> => ({
  // A call of the server proves that it runs, whatever was reported before.
  noServer: name.includes(SERVER_NAME) ? null : report.noServer,
  calls: call === undefined ? report.calls : [...report.calls.slice(1 - OPEN_CALLS), { call, name, about, denied: false }],
})

/** Some CLIs report a denial twice: when it happens, and in a list at their end. */
const withDenial = (report: Report, { name, about, call }: Extract<Reading, { kind: 'denied' }>): Report => {
  const known = report.calls.find((one) => one.call === call)
  if (known?.denied === true || report.denied.length >= MOST_DENIED) return report
  const denied = { name: name || known?.name || 'a tool', about: about || known?.about || '' }
  const calls = call === undefined ? report.calls : [...report.calls.filter((one) => one !== known).slice(1 - OPEN_CALLS), { call, ...denied, denied: true }]
  return { ...report, calls, denied: [...report.denied, denied] }
}

/** Upper bounds for one run, so that sums of any number of runs stay exact. */
const [MOST_TOKENS, MOST_DOLLARS] = [1e12, 1e6]

const whole = (tokens: number): number => Math.min(MOST_TOKENS, Math.max(0, Math.round(tokens)))

/** A wrong count, such as -1 or 1.5, would prevent the end of the run from being recorded. */
const countable = ({ tokensIn, tokensOut, tokensCached, costUsd, ...usage }: Usage): Usage => ({
  ...usage,
  tokensIn: whole(tokensIn),
  tokensOut: whole(tokensOut),
  tokensCached: whole(tokensCached),
  costUsd: costUsd === null || !Number.isFinite(costUsd) ? null : Math.min(MOST_DOLLARS, Math.max(0, costUsd)),
})

const withUsage = (report: Report, usage: Usage): Report => {
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
      : { ...report, tokensIn, tokensOut, tokensCached, costUsd, counted: [], cumulative: of === 'session' }
}

/** The whole run is reported at its end; until then the counts of its messages are summed. */
const withMessage = (report: Report, { message = '', tokensIn, tokensOut, tokensCached }: Usage): Report => {
  const before = report.counted.find((one) => one.message === message) ?? { tokensIn: 0, tokensOut: 0, tokensCached: 0 }
  return {
    ...report,
    tokensIn: whole(report.tokensIn - before.tokensIn + tokensIn),
    tokensOut: whole(report.tokensOut - before.tokensOut + tokensOut),
    tokensCached: whole(report.tokensCached - before.tokensCached + tokensCached),
    counted: [...report.counted.filter((one) => one !== before).slice(1 - OPEN_MESSAGES), { message, tokensIn, tokensOut, tokensCached }],
  }
}

/** Of several models the one counts that the CLI named at its start. */
const withContext = (report: Report, { tokens, window, model }: Extract<Reading, { kind: 'context' }>): Report =>
  model === undefined || report.model === null || model === report.model
    ? { ...report, context: tokens === null ? report.context : whole(tokens), window: window === null ? report.window : whole(window) || report.window }
    : report

/**
 * Tokens and cost of this run only. `earlier` is the usage of earlier runs in the same session, which is subtracted if
 * the CLI counts a whole session. A lower count means that the CLI began a new one.
 */
export const usageOf = (
  { cumulative, tokensIn, tokensOut, tokensCached, costUsd }: Report,
  earlier: { readonly tokensIn: number; readonly tokensOut: number; readonly tokensCached: number; readonly costUsd: number },
): { readonly tokensIn: number; readonly tokensOut: number; readonly tokensCached: number; readonly costUsd: number | null } => {
  if (!cumulative || tokensIn < earlier.tokensIn || tokensOut < earlier.tokensOut) return { tokensIn, tokensOut, tokensCached, costUsd }
  return {
    tokensIn: tokensIn - earlier.tokensIn,
    tokensOut: tokensOut - earlier.tokensOut,
    tokensCached: Math.max(0, tokensCached - earlier.tokensCached),
    costUsd: costUsd === null ? null : Math.max(0, costUsd - earlier.costUsd),
  }
}
