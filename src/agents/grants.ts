import { parseRule } from '../domain/permission.ts'
import type { Brief } from './kind.ts'

/** What a run may do without being asked, before it is put into the words of one CLI. */
export interface Grants {
  readonly everything: boolean
  readonly edit: boolean
  /** Beginnings of commands, in whole words. */
  readonly shell: readonly string[]
  /** Tools by the names that the CLI gives them. */
  readonly tools: readonly string[]
}

const lookAtGit = ['git status', 'git diff', 'git log', 'git show']

/** A task ends in a commit of its own worktree. */
const workWithGit = [...lookAtGit, 'git add', 'git commit', 'git rm', 'git mv', 'git rev-parse']

/**
 * Grants for a CLI that cannot ask while it runs without a terminal: what every task needs, and what rules add to it.
 * 'allow-edits' is the same as 'ask' here, since without edits no task could be done; whatever else it tries is denied
 * by the CLI and reported, and a person can allow it by a rule.
 */
export const grantsOf = ({ approvals, allow, readOnly }: Brief): Grants => {
  if (readOnly) return { everything: false, edit: false, shell: lookAtGit, tools: [] }
  const added = granted(allow)
  return { everything: approvals === 'allow-all', edit: true, shell: [...new Set([...workWithGit, ...added.shell])], tools: added.tools }
}

/** Grants for a CLI that asks: the rules, and nothing else. */
export const granted = (allow: readonly string[]): Grants => {
  const rules = allow.map(parseRule)
  return {
    everything: false,
    edit: rules.some((rule) => rule?.kind === 'edit'),
    shell: rules.flatMap((rule) => (rule?.kind === 'shell' ? [rule.words] : [])),
    tools: rules.flatMap((rule) => (rule?.kind === 'tool' ? [rule.name] : [])),
  }
}

/** What a planner may run in the main checkout, which it must not change. */
export const readingCommands: readonly string[] = lookAtGit
