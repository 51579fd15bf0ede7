import { expect, test } from 'vitest'
import { budgetWords, costWords, noLimits, noUsage, usageOfRun, usedWords } from '../../../src/domain/budget/budget.ts'

const used = { ...noUsage, tokensIn: 12_000, tokensOut: 900, costUsd: 0.42 }

test('the usage is shown with its price, or with a note that the price is unknown', () => {
  expect(usedWords(used)).toBe('12k in 900 out, $0.42')
  expect(usedWords({ ...used, tokensCached: 8000 })).toBe('12k in 900 out, 8k of input cached, $0.42')
  expect(usedWords({ ...used, costUsd: null, tokensUnpriced: 12_900 })).toBe('12k in 900 out, no price reported')
  expect(usedWords({ ...used, tokensUnpriced: 3000 })).toBe('12k in 900 out, $0.42 without the price of 3k tokens')
  expect(usedWords(noUsage)).toBe('')
  expect(usedWords(usageOfRun({ tokensIn: 10, tokensOut: null, costUsd: null }))).toBe('10 in 0 out, no price reported')
})

test('the remaining budget shows which tokens are missing from the sum of dollars', () => {
  const limits = { costUsd: 2.5, tokens: 50_000 }
  expect(budgetWords(limits, used)).toBe('$0.42 of $2.50 and 13k of 50k tokens')
  expect(budgetWords(limits, { ...used, tokensUnpriced: 3000 })).toBe(
    '$0.42 of $2.50, without the price of 3k tokens, and 13k of 50k tokens',
  )
  expect(budgetWords({ ...limits, tokens: null }, { ...used, tokensUnpriced: 3000 })).toBe(
    '$0.42 of $2.50, without the price of 3k tokens',
  )
})

test('the short usage is the cost, a plus if a price is missing, and tokens if they have a limit or are the only figure', () => {
  expect(costWords(noLimits, noUsage)).toBe('')
  expect(costWords(noLimits, used)).toBe('$0.42')
  expect(costWords({ costUsd: 5, tokens: null }, { ...used, tokensUnpriced: 1 })).toBe('$0.42+/5.00')
  expect(costWords({ costUsd: null, tokens: 50_000 }, used)).toBe('$0.42 13k/50k tokens')
  expect(costWords(noLimits, { ...used, costUsd: null, tokensUnpriced: 12_900 })).toBe('13k tokens')
  expect(costWords({ costUsd: null, tokens: 50_000 }, noUsage)).toBe('0/50k tokens')
})
