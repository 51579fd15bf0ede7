import type { Instant } from '../../domain/words/time.ts'

// Columns that several tables and results share.

/** JSON kept as text: parsed where it is shown, never inside a statement. */
export type Json = string

export type UsageScope = 'agent' | 'task' | 'session'

export interface TokenColumns {
  tokens_in: number
  tokens_out: number
  tokens_cached: number
}

export interface UsageColumns extends TokenColumns {
  cost_usd: number | null
  /** Tokens of runs without a price. */
  tokens_unpriced: number
}

export interface BudgetColumns {
  cost_usd: number | null
  tokens: number | null
  step_cost_usd: number | null
  step_tokens: number | null
  asked_at: Instant | null
}
