import type { Instant } from '../../domain/words/time.ts'

// The tables that migrations/012_Costs.sql, 014_Prices.sql and 017_UsageSteps.sql add.

export interface CostTables {
  run_sessions: { agent_id: string; run: number; session_id: string }
  usage_totals: Omit<UsageColumns, 'tokens_unpriced'> & { scope: UsageScope; subject: string }
  usage_steps: TokenColumns & { agent_id: string; run: number; at: number }
  unpriced_totals: { scope: UsageScope; subject: string; tokens: number }
  task_budgets: BudgetColumns & { task_id: number }
  session_budgets: BudgetColumns & { session_id: string }
  run_pauses: { agent_id: string; run: number; paused_at: Instant }
  /** Since migrations/065_AccountSleeps.sql for each account: the id of a host, or a name that several hosts share. */
  kind_sleeps: { kind: string; account: string; until: Instant; since: Instant; agent_id: string; why: string }
}

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
