import type { Radar, RadarWorktree } from '../../contracts/observations.ts'
import { conflictBetween, conflictWords } from '../../domain/integration/radar.ts'
import { targetTestsWords } from '../../domain/integration/test-files.ts'
import { verifiedUnconfined } from '../../domain/sandbox/unconfined.ts'
import { bytes } from '../../domain/words/counts.ts'
import { safeLines, safeText } from '../../domain/words/safe-text.ts'
import { zonedTime } from '../../domain/words/time.ts'
import { remoteSilentWords, safeWords } from '../../domain/worktree/status.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import type { MeasuredWorktree, ObservedWorktree } from '../verbs/observed-worktrees.ts'
import { blocks, columns, counted, pairs, section } from './columns.ts'

// Worktrees as text: lists, details, the state of an integration, and which of them conflict.

type PerhapsMeasured = ObservedWorktree & Partial<MeasuredWorktree>

export const worktreeList = (worktrees: readonly PerhapsMeasured[]): string => {
  const sizes = <T>(cell: T): readonly T[] => (worktrees.some(({ sizeBytes }) => sizeBytes !== undefined) ? [cell] : [])
  const hosts = <T>(cell: T): readonly T[] => (worktrees.some(({ host }) => host) ? [cell] : [])
  return worktrees.length === 0
    ? 'No worktrees.'
    : blocks([
        columns(
          [
            'WORKTREE',
            'BRANCH',
            ...hosts('HOST'),
            'STATE',
            'AHEAD',
            'BEHIND',
            'DIRTY',
            'PORT',
            ...sizes('SIZE'),
            'INTEGRATION',
          ],
          worktrees.map((one) => [
            one.name,
            one.branchName,
            ...hosts(one.host?.name ?? null),
            one.status,
            one.ahead,
            one.behind,
            one.dirtyFiles,
            one.port,
            ...sizes(sizeWords(one)),
            integrationOf(one),
          ]),
          ['AHEAD', 'BEHIND', 'DIRTY', 'PORT', 'SIZE'],
        ),
        section(
          'Not read',
          worktrees.flatMap(({ name, unread }) => (unread === null ? [] : [safeText(`${name}: ${unread}`)])),
        ),
      ])
}

export const worktreeDetail = (one: MeasuredWorktree): string =>
  blocks([
    pairs([
      ['worktree', one.name],
      ['branch', one.branchName],
      ['host', one.host?.name ?? null],
      ['path', one.path],
      ['state', one.status],
      ['ahead', one.ahead],
      ['behind', one.behind],
      ['uncommitted', one.dirtyFiles === null ? one.unread : counted(one.dirtyFiles, 'file')],
      ['port', one.port],
      ['size', sizeWords(one)],
      ['safe as of', one.safeAsOf ? safeWords(one.safeAsOf, zonedTime) : null],
      ['integration', integrationOf(one)],
      ['blocked', one.remoteSilent ? remoteSilentWords(one.remoteSilent) : null],
      ['problem', one.integration?.problem ?? null],
      ['discarded', one.discardReason],
      ['archive', one.archiveRef],
    ]),
    section(
      'Conflicts',
      (one.integration?.conflicts ?? []).map((path) => safeText(path)),
    ),
    verificationOf(one),
  ])

/** The state of the integration, and the person's next step. */
export const integrationLine = (worktree: WorktreeView): string => {
  const { name, integration } = worktree
  switch (integration?.status) {
    case undefined:
      return `${name} has no integration in progress.`
    case 'requested':
    case 'verifying':
      return `aiswarm builds and verifies the merge of ${name} into ${integration.target}. 'aiswarm worktree show ${name}' shows the state.`
    case 'ready':
      return `${name} is ready to merge into ${integration.target}. Approve it with 'aiswarm worktree approve ${name}'.${problem(integration.problem)}`
    case 'conflicted':
      if (integration.conflicts.length === 0 && integration.problem !== null)
        return safeText(`${name} cannot be merged into ${integration.target}: ${integration.problem}`)
      return safeText(
        `${name} conflicts with ${integration.target} in ${integration.conflicts.join(', ') || 'some files'}. Resolve the conflict on ${worktree.branchName}, then request the integration again.`,
      )
    case 'unverified':
      return `The verification of ${name} failed; 'aiswarm worktree show ${name}' shows the end of its output.`
    case 'approved':
      return `${name} is approved and waits to merge into ${integration.target}.`
    case 'moving':
      return `${name} is approved; ${integration.target} is being updated.`
    case 'integrated':
      return `${name} is merged into ${integration.target}.`
    case 'rejected':
      return safeText(
        `The integration of ${name} was rejected${integration.problem === null ? '' : `: ${integration.problem}`}.`,
      )
  }
}

/** `412M`, or `≥3.1G` if not everything was counted. */
const sizeWords = ({ sizeBytes, sizeComplete }: PerhapsMeasured): string | null =>
  typeof sizeBytes !== 'number' ? null : `${sizeComplete === false ? '≥' : ''}${bytes(sizeBytes)}`

const integrationOf = ({ integration }: WorktreeView): string | null =>
  integration === null ? null : `${integration.status} → ${integration.target}`

const verificationOf = ({ integration }: WorktreeView): string => {
  const verification = integration?.verification
  if (!verification) return ''
  const tests = verification.targetTests
  return blocks([
    section(
      `Verification: ${safeText(verification.command)} (exit ${verification.exitCode ?? 'unknown'})`,
      safeLines(verification.tail.trimEnd()),
    ),
    verification.unconfined ? safeText(`${verifiedUnconfined(verification.unconfined)}.`) : '',
    tests ? safeText(`${targetTestsWords(tests)} Its output is in ${tests.log}.`) : '',
  ])
}

const problem = (sentence: string | null): string => (sentence === null ? '' : ` ${safeText(sentence)}`)

/** The matrix, the conflicting files of each pair, and the suggested merge order. */
export const radarText = (radar: Radar): string =>
  radar.worktrees.length === 0
    ? 'No worktrees to compare.'
    : blocks([
        `${matrix(radar)}\nC conflict, U conflict with uncommitted changes, ? cannot be compared, · merges cleanly`,
        section(
          'Conflicts',
          radar.pairs.map((conflict) => `${conflict.a} ${safeText(conflictWords({ name: conflict.b, conflict }))}`),
        ),
        section(
          'Suggested merge order',
          radar.steps.map(({ worktree, why }, at) => `${at + 1}. ${worktree}: ${safeText(why)}`),
        ),
        section(
          'Not read',
          radar.worktrees.flatMap(({ name, remark }) => (remark === null ? [] : [`${name}: ${safeText(remark)}`])),
        ),
      ])

/** One row per worktree; the columns are the target and the numbers of the worktrees. */
const matrix = (radar: Radar): string =>
  columns(
    ['#', 'WORKTREE', 'TARGET', ...radar.worktrees.map((_, at) => String(at + 1))],
    radar.worktrees.map((worktree, row) => [
      String(row + 1),
      worktree.name,
      mark(radar, worktree, worktree.target, true),
      ...radar.worktrees.map((other, column) => (column === row ? null : mark(radar, worktree, other.name, false))),
    ]),
  )

const mark = ({ pairs }: Radar, { name }: RadarWorktree, other: string, withTarget: boolean): string => {
  const conflict = conflictBetween(pairs, name, other, withTarget)
  if (!conflict) return '·'
  if (conflict.problem !== null) return '?'
  return conflict.includesUncommitted ? 'U' : 'C'
}
