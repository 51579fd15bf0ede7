import { bytes } from '../../domain/words/counts.ts'
import { unconfinedFacts } from '../../domain/sandbox/unconfined.ts'
import { spelledOut } from '../../domain/words/safe-text.ts'
import { elapsed } from '../../domain/words/time.ts'
import { targetTestsWords } from '../../domain/integration/test-files.ts'
import { riskCounts } from '../../domain/integration/risk.ts'
import { findingsOf, totalsOf } from '../../operations/integration/review.ts'
import type { Review, ReviewFile } from '../../contracts/review.ts'
import type { IntegrationView } from '../../operations/views/views.ts'
import { blocks, counted, section } from './columns.ts'

// A review as text: the totals first, then the files, the riskiest first, then the facts about the work.

/** The review without the diff. */
export const reviewText = (review: Review, integration: IntegrationView | null): string =>
  blocks([
    totalsText(review),
    unconfinedFacts(review.unconfined, integration?.verification?.unconfined)
      .map((fact) => `⚠ ${nameOf(fact)}`)
      .join('\n'),
    targetTestsText(integration),
    section('Conflicts', (integration?.conflicts ?? []).map(nameOf)),
    section(counted(review.files.length, 'file'), review.files.flatMap(fileLines)),
    verificationText(integration),
    section(
      'Claims and findings',
      findingsOf(review, integration).flatMap(({ taskId, says, fact, agrees }) => [
        `${agrees === false ? '✗' : agrees ? '✓' : '?'} task ${taskId}: ${nameOf(says)}`,
        `    ${nameOf(fact)}`,
      ]),
    ),
    section(
      counted(review.commits.length, 'commit'),
      review.commits.map((commit) => `${commit.oid.slice(0, 9)}  ${nameOf(`${commit.subject} (${commit.author})`)}`),
    ),
    section('Uncommitted, not part of the merge', review.uncommitted.map(nameOf)),
  ])

/** A review for `--json`; the diff is one text. */
export const reviewJson = (review: Review, integration: IntegrationView | null, diff: string, cut: boolean) => ({
  name: review.worktree,
  target: review.target,
  candidate: review.candidate,
  from: review.from,
  to: review.to,
  totals: { ...totalsOf(review), commits: review.commits.length },
  commits: review.commits,
  files: review.files.map(({ diff: _, ...file }) => file),
  uncommitted: review.uncommitted,
  verification: integration?.verification ?? null,
  claims: findingsOf(review, integration),
  unconfined: review.unconfined,
  diff,
  cut,
})

const totalsText = (review: Review): string => {
  const { files, added, removed } = totalsOf(review)
  if (files === 0) return review.commits.length === 0 ? 'There are no commits to merge.' : 'The merge changes no file.'
  const risks = riskCounts(review.files).map(({ kind, files: n }) => `${n} ${kind}`)
  return [
    `${counted(files, 'file')}, +${added} −${removed}, ${counted(review.commits.length, 'commit')}, from ${review.from.slice(0, 9)} to ${review.to.slice(0, 9)}`,
    ...(risks.length === 0 ? [] : [`To check: ${risks.join(', ')}`]),
  ].join('\n')
}

const fileLines = (file: ReviewFile): readonly string[] => [
  `${sizeOf(file)}  ${nameOf(file.path)}${file.from === null ? '' : ` (from ${nameOf(file.from)})`}`,
  ...file.risks.map(({ kind, reason }) => `               ${kind}: ${spelledOut(reason).join(' ')}`),
]

const sizeOf = ({ added, removed, content, size }: ReviewFile): string =>
  added === null
    ? `${content === 'unread' ? 'large' : 'binary'} ${bytes(size)}`.padStart(13)
    : `${`+${added}`.padStart(6)} ${`−${removed}`.padStart(6)}`

const verificationText = (integration: IntegrationView | null): string => {
  const verification = integration?.verification
  if (!verification)
    return integration?.status === 'ready'
      ? section('Verification', ['no command is configured (integration.verify)'])
      : ''
  const seconds = Math.round(elapsed(verification.startedAt, verification.endedAt) / 1000)
  return section(
    `Verification: ${nameOf(verification.command)}: exit ${verification.exitCode ?? 'by a signal'}, took ${seconds} s`,
    verification.tail.trimEnd() === '' ? [] : spelledOut(verification.tail.trimEnd()).slice(-15),
  )
}

/** The fact about the target's versions of changed tests, if there is one. */
const targetTestsText = (integration: IntegrationView | null): string => {
  const tests = integration?.verification?.targetTests
  return tests ? `${tests.exitCode === 0 ? '✓' : '⚠'} ${nameOf(targetTestsWords(tests))}` : ''
}

/** A complete name or sentence, with special characters spelt out. */
const nameOf = (path: string): string => spelledOut(path).join('⟨000A⟩')
