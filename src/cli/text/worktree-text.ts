import { safeLines, safeText } from '../../domain/safe-text.ts'
import type { WorktreeDiff } from '../../operations/kernel/outside.ts'
import type { WorktreeView } from '../../operations/kernel/views.ts'
import type { ObservedWorktree } from '../observed-worktree.ts'
import { blocks, columns, counted, pairs, section } from './columns.ts'

export const worktreeList = (worktrees: readonly ObservedWorktree[]): string =>
  worktrees.length === 0
    ? 'No worktrees.'
    : columns(
        ['WORKTREE', 'BRANCH', 'STATE', 'AHEAD', 'BEHIND', 'DIRTY', 'INTEGRATION'],
        worktrees.map((one) => [one.name, one.branchName, one.status, one.ahead, one.behind, one.dirtyFiles, integrationOf(one)]),
        ['AHEAD', 'BEHIND', 'DIRTY'],
      )

export const worktreeDetail = (one: ObservedWorktree): string =>
  blocks([
    pairs([
      ['worktree', one.name],
      ['branch', one.branchName],
      ['path', one.path],
      ['state', one.status],
      ['ahead', one.ahead],
      ['behind', one.behind],
      ['uncommitted', one.dirtyFiles === null ? null : counted(one.dirtyFiles, 'file')],
      ['integration', integrationOf(one)],
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

/** Where the integration stands, and what a person can do about it. */
export const integrationLine = (worktree: WorktreeView): string => {
  const { name, integration } = worktree
  switch (integration?.status) {
    case undefined:
      return `${name} has no integration under way.`
    case 'requested':
    case 'verifying':
      return `The merge of ${name} into ${integration.target} is being prepared; 'aiswarm worktree show ${name}' tells how it stands.`
    case 'ready':
      return `${name} is ready to enter ${integration.target}; 'aiswarm worktree approve ${name}' lets it in.${problem(integration.problem)}`
    case 'conflicted':
      return safeText(
        `${name} conflicts with ${integration.target} in ${integration.conflicts.join(', ') || 'some files'}; resolve it on ${worktree.branchName} and request it again.`,
      )
    case 'unverified':
      return `The verification of ${name} failed; 'aiswarm worktree show ${name}' shows its end.`
    case 'approved':
    case 'moving':
      return `${name} is approved and on its way into ${integration.target}.`
    case 'integrated':
      return `${name} is in ${integration.target}.`
    case 'rejected':
      return safeText(`The integration of ${name} was rejected${integration.problem === null ? '' : `: ${integration.problem}`}.`)
  }
}

export const diffText = (diff: WorktreeDiff): string => blocks([changes(diff), safeLines(diff.diff).join('\n'), diff.cut ? '… the rest of the diff is cut' : ''])

/** Commits, files and what is left out: what a person should have seen before they approve. */
export const changes = (diff: WorktreeDiff): string =>
  blocks([
    section(
      counted(diff.commits.length, 'commit'),
      diff.commits.map((commit) => `${commit.oid.slice(0, 9)}  ${safeText(`${commit.subject} (${commit.author})`)}`),
    ),
    section(
      counted(diff.files.length, 'file'),
      diff.files.map((file) => `${lines('+', file.added)} ${lines('−', file.removed)}  ${safeText(file.path)}`),
    ),
    section(
      'Uncommitted, so not part of it',
      diff.uncommitted.map((path) => safeText(path)),
    ),
  ]) || 'It brings no commits.'

const integrationOf = ({ integration }: WorktreeView): string | null => (integration === null ? null : `${integration.status} → ${integration.target}`)

const verificationOf = ({ integration }: WorktreeView): string => {
  const verification = integration?.verification
  if (!verification) return ''
  return section(`Verification: ${safeText(verification.command)} (exit ${verification.exitCode ?? 'unknown'})`, safeLines(verification.tail.trimEnd()))
}

const problem = (sentence: string | null): string => (sentence === null ? '' : ` ${safeText(sentence)}`)

const lines = (sign: string, n: number | null): string => (n === null ? 'binary' : `${sign}${n}`).padStart(6)
