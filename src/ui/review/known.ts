import type { Finding } from '../../domain/claims.ts'
import { ours } from '../../domain/safe-text.ts'
import { clockTime, duration, elapsed } from '../../domain/time.ts'
import type { Review } from '../../operations/kernel/review.ts'
import type { IntegrationView } from '../../operations/kernel/views.ts'
import type { Line } from '../../../components/Lines.tsx'
import type { ColourName } from '../../../components/theme.ts'
import { fact, heading, verbatim } from '../detail-lines.ts'
import { keyed } from '../key-names.ts'
import type { ConsoleState } from '../state.ts'
import { nameOf, pieces } from './file-lines.ts'
import { commonText } from '../../text/common.ts'
import { knownText, reviewText, verifiedHeading } from '../../text/review.ts'

// What is known of the work besides its lines.

/** How the merge did under the command of its target. */
export const verified = (state: Pick<ConsoleState, 'comfort'>, integration: IntegrationView | null, width: number): readonly Line[] => {
  const verification = integration?.verification
  if (verification === null || verification === undefined)
    return integration?.status === 'ready' ? [...heading(knownText.notVerified, 'yellow'), { text: ours(knownText.noCommand) }] : []
  const passed = verification.exitCode === 0
  return [
    ...heading(verifiedHeading(passed), passed ? 'green' : 'red'),
    ...fact(knownText.command, nameOf(verification.command)),
    ...fact(
      knownText.exitCode,
      keyed(state, knownText.ended(verification.exitCode, clockTime(verification.startedAt), duration(elapsed(verification.startedAt, verification.endedAt)))),
    ),
    ...(verification.tail.trim() === '' ? [] : verbatim(tailOf(verification.tail, passed ? 3 : 15), width).map((line) => ({ ...line, dim: true }))),
  ]
}

const tailOf = (tail: string, lines: number): string => tail.trimEnd().split('\n').slice(-lines).join('\n')

const claimLooks = new Map<boolean | null, { readonly mark: string; readonly colour: ColourName }>([
  [false, { mark: '✗', colour: 'red' }],
  [null, { mark: '?', colour: 'yellow' }],
  [true, { mark: '✓', colour: 'green' }],
])

/** Most findings of a kind that are listed; the rest is counted. */
const FINDINGS = 12

/** What agents said beside what is known. */
export const said = (findings: readonly Finding[], width: number): readonly Line[] => {
  if (findings.length === 0) return []
  const shown = [false, null, true].flatMap((agrees) => findings.filter((one) => one.agrees === agrees).slice(0, FINDINGS))
  return [
    ...heading(knownText.saidAndFound, findings.some(({ agrees }) => agrees === false) ? 'red' : 'cyan'),
    ...shown.flatMap(({ taskId, says, fact: found, agrees }): Line[] => {
      const { mark, colour } = claimLooks.get(agrees)!
      return [
        ...verbatim(`${mark} ${knownText.claim(taskId, says)}`, width).map((line) => ({ ...line, theirs: false, colour })),
        ...verbatim(found, width - 4).map(({ text }) => ({ text: ours(`    ${text}`) })),
      ]
    }),
    ...(shown.length < findings.length ? [{ text: ours(commonText.more(findings.length - shown.length)), dim: true }] : []),
  ]
}

const COMMITS = 50

/** The commits that go in, and what would stay behind. */
export const listed = ({ commits, uncommitted }: Review, width: number): readonly Line[] => [
  ...heading(reviewText.commitList(commits.length)),
  ...commits.slice(0, COMMITS).flatMap((commit) => pieces(`${commit.oid.slice(0, 8)} ${commit.subject}  (${commit.author})`, width).map((text) => ({ text }))),
  ...(commits.length > COMMITS ? [{ text: ours(commonText.more(commits.length - COMMITS)), dim: true }] : []),
  ...(uncommitted.length > 0
    ? [...heading(reviewText.uncommitted(uncommitted.length), 'yellow'), ...uncommitted.slice(0, COMMITS).flatMap((path) => pieces(nameOf(path), width).map((text) => ({ text })))]
    : []),
]
