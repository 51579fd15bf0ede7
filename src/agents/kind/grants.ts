import { parseRule } from '../../domain/request/permission.ts'
import type { Brief } from './kind.ts'

/** The actions that a run may take without asking, before they are converted for one CLI. */
export interface Grants {
  readonly everything: boolean
  readonly edit: boolean
  /** Prefixes of commands, in whole words. */
  readonly shell: readonly string[]
  /** Tools by the CLI's names. */
  readonly tools: readonly string[]
}

const lookAtGit = ['git status', 'git diff', 'git log', 'git show']

/** A task ends with a commit in its own worktree. */
const workWithGit = [...lookAtGit, 'git add', 'git commit', 'git rm', 'git mv', 'git rev-parse']

/**
 * Grants for a CLI that cannot ask without a terminal: the needs of every task, and the rules. 'allow-edits' equals
 * 'ask' here, since no task could be done without edits; the CLI denies and reports every other action, and a person
 * can allow it by a rule.
 */
export const grantsOf = ({ approvals, allow, readOnly }: Brief): Grants => {
  if (readOnly) return { everything: false, edit: false, shell: lookAtGit, tools: [] }
  const added = granted(allow)
  return {
    everything: approvals === 'allow-all',
    edit: true,
    shell: [...new Set([...workWithGit, ...added.shell])],
    tools: added.tools,
  }
}

/** Grants for a CLI that asks: only the rules. */
export const granted = (allow: readonly string[]): Grants => {
  const rules = allow.map(parseRule)
  return {
    everything: false,
    edit: rules.some((rule) => rule?.kind === 'edit'),
    shell: rules.flatMap((rule) => (rule?.kind === 'shell' ? [rule.words] : [])),
    tools: rules.flatMap((rule) => (rule?.kind === 'tool' ? [rule.name] : [])),
  }
}

/** The commands that a planner may run in the main checkout, which it must not change. */
export const readingCommands: readonly string[] = lookAtGit

/** True if the run asks for nothing. */
export const allowsAll = ({ approvals, readOnly }: Brief): boolean => approvals === 'allow-all' && !readOnly
