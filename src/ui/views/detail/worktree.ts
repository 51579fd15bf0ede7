import type { Line } from '../../../../components/Lines.tsx'
import { fit } from '../../../../components/base/fit.ts'
import { integrationLooks } from '../../../../components/base/look.ts'
import { verifiedUnconfined } from '../../../domain/sandbox/unconfined.ts'
import { bytes } from '../../../domain/words/counts.ts'
import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { safeWords, worktreeSince } from '../../../domain/worktree/status.ts'
import type { WorktreeView } from '../../../operations/views/worktrees.ts'
import { commonText } from '../../../text/common.ts'
import { knownText, worktreeText } from '../../../text/integration.ts'
import { rowText } from '../../../text/states.ts'
import type { ConsoleState } from '../../core/state.ts'
import { hostFact, silentAfterIn } from '../../rows/hosts.ts'
import { fact, longFact, moment, paragraph, verbatim, widthIn, written } from '../../rows/lines.ts'
import { mergesNow, radarLines, radarMark, reasonOfWorktree, withTargetTests } from '../../rows/worktrees.ts'
import { type DetailSection, loaded, plainLine, relatedLines, standing, text, type Titled, upTo } from './sections.ts'

// The facts at the top of a worktree's detail; its sections follow them.

export const worktreeLines = (state: ConsoleState, worktree: WorktreeView): Titled => {
  const { integration } = worktree
  const width = widthIn(state)
  const seen = state.observed[worktree.name]
  const size = state.sizes[worktree.name]
  return [
    safeText(worktreeText.title(worktree.name)),
    [
      ...(integration
        ? [entering(integration, mergesNow(state, worktree))]
        : [{ text: safeText(worktreeText.folder(worktree.status, worktree.folder)) }]),
      ...paragraph(reasonOfWorktree(state, worktree, worktreeSince(worktree)), width),
      // A small screen shows them without scrolling: they say what is lost with a host that stays away.
      ...fact(worktreeText.facts.host, hostFact(worktree.host, { now: state.now, silentAfter: silentAfterIn(state) })),
      ...longFact(
        worktreeText.facts.safeAsOf,
        worktree.safeAsOf ? safeWords(worktree.safeAsOf, (at) => moment(state, at)) : null,
        width,
      ),
      ...longFact(worktreeText.facts.branch, worktree.branchName, width),
      ...longFact(worktreeText.facts.forkedFrom, worktree.sourceBranch, width),
      ...longFact(worktreeText.facts.path, worktree.path, width),
      ...fact(worktreeText.facts.createdBy, worktree.createdBy),
      ...fact(
        worktreeText.facts.commits,
        seen ? `${worktreeText.distance(seen.ahead, seen.behind)}, +${seen.added} −${seen.removed}` : null,
      ),
      ...fact(worktreeText.facts.uncommitted, seen && seen.dirty !== null ? worktreeText.paths(seen.dirty) : null),
      ...fact(worktreeText.facts.port, worktree.port),
      ...fact(
        worktreeText.facts.size,
        size ? (size.complete ? bytes(size.bytes) : worktreeText.atLeast(bytes(size.bytes))) : null,
      ),
      ...longFact(worktreeText.facts.discarded, worktree.discardReason, width),
      ...longFact(worktreeText.facts.archive, worktree.archiveRef, width),
    ],
  ]
}

/** The state in the words of its row. */
const entering = ({ status, target }: NonNullable<WorktreeView['integration']>, clear: boolean): Line => {
  const look = integrationLooks[status]
  if (status !== 'conflicted') return standing(look, worktreeText.into(target))
  return standing({ ...look, word: safeText(clear ? rowText.conflictedWith(target) : rowText.conflictsWith(target)) })
}

// The facts about a worktree in addition to those at the top.

export const worktreeSections = (state: ConsoleState, worktree: WorktreeView): readonly DetailSection[] => {
  const width = widthIn(state)
  const { integration } = worktree
  const radar = radarLines(state, worktree.name)
  const verification = verificationLines(integration?.verification ?? null, width)
  const passed = integration?.verification?.exitCode === 0
  const seen = state.observed[worktree.name]
  return [
    ...(integration && integration.conflicts.length > 0
      ? [
          {
            id: 'conflicts',
            title: worktreeText.conflicts,
            colour: 'red' as const,
            note: String(integration.conflicts.length),
            lines: () => upTo(integration.conflicts, (path) => [plainLine(path)]),
          },
        ]
      : []),
    ...text('problem', worktreeText.problem, integration?.problem ?? null, width, 'red'),
    ...(state.radar === null
      ? []
      : [
          {
            id: 'radar',
            title: worktreeText.radar,
            note: radarMark(state, worktree.name) || worktreeText.mergesWithAll,
            // Its own headings begin with an empty line, which is redundant below a title.
            lines: () =>
              radar.length === 0 ? [{ text: ours(worktreeText.mergesWithEach), dim: true }] : radar.slice(1),
          },
        ]),
    ...(verification.length === 0
      ? []
      : [
          {
            id: 'verification',
            title: worktreeText.verification,
            ...(passed ? { note: '✓' } : { note: '✗', colour: 'red' as const }),
            lines: () => verification,
          },
        ]),
    {
      id: 'commits',
      title: worktreeText.commits,
      ...(seen ? { note: worktreeText.distance(seen.ahead, seen.behind) } : {}),
      part: 'contents',
      lines: () => commitLines(state, width),
    },
    {
      id: 'files',
      title: worktreeText.files,
      ...(seen ? { note: `+${seen.added} −${seen.removed}` } : {}),
      part: 'contents',
      lines: () => fileLines(state, width),
    },
    { id: 'tasks', title: worktreeText.tasks, part: 'related', lines: () => relatedLines(state, width) },
  ]
}

const commitLines = (state: ConsoleState, width: number): readonly Line[] =>
  loaded(state, 'contents', ({ commits, more, target }) =>
    commits.length === 0
      ? [{ text: ours(worktreeText.holdsNothing(safeText(target))), dim: true }]
      : [
          ...upTo(commits, ({ oid, author, at, subject }) =>
            written(`${oid.slice(0, 8)} ${subject}  (${author}, ${moment(state, at)})`, width),
          ),
          ...(more ? [{ text: ours(worktreeText.onlyNewest(commits.length)), dim: true }] : []),
        ],
  )

const fileLines = (state: ConsoleState, width: number): readonly Line[] =>
  loaded(state, 'contents', ({ files, moreFiles, target }) => {
    if (files.length === 0) return [{ text: ours(worktreeText.noFileDiffers(safeText(target))), dim: true }]
    const most = Math.max(1, ...files.map(({ added, removed }) => (added ?? 0) + (removed ?? 0)))
    const [name, bar] = [Math.max(10, Math.min(60, width - 36)), 20]
    return [
      ...files.map(({ path, added, removed }): Line => {
        const size = added === null ? worktreeText.binary : `${`+${added}`.padStart(6)} ${`−${removed ?? 0}`.padEnd(6)}`
        const scaled = (lines: number): number => Math.ceil((lines / most) * bar)
        return {
          text: ours(
            `${fit(safeText(path), name)} ${size} ${'+'.repeat(scaled(added ?? 0))}${'−'.repeat(scaled(removed ?? 0))}`,
          ),
        }
      }),
      ...(moreFiles ? [{ text: ours(worktreeText.onlyFirst(files.length)), dim: true }] : []),
    ]
  })

const verificationLines = (
  verification: NonNullable<WorktreeView['integration']>['verification'],
  width: number,
): readonly Line[] =>
  verification === null
    ? []
    : [
        ...longFact(knownText.command, verification.command, width),
        ...fact(knownText.exitCode, verification.exitCode ?? commonText.endedBySignal),
        ...(verification.unconfined
          ? verbatim(`⚠ ${verifiedUnconfined(verification.unconfined)}`, width).map((line): Line => ({
              ...line,
              theirs: false,
              colour: 'yellow',
            }))
          : []),
        ...withTargetTests(verification.targetTests, width),
        ...(verification.exitCode === 0 ? [] : written(verification.tail.trimEnd(), width)),
      ]
