import { dollars, tokenWords } from '../../domain/budget/budget.ts'
import type { Finding } from '../../domain/task/claim-findings.ts'
import { someOf } from '../../domain/words/counts.ts'
import { duration } from '../../domain/words/time.ts'
import { findingsOf, totalsOf } from '../integration/review.ts'
import type { Connection } from '../perform/core.ts'
import type { RacerView, RaceView } from './race.ts'

/** The facts of git and of the review about the present content of a racer's worktree. */
interface RacerDiff {
  readonly files: number
  readonly added: number
  readonly removed: number
  readonly uncommitted: number
  /** The claims of its agent, compared with the facts. */
  readonly findings: readonly Finding[]
}

export type RacerFacts = RacerView & {
  /** Null if the worktree has no folder now. */
  readonly diff: RacerDiff | null
}

export type RaceFacts = Omit<RaceView, 'racers'> & { readonly racers: readonly RacerFacts[] }

/** The race with the facts outside of the database. */
export const readRaceFacts = async (
  { outside }: Pick<Connection, 'outside'>,
  { racers, ...race }: RaceView,
): Promise<RaceFacts> => ({
  ...race,
  racers: await Promise.all(racers.map(async (racer) => ({ ...racer, diff: await diffOf(outside, racer) }))),
})

const diffOf = async (outside: Connection['outside'], { worktree }: RacerView): Promise<RacerDiff | null> => {
  if (worktree.status !== 'active' || worktree.folder !== 'ready') return null
  // Its folder may be removed meanwhile, or lie on another host.
  const review = await outside.presentWorktree(worktree.name).catch(() => null)
  return (
    review && {
      ...totalsOf(review),
      uncommitted: review.uncommitted.length,
      findings: findingsOf(review, worktree.integration),
    }
  )
}

/** The worktrees of racers that have completed the task with commits and have no merge yet. */
export const unverifiedRacers = ({ racers }: { readonly racers: readonly RacerView[] }): readonly string[] =>
  racers
    .filter(
      ({ status, commits, worktree: { status: state, integration } }) =>
        status === 'completed' &&
        commits > 0 &&
        state === 'active' &&
        (integration === null || integration.endedAt !== null),
    )
    .map(({ worktree }) => worktree.name)

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
