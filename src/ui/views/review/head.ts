import type { Line } from '../../../../components/Lines.tsx'
import { integrationLooks, riskLooks } from '../../../../components/base/look.ts'
import type { ColourName } from '../../../../components/base/theme.ts'
import type { Review } from '../../../contracts/review.ts'
import { passingWords } from '../../../domain/integration/branch-history.ts'
import { riskCounts } from '../../../domain/integration/risk.ts'
import { unconfinedFacts } from '../../../domain/sandbox/unconfined.ts'
import type { Finding } from '../../../domain/task/claim-findings.ts'
import { ours } from '../../../domain/words/safe-text.ts'
import { clockTime, duration, elapsed } from '../../../domain/words/time.ts'
import { findingsOf, totalsOf } from '../../../operations/integration/review.ts'
import type { IntegrationView, WorktreeView } from '../../../operations/views/worktrees.ts'
import { commonText } from '../../../text/common.ts'
import { commentText, knownText, reviewText, verifiedHeading } from '../../../text/integration.ts'
import { stoppedWith } from '../../actions/cancel.ts'
import type { ViewedFiles } from '../../core/console-memory.ts'
import type { ConsoleState } from '../../core/state.ts'
import { keyed } from '../../keys/bindings.ts'
import { fact, heading, paragraph, verbatim, widthIn } from '../../rows/lines.ts'
import { radarWarnings, withTargetTests } from '../../rows/worktrees.ts'
import { type HeadLine, nameOf, pieces, reasonLines } from './document.ts'
import { fileTree } from './file-tree.ts'
import { errorLook, firstError } from './output.ts'
import { type Comment, type LoadedReview, viewedIn, viewedLine } from './state.ts'

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
    ...(review ? passing(review, width) : []),
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
  const checked = [...review.files, ...review.history.files]
  const risky = new Set(checked.filter(({ risks }) => risks.length > 0).map(({ path }) => path)).size
  const counts = riskCounts(checked).map(({ kind, files: n }) => `${n} ${riskLooks[kind].word}`)
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

/** The most files that only commits in between have; the others are counted. */
const PASSING = 20

/** The content of the commits that the diff does not show, and the part of them that was not read. */
const passing = ({ history: { files, unread } }: Review, width: number): readonly Line[] => [
  ...unread.flatMap((sentence) =>
    verbatim(`⚠ ${sentence}`, width).map((line): Line => ({ ...line, theirs: false, colour: 'yellow' })),
  ),
  ...(files.length === 0 ? [] : heading(reviewText.passing(files.length), 'red')),
  ...files
    .slice(0, PASSING)
    .flatMap((file) => [
      ...pieces(`${nameOf(file.path)}, ${passingWords(file)}`, width).map((text): Line => ({ text, bold: true })),
      ...reasonLines(file, width),
    ]),
  ...(files.length > PASSING ? [{ text: ours(commonText.more(files.length - PASSING)), dim: true }] : []),
]

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

// The known facts about the work, other than its lines.

/** The result of the target's verification command on the merge. */
const verified = (
  state: Pick<ConsoleState, 'preferences' | 'table'>,
  integration: IntegrationView | null,
  width: number,
): readonly Line[] => {
  const verification = integration?.verification
  if (verification === null || verification === undefined)
    return integration?.status === 'ready'
      ? [...heading(knownText.notVerified, 'yellow'), { text: ours(knownText.noCommand) }]
      : []
  const passed = verification.exitCode === 0
  return [
    ...heading(verifiedHeading(passed), passed ? 'green' : 'red'),
    ...fact(knownText.command, nameOf(verification.command)),
    ...fact(
      knownText.exitCode,
      keyed(
        state,
        knownText.ended(
          verification.exitCode,
          clockTime(verification.startedAt),
          duration(elapsed(verification.startedAt, verification.endedAt)),
        ),
      ),
    ),
    ...(passed ? tailLines(verification.tail, width) : errorLines(verification.tail, width)),
    ...(verification.targetTests?.exitCode === 0 ? withTargetTests(verification.targetTests, width) : []),
  ]
}

const tailLines = (tail: string, width: number): readonly Line[] =>
  tail.trim() === ''
    ? []
    : verbatim(tail.trimEnd().split('\n').slice(-3).join('\n'), width).map((line) => ({ ...line, dim: true }))

/** Lines of a failed verification's output that are shown, and those before its first error. */
const [SHOWN, BEFORE] = [15, 2]

const errorLines = (tail: string, width: number): readonly Line[] => {
  if (tail.trim() === '') return []
  const lines = tail.trimEnd().split('\n')
  const error = firstError(lines)
  const first = error === -1 ? Math.max(0, lines.length - SHOWN) : Math.max(0, error - BEFORE)
  return lines
    .slice(first, first + SHOWN)
    .flatMap((line, n) =>
      verbatim(line, width).map((one): Line => (first + n === error ? { ...one, ...errorLook } : one)),
    )
}

const claimLooks = new Map<boolean | null, { readonly mark: string; readonly colour: ColourName }>([
  [false, { mark: '✗', colour: 'red' }],
  [null, { mark: '?', colour: 'yellow' }],
  [true, { mark: '✓', colour: 'green' }],
])

/** The most findings of a kind that are listed; the rest is counted. */
const FINDINGS = 12

/** Agents' claims compared with the facts. */
const said = (findings: readonly Finding[], width: number): readonly Line[] => {
  if (findings.length === 0) return []
  const shown = [false, null, true].flatMap((agrees) =>
    findings.filter((one) => one.agrees === agrees).slice(0, FINDINGS),
  )
  return [
    ...heading(knownText.saidAndFound, findings.some(({ agrees }) => agrees === false) ? 'red' : 'cyan'),
    ...shown.flatMap(({ taskId, says, fact: found, agrees }): Line[] => {
      const { mark, colour } = claimLooks.get(agrees)!
      return [
        ...verbatim(`${mark} ${knownText.claim(taskId, says)}`, width).map((line) => ({
          ...line,
          theirs: false,
          colour,
        })),
        ...verbatim(found, width - 4).map(({ text }) => ({ text: ours(`    ${text}`) })),
      ]
    }),
    ...(shown.length < findings.length
      ? [{ text: ours(commonText.more(findings.length - shown.length)), dim: true }]
      : []),
  ]
}

const COMMITS = 50

/** The commits that would be merged, and the changes that would not, or are not in the diff. */
const listed = (review: Review, width: number): readonly Line[] => {
  const { commits } = review
  const absent = absentPaths(review)
  const words = review.isPresent ? reviewText.notInDiff : reviewText.uncommitted
  return [
    ...heading(reviewText.commitList(commits.length)),
    ...commits
      .slice(0, COMMITS)
      .flatMap((commit) =>
        pieces(`${commit.oid.slice(0, 8)} ${commit.subject}  (${commit.author})`, width).map((text) => ({ text })),
      ),
    ...(commits.length > COMMITS ? [{ text: ours(commonText.more(commits.length - COMMITS)), dim: true }] : []),
    ...(absent.length > 0
      ? [
          ...heading(words(absent.length), 'yellow'),
          ...absent.slice(0, COMMITS).flatMap((path) => pieces(nameOf(path), width).map((text) => ({ text }))),
        ]
      : []),
  ]
}

/** Uncommitted paths that the diff does not contain. */
const absentPaths = ({ isPresent, files, uncommitted }: Review): readonly string[] => {
  if (!isPresent) return uncommitted
  const contained = new Set(files.flatMap(({ path, from }) => [path, from ?? path]))
  return uncommitted.filter((path) => !contained.has(path))
}
