import { clockMinute, type Instant } from '../words/time.ts'

/** Cost limits; null means no limit. Tokens are input plus output. */
export interface Limits {
  readonly costUsd: number | null
  readonly tokens: number | null
}

/** The budgets of the configuration. */
export interface BudgetSettings {
  readonly task: {
    /** Dollars that all attempts of a task may cost. */
    readonly costUsd: number | null
    /** Tokens, in and out, that all attempts of a task may use. */
    readonly tokens: number | null
  }
  readonly session: {
    /** Dollars that a session may cost. */
    readonly costUsd: number | null
    /** Tokens, in and out, that a session may use. */
    readonly tokens: number | null
  }
}

export const noLimits: Limits = { costUsd: null, tokens: null }

/**
 * The usage; the cost is null if no agent reports it. Cached tokens are the part of the input that was read from a
 * cache; unpriced tokens are part of no cost, because no CLI has reported their price.
 */
export interface Usage {
  readonly tokensIn: number
  readonly tokensOut: number
  readonly tokensCached: number
  readonly tokensUnpriced: number
  readonly costUsd: number | null
}

export const noUsage: Usage = { tokensIn: 0, tokensOut: 0, tokensCached: 0, tokensUnpriced: 0, costUsd: null }

export const sumOfUsage = (usages: readonly Usage[]): Usage =>
  usages.reduce(
    (sum, one) => ({
      tokensIn: sum.tokensIn + one.tokensIn,
      tokensOut: sum.tokensOut + one.tokensOut,
      tokensCached: sum.tokensCached + one.tokensCached,
      tokensUnpriced: sum.tokensUnpriced + one.tokensUnpriced,
      costUsd: sum.costUsd === null && one.costUsd === null ? null : cents((sum.costUsd ?? 0) + (one.costUsd ?? 0)),
    }),
    noUsage,
  )

/** A budget with its original limits, by which it is raised. */
export interface Budget extends Limits {
  readonly step: Limits
}

export const budgetOf = (limits: Limits): Budget => ({ ...limits, step: limits })

/** True if one of the limits is exceeded; exactly the limit is allowed. */
export const isPassed = ({ costUsd, tokens }: Limits, used: Usage): boolean =>
  passesCost(costUsd, used) || passesTokens(tokens, used)

const passesCost = (limit: number | null, { costUsd }: Usage): boolean => limit !== null && (costUsd ?? 0) > limit
const passesTokens = (limit: number | null, used: Usage): boolean => limit !== null && tokensOf(used) > limit

const tokensOf = ({ tokensIn, tokensOut }: Usage): number => tokensIn + tokensOut

/** Raises the exceeded limits by their original amounts, as often as necessary to exceed the usage; the others stay. */
export const raised = (budget: Budget, used: Usage): Budget => {
  const { costUsd, tokens, step } = budget
  const neither = !isPassed(budget, used)
  return {
    costUsd:
      costUsd !== null && (neither || passesCost(costUsd, used))
        ? cents(above(costUsd, step.costUsd ?? costUsd, used.costUsd ?? 0))
        : costUsd,
    tokens:
      tokens !== null && (neither || passesTokens(tokens, used))
        ? above(tokens, step.tokens ?? tokens, tokensOf(used))
        : tokens,
    step,
  }
}

const above = (limit: number, step: number, used: number): number =>
  limit + step * Math.max(1, Math.ceil((used - limit) / step))

/** Rounds dollars to millionths, which removes the errors of binary fractions. */
export const cents = (dollars: number): number => Math.round(dollars * 1e6) / 1e6

export const dollars = (sum: number): string => `$${sum < 0.01 && sum > 0 ? sum.toFixed(4) : sum.toFixed(2)}`

/** `950`, `12k`, `3.4M` */
export const tokenWords = (tokens: number): string =>
  tokens < 1000
    ? String(tokens)
    : tokens < 999_500
      ? `${Math.round(tokens / 1000)}k`
      : `${(tokens / 1_000_000).toFixed(1)}M`

/** `12k in 3k out, $0.42 without the price of 3k tokens`; empty if nothing was used. */
export const usedWords = (used: Usage): string =>
  [
    ...(tokensOf(used) > 0 ? [`${tokenWords(used.tokensIn)} in ${tokenWords(used.tokensOut)} out`] : []),
    ...(used.tokensCached > 0 ? [`${tokenWords(used.tokensCached)} of input cached`] : []),
    ...priceWords(used),
  ].join(', ')

/** The unknown part of the price is stated, not estimated. */
const priceWords = ({ costUsd, tokensUnpriced }: Usage): readonly string[] => {
  if (costUsd === null) return tokensUnpriced > 0 ? ['no price reported'] : []
  return [
    tokensUnpriced > 0
      ? `${dollars(costUsd)} without the price of ${tokenWords(tokensUnpriced)} tokens`
      : dollars(costUsd),
  ]
}

/** The usage of one run from numbers that may be unknown. */
export const usageOfRun = ({
  tokensIn,
  tokensOut,
  costUsd,
}: {
  readonly tokensIn: number | null
  readonly tokensOut: number | null
  readonly costUsd: number | null
}): Usage => ({
  tokensIn: tokensIn ?? 0,
  tokensOut: tokensOut ?? 0,
  tokensCached: 0,
  tokensUnpriced: costUsd === null ? (tokensIn ?? 0) + (tokensOut ?? 0) : 0,
  costUsd,
})

/** `$3.10 of $2.50 and 12k of 10k tokens`: every limit with its usage, and the tokens without a price. */
export const budgetWords = ({ costUsd, tokens }: Limits, used: Usage): string =>
  [
    ...(costUsd === null
      ? []
      : [
          `${dollars(used.costUsd ?? 0)} of ${dollars(costUsd)}${used.tokensUnpriced > 0 ? `, without the price of ${tokenWords(used.tokensUnpriced)} tokens,` : ''}`,
        ]),
    ...(tokens === null ? [] : [`${tokenWords(tokensOf(used))} of ${tokenWords(tokens)} tokens`]),
  ]
    .join(' and ')
    .replace(/,$/, '')

/** `$2.50 and 10k tokens` */
export const limitWords = ({ costUsd, tokens }: Limits): string =>
  [...(costUsd === null ? [] : [dollars(costUsd)]), ...(tokens === null ? [] : [`${tokenWords(tokens)} tokens`])].join(
    ' and ',
  ) || 'no limit'

/** The wait for the reset of a quota. `host` is named if it is used up there only. */
export interface Sleep {
  readonly kind: string
  readonly until: Instant
  readonly host?: string | undefined
}

/** `asleep until 03:39 (claude's quota on host b)` */
export const sleepWords = ({ kind, until, host }: Sleep, now: Instant): string =>
  `asleep until ${clockMinute(until, now)} (${kind}'s quota${host === undefined ? '' : ` on host ${host}`})`

/**
 * The cost in short: `$3.10/5.00`, `$3.10+` if a price is missing; without a cost, or with a token limit, `12k/50k
 * tokens`. Empty if there is nothing to show.
 */
export const costWords = ({ costUsd, tokens }: Limits, used: Usage): string => {
  const priced = costUsd !== null || used.costUsd !== null
  const price = `${dollars(used.costUsd ?? 0)}${used.tokensUnpriced > 0 ? '+' : ''}${costUsd === null ? '' : `/${dollars(costUsd).slice(1)}`}`
  const counted = tokens !== null || (!priced && tokensOf(used) > 0)
  return [
    ...(priced ? [price] : []),
    ...(counted ? [`${tokenWords(tokensOf(used))}${tokens === null ? '' : `/${tokenWords(tokens)}`} tokens`] : []),
  ].join(' ')
}
