import { riskCounts } from '../../../../domain/integration/risk.ts'
import { unconfinedFacts } from '../../../../domain/sandbox/unconfined.ts'
import { ours } from '../../../../domain/words/safe-text.ts'
import { findingsOf, totalsOf } from '../../../../operations/integration/review.ts'
import type { Review } from '../../../../contracts/review.ts'
import type { IntegrationView, WorktreeView } from '../../../../operations/views/worktrees.ts'
import type { Line } from '../../../../../components/Lines.tsx'
import { integrationLooks, riskLooks } from '../../../../../components/base/look.ts'
import { fact, heading, paragraph, verbatim, widthIn } from '../../../rows/lines.ts'
import { stoppedWith } from '../../../actions/cancel.ts'
import { keyed } from '../../../keys/bindings.ts'
import { radarWarnings, withTargetTests } from '../../../rows/worktrees.ts'
import type { ConsoleState } from '../../../core/state.ts'
import { nameOf, pieces } from '../file/file-lines.ts'
import { fileTree } from './file-tree.ts'
import { viewedIn, viewedLine } from '../viewed/viewed.ts'
import type { ViewedFiles } from '../../../core/console-memory.ts'
import { listed, said, verified } from './known.ts'
import type { Comment, LoadedReview } from '../state.ts'
import { commentText, reviewText } from '../../../../text/integration.ts'

/** A line before the diff; some lead to a file, or are a comment. */
export interface HeadLine extends Line {
  readonly file?: number
  readonly comment?: number
}

/** The text before the diff: the totals first, then problems, then the files, the riskiest first. */
export const headLines = (
  state: ConsoleState,
  worktree: WorktreeView,
  loaded: LoadedReview | null,
  comments: readonly Comment[],
  isOnlyRead: boolean,
): readonly HeadLine[] => {
  const { integration } = worktree
  const width = widthIn(state)
  const look = integration ? integrationLooks[integration.status] : integrationLooks.requested
  const agents = stoppedWith(state, worktree.name)
  const review = loaded?.review
  const viewed = viewedIn(state, worktree.name)
  const hasFailed = (integration?.verification?.exitCode ?? 0) !== 0
  const { targetOid, branchOid, mergeOid } = integration ?? {}
  return [
    ...(isOnlyRead && !integration
      ? []
      : [{ text: ours(`${look.mark} ${look.word}`), colour: look.colour, bold: true }]),
    ...(hasFailed ? verified(state, integration, width) : []),
    ...(review ? totals(review, integration, viewed, width) : [{ text: ours(reviewText.diffIsBeingRead), dim: true }]),
    ...(review ? scope(review, nameOf(worktree.branchName), width) : []),
    ...(review ? unconfined(review, integration, width) : []),
    ...(integration?.verification?.targetTests?.exitCode === 0
      ? []
      : withTargetTests(integration?.verification?.targetTests, width)),
    // With conflicts there is no merge of the two.
    ...(targetOid && branchOid && mergeOid && !review?.isPresent
      ? fact(reviewText.commits, reviewText.merge(short(targetOid), short(branchOid), short(mergeOid)))
      : []),
    ...fact(reviewText.requestedBy, integration?.requestedBy ?? null),
    ...(isOnlyRead ? [] : fact(reviewText.stops, agents.length > 0 ? agents.join(', ') : reviewText.noAgent)),
    ...(integration?.problem ? [...heading(reviewText.problem, 'red'), ...verbatim(integration.problem, width)] : []),
    ...(integration && integration.conflicts.length > 0
      ? [
          ...heading(reviewText.conflicts, 'red'),
          ...integration.conflicts.flatMap((path) => pieces(nameOf(path), width).map((text) => ({ text }))),
        ]
      : []),
    ...warned(radarWarnings(state, worktree.name), width),
    ...commentList(state, comments, review, width),
    ...(review ? fileTree(review, viewed, width) : []),
    ...(hasFailed ? [] : verified(state, integration, width)),
    ...(review ? said(findingsOf(review, integration), width) : []),
    ...(review ? listed(review, width) : []),
    ...(review ? heading(reviewText.diff) : []),
    ...(review?.files.length === 0 ? [{ text: ours(reviewText.nothingDiffers), dim: true }] : []),
  ]
}

const warned = (warnings: readonly string[], width: number): readonly Line[] =>
  warnings.length === 0
    ? []
    : [
        ...heading(reviewText.radar, 'yellow'),
        ...warnings.flatMap((warning) => verbatim(`⚠ ${warning}`, width).map((line) => ({ ...line, theirs: false }))),
      ]

const totals = (
  review: Review,
  integration: IntegrationView | null,
  viewed: ViewedFiles,
  width: number,
): readonly Line[] => {
  const wrong = findingsOf(review, integration).filter(({ agrees }) => agrees === false)
  const read = viewedLine(viewed, review)
  const { files, added, removed } = totalsOf(review)
  const unseen = review.files.filter(({ content }) => content !== 'text').length
  const risky = review.files.filter(({ risks }) => risks.length > 0).length
  const counts = riskCounts(review.files).map(({ kind, files: n }) => `${n} ${riskLooks[kind].word}`)
  return [
    { text: ours(reviewText.totals(files, added, removed, review.commits.length, unseen)), bold: true },
    ...(wrong.length === 0
      ? []
      : verbatim(`✗ ${reviewText.contradicted(wrong.length, wrong[0]!)}`, width).map((line): Line => ({
          ...line,
          theirs: false,
          colour: 'red',
        }))),
    ...(read === undefined ? [] : [{ text: ours(read) }]),
    ...(risky === 0
      ? files === 0
        ? []
        : wrong.length > 0
          ? []
          : [{ text: ours(reviewText.nothingStandsOut), dim: true }]
      : paragraph(reviewText.worthALook(risky, counts), width).map((line): Line => ({ ...line, colour: 'yellow' }))),
  ]
}

/** The two sides of the diff, if they are not those of a merge. */
const scope = (
  { isPresent, candidate, remark, target, files }: Review,
  branch: string,
  width: number,
): readonly Line[] => {
  const sides = isPresent ? reviewText.isPresent : reviewText.noMergeYet
  const uncommitted = files.filter((file) => file.isUncommitted).length
  return [
    ...(uncommitted > 0 ? [{ text: ours(reviewText.notCommitted(uncommitted)), colour: 'yellow' } as const] : []),
    ...(remark === null ? [] : paragraph(`⚠ ${remark}`, width).map((line): Line => ({ ...line, colour: 'yellow' }))),
    ...(candidate === null
      ? paragraph(sides(branch, nameOf(target)), width).map((line): Line => ({ ...line, dim: true }))
      : []),
  ]
}

const unconfined = (review: Review, integration: IntegrationView | null, width: number): readonly Line[] =>
  unconfinedFacts(review.unconfined, integration?.verification?.unconfined).flatMap((sentence) =>
    verbatim(`⚠ ${sentence}`, width).map((line): Line => ({ ...line, theirs: false, colour: 'yellow' })),
  )

const commentList = (
  state: ConsoleState,
  comments: readonly Comment[],
  review: Review | undefined,
  width: number,
): readonly HeadLine[] => {
  if (comments.length === 0) return []
  return [
    ...heading(keyed(state, commentText.list(comments.length)), 'yellow'),
    ...comments.flatMap((comment) => {
      const old = review !== undefined && comment.to !== review.to ? ` ${commentText.onEarlierMerge}` : ''
      return pieces(
        `✎ ${nameOf(comment.path)}${comment.line === null ? '' : `:${comment.line}`}${old}  ${comment.text}`,
        width,
      ).map((text) => ({ text, comment: comment.id }))
    }),
  ]
}

const short = (oid: string): string => oid.slice(0, 8)
