import { z } from 'zod'
import type { UsageColumns } from '../../db/schema/columns.ts'
import { cents, noUsage, type Usage } from '../../domain/budget/budget.ts'
import { lazyObject } from '../perform/schemas.ts'

export const usageView = lazyObject(() => ({
  tokensIn: z.int(),
  tokensOut: z.int(),
  tokensCached: z.int(),
  tokensUnpriced: z.int(),
  costUsd: z.number().nullable(),
}))

export const viewUsage = (row: UsageColumns | undefined): Usage =>
  row === undefined
    ? noUsage
    : {
        tokensIn: row.tokens_in,
        tokensOut: row.tokens_out,
        tokensCached: row.tokens_cached,
        tokensUnpriced: row.tokens_unpriced,
        costUsd: row.cost_usd === null ? null : cents(row.cost_usd),
      }
