import type { Instant } from '../../domain/words/time.ts'
import { SERVER_NAME } from '../kind/server-config.ts'
import type { Reading, Tokens } from './reading.ts'

// The readings of a run added up: its report, tokens and cost, the use of its context window, and the tools that
// it called.

/** The summary of one run's readings. */
export interface Report {
  readonly session: string | null
  readonly model: string | null
  readonly tokensIn: number
  readonly tokensOut: number
  readonly tokensCached: number
  readonly costUsd: number | null
  /** The latest messages whose tokens were counted, with the counts, so that repeated reports are not counted twice. */
  readonly counted: readonly (Tokens & { readonly message: string })[]
  /** True if the tokens are those of the whole session, with earlier runs. */
  readonly cumulative: boolean
  /** The tokens that a CLI which may count earlier runs had counted before this run; null until a turn has ended. */
  readonly before: Tokens | null
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

export const emptyReport: Report = {
  session: null,
  model: null,
  tokensIn: 0,
  tokensOut: 0,
  tokensCached: 0,
  costUsd: null,
  counted: [],
  cumulative: false,
  before: null,
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

export const addReading = (report: Report, reading: Reading): Report => {
  switch (reading.kind) {
    case 'session':
      return report.session === reading.id ? report : { ...report, session: reading.id }
    case 'model':
      return report.model === reading.name ? report : { ...report, model: reading.name }
    case 'text':
      return {
        ...answered(report),
        said: (reading.continues === true && report.speaking
          ? `${report.said ?? ''}${reading.text}`
          : reading.text
        ).slice(0, LONGEST),
        speaking: true,
      }
    case 'tool':
      return { ...answered(report), ...called(report, reading), speaking: false }
    case 'denied':
      return withDenial(report, reading)
    case 'usage':
      return withUsage(report, countable(reading))
    case 'context':
      return withContext(report, reading)
    case 'limited':
      return {
        ...report,
        limited: { sentence: reading.sentence, resetsAt: reading.resetsAt ?? report.limited?.resetsAt ?? null },
      }
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
const answered = (report: Report): Report =>
  report.limited === null && report.unauthorized === null ? report : { ...report, limited: null, unauthorized: null }

/** Calls whose end may still be reported. */
const OPEN_CALLS = 64

const called = (report: Report, { name, about, call }: Extract<Reading, { kind: 'tool' }>): Partial<Report> => ({
  // A call of the server proves that it runs, whatever was reported before.
  noServer: name.includes(SERVER_NAME) ? null : report.noServer,
  calls:
    call === undefined ? report.calls : [...report.calls.slice(1 - OPEN_CALLS), { call, name, about, denied: false }],
})

/** The most denials that are stored, for an agent that tries the same action forever. */
const MOST_DENIED = 100

/** Some CLIs report a denial twice: when it happens, and in a list at their end. */
const withDenial = (report: Report, { name, about, call }: Extract<Reading, { kind: 'denied' }>): Report => {
  const known = report.calls.find((one) => one.call === call)
  if (known?.denied === true || report.denied.length >= MOST_DENIED) return report
  const denied = { name: name || known?.name || 'a tool', about: about || known?.about || '' }
  const calls =
    call === undefined
      ? report.calls
      : [...report.calls.filter((one) => one !== known).slice(1 - OPEN_CALLS), { call, ...denied, denied: true }]
  return { ...report, calls, denied: [...report.denied, denied] }
}

type Usage = Extract<Reading, { kind: 'usage' }>

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

/** Messages that may still be reported in parts, because subagents run at the same time. */
const OPEN_MESSAGES = 32

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
const withContext = (report: Report, { tokens, window, model }: Extract<Reading, { kind: 'context' }>): Report =>
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

// The context windows of models whose CLI does not report them (tokens), from the tables of Qwen Code 0.15.10 and
// Gemini CLI 0.61.0. The first match counts; a provider's name may precede the model's.
const windows: readonly (readonly [RegExp, number])[] = [
  [/\[1m\]$/, 1_000_000],
  [/^claude/, 200_000],
  [/^(?:opus|sonnet|haiku)\b/, 200_000],
  [/^gemini-/, 1_048_576],
  [/^gpt-5/, 272_000],
  [/^gpt-/, 128_000],
  [/^o\d/, 200_000],
  [/^qwen3-coder-(?:plus|flash)|^qwen3\.\d|^coder-model$/, 1_000_000],
  [/^qwen/, 262_144],
  [/^deepseek-v4/, 1_000_000],
  [/^deepseek/, 131_072],
]

/** Defaults for an unknown model; 200,000 is seed 001's number. */
const ofKinds: Readonly<Record<string, number>> = { codex: 272_000, gemini: 1_048_576, qwen: 131_072 }
const DEFAULT_WINDOW = 200_000

/** The context window of an agent's model (tokens). */
export const windowOf = (kind: string, model: string | null): number => {
  const name = (model ?? '').toLowerCase().replace(/^.*\//, '')
  return windows.find(([pattern]) => pattern.test(name))?.[1] ?? ofKinds[kind] ?? DEFAULT_WINDOW
}

/** A failure of a tool. */
interface Mishap {
  readonly kind: 'tool_failed' | 'denied'
  readonly tool: string
  readonly about: string
}

/** The most calls and failures that are stored, for an agent that repeats itself. */
const MOST_CALLS = 2000
const MOST_MISHAPS = 200

/** Calls whose end may still be reported. */
const OPEN_CALLS_OF_TRAIL = 64

/** The tools that a run has called, in order, and their failures. */
export class Trail {
  readonly tools: string[] = []
  readonly mishaps: Mishap[] = []
  /** The number of calls that are not stored. */
  left = 0
  readonly #names = new Map<string, string>()

  add(reading: Reading): void {
    if (reading.kind === 'tool') this.#called(reading)
    else if (reading.kind === 'tool_failed' || reading.kind === 'denied') this.#wentWrong(reading)
  }

  /** Some CLIs report one call repeatedly while it runs. */
  #called({ name, call }: Extract<Reading, { kind: 'tool' }>): void {
    if (call !== undefined && call !== '') {
      if (this.#names.has(call)) return
      this.#names.set(call, name)
      if (this.#names.size > OPEN_CALLS_OF_TRAIL) this.#names.delete(this.#names.keys().next().value!)
    }
    if (this.tools.length < MOST_CALLS) this.tools.push(name)
    else this.left += 1
  }

  /** Some CLIs report a denial twice: when it happens, and in a list at their end. */
  #wentWrong({ kind, name, about, call }: Extract<Reading, { kind: 'tool_failed' | 'denied' }>): void {
    const tool = name || this.#names.get(call ?? '') || 'a tool'
    const known = this.mishaps.some((one) => one.kind === kind && one.tool === tool && one.about === about)
    if (!known && this.mishaps.length < MOST_MISHAPS) this.mishaps.push({ kind, tool, about })
  }
}
