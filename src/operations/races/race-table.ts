import { dollars, tokenWords } from '../../domain/budget/budget.ts'
import { someOf } from '../../domain/words/counts.ts'
import { duration } from '../../domain/words/time.ts'
import type { RacerFacts } from './race-facts.ts'
import type { RacerView } from './race-view.ts'

// The racers side by side: facts only, never a judgement.

/** `claude`, `claude opus` */
export const racerName = ({ kind, model }: Pick<RacerView, 'kind' | 'model'>): string =>
  model === null ? kind : `${kind} ${model}`

interface FactRow {
  readonly label: string
  readonly cell: (racer: RacerFacts) => string
}

const NONE = '–'

export const factRows: readonly FactRow[] = [
  { label: 'state', cell: (racer) => stateOf(racer) },
  { label: 'verification', cell: (racer) => verificationOf(racer) },
  { label: 'criteria met', cell: ({ criteria: { met, total } }) => (total === 0 ? NONE : `${met} of ${total}`) },
  { label: 'claims', cell: ({ diff }) => claimsOf(diff) },
  { label: 'diff', cell: ({ diff }) => (diff === null ? NONE : `+${diff.added} −${diff.removed}`) },
  { label: 'files', cell: ({ diff }) => (diff === null ? NONE : String(diff.files)) },
  { label: 'commits', cell: ({ commits }) => String(commits) },
  { label: 'uncommitted', cell: ({ diff }) => (diff === null ? NONE : String(diff.uncommitted)) },
  { label: 'time', cell: ({ worked, attempts }) => (attempts === 0 ? NONE : duration(worked)) },
  { label: 'attempts', cell: ({ attempts }) => String(attempts) },
  {
    label: 'tokens',
    cell: ({ usage: { tokensIn, tokensOut } }) =>
      tokensIn + tokensOut === 0 ? NONE : `${tokenWords(tokensIn)} in ${tokenWords(tokensOut)} out`,
  },
  { label: 'cost', cell: ({ usage: { costUsd } }) => (costUsd === null ? NONE : dollars(costUsd)) },
  { label: 'conflicts', cell: ({ conflicts }) => (conflicts.length === 0 ? 'none' : someOf(conflicts, 3)) },
  { label: 'agent', cell: ({ agentId }) => agentId ?? NONE },
  { label: 'worktree', cell: ({ worktree }) => worktree.name },
]

const stateOf = ({ picked, status, worktree }: RacerFacts): string => {
  if (picked) return 'picked'
  const state = status === 'in_progress' ? 'in progress' : status
  return worktree.status === 'discarded' ? `${state}, archived` : state
}

/** The verification of its merge with the target. */
const verificationOf = ({ worktree: { integration } }: RacerFacts): string => {
  if (integration === null) return 'not run'
  const { status, target, verification, endedAt } = integration
  if (status === 'requested' || status === 'verifying') return 'running'
  if (status === 'conflicted') return `conflict with ${target}`
  if (verification === null) return endedAt === null ? 'none configured' : 'not run'
  return verification.exitCode === 0 ? 'passed' : `failed, exit code ${verification.exitCode ?? 'unknown'}`
}

const claimsOf = (diff: RacerFacts['diff']): string => {
  if (diff === null || diff.findings.length === 0) return NONE
  const contradicted = diff.findings.filter(({ agrees }) => agrees === false).length
  return contradicted === 0 ? 'none contradicted' : `${contradicted} contradicted`
}
