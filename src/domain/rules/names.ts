import { Refusal } from './refusal.ts'

const worktreeName = /^[a-zA-Z0-9_-]{1,50}$/
const agentId = /^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/
const reserved = new Set([
  'head',
  'fetch_head',
  'orig_head',
  'merge_head',
  'index',
  'refs',
  'objects',
  'hooks',
  'logs',
  'config',
  'con',
  'prn',
  'aux',
  'nul',
  'auto',
])

/** Refuses a name that violates seed 004's naming constraint (a valid directory name). */
export const checkWorktreeName = (name: string): void => {
  if (!worktreeName.test(name) || name.startsWith('-')) {
    throw new Refusal(
      'invalid_name',
      `${quoted(name)} is not a valid worktree name. Use 1 to 50 letters, digits, '-' or '_', not beginning with '-'.`,
    )
  }
  if (reserved.has(name.toLowerCase()))
    throw new Refusal('reserved_name', `${quoted(name)} is reserved by git or the system. Choose another name.`)
}

const generic =
  /^(?:temp|tmp|test|testing|feature|fix|bugfix|work|branch|worktree|new|foo|bar|untitled|wip|dev)[-_]?\d*$/i

/** Seed 004: warns about a generic name, which is allowed but does not describe the work; undefined for any other. */
export const genericNameWarning = (name: string): string | undefined =>
  generic.test(name) ? `${quoted(name)} does not describe the work. Use a name such as user-auth.` : undefined

/** Agent and persona ids become file names, so they are checked before anything is created. */
export const checkId = (what: 'agent' | 'persona', id: string): void => {
  if (!agentId.test(id)) {
    throw new Refusal(
      'invalid_name',
      `${quoted(id)} is not a valid ${what} id. Use 1 to 50 letters, digits, '-' or '_', beginning with a letter or digit.`,
    )
  }
  if (id === 'human' || id === 'aiswarm')
    throw new Refusal('reserved_name', `The ${what} id '${id}' is reserved. Choose another.`)
}

/** The rules of git-check-ref-format(1) for a branch name. */
export const checkBranchName = (branch: string): void => {
  const bad =
    branch.length === 0 ||
    branch.length > 200 ||
    branch.startsWith('-') ||
    branch.startsWith('/') ||
    branch.endsWith('/') ||
    branch.endsWith('.') ||
    branch.includes('..') ||
    branch.includes('//') ||
    branch.includes('@{') ||
    branch === '@' ||
    branch === 'HEAD' ||
    // oxlint-disable-next-line no-control-regex -- control characters are what git refuses here
    /[\u0000-\u0020\u007f~^:?*[\\]/.test(branch) ||
    branch.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock'))
  if (bad)
    throw new Refusal(
      'invalid_name',
      `${quoted(branch)} is not a valid git branch name. Use a name such as 'feature/user-auth'.`,
    )
}

const quoted = (text: string): string => {
  const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}…` : text).slice(1, -1)
  return `'${shown}'`
}
