import type { Finding } from '../../../../domain/task/claim-findings.ts'
import { ours } from '../../../../domain/words/safe-text.ts'
import { clockTime, duration, elapsed } from '../../../../domain/words/time.ts'
import type { Review } from '../../../../contracts/review.ts'
import type { IntegrationView } from '../../../../operations/views/worktrees.ts'
import type { Line } from '../../../../../components/Lines.tsx'
import type { ColourName } from '../../../../../components/base/theme.ts'
import { fact, heading, verbatim } from '../../../rows/lines.ts'
import { withTargetTests } from '../../../rows/worktrees.ts'
import { errorLook, firstError } from './first-error.ts'
import { keyed } from '../../../keys/bindings.ts'
import type { ConsoleState } from '../../../core/state.ts'
import { nameOf, pieces } from '../file/file-lines.ts'
import { commonText } from '../../../../text/common.ts'
import { knownText, reviewText, verifiedHeading } from '../../../../text/integration.ts'

// The known facts about the work, other than its lines.

/** The result of the target's verification command on the merge. */
export const verified = (
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
export const said = (findings: readonly Finding[], width: number): readonly Line[] => {
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
export const listed = (review: Review, width: number): readonly Line[] => {
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
