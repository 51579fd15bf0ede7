import { join } from 'node:path'
import { commonFolder } from './git-dir.ts'

// The places of files below `.aiswarm` in the main checkout.

export const aiswarmFolder = (root: string): string => join(root, '.aiswarm')
export const databasePath = (root: string): string => join(root, '.aiswarm', 'coordination.db')
/** Names another store than the database file. */
export const storePath = (root: string): string => join(root, '.aiswarm', 'store.yaml')
/** There while the board of the database file is on another store. */
export const movedPath = (root: string): string => `${databasePath(root)}.moved`
export const configPath = (root: string): string => join(root, '.aiswarm', 'config.yaml')
export const personasFolder = (root: string): string => join(root, '.aiswarm', 'personas')
export const logsFolder = (root: string): string => join(root, '.aiswarm', 'logs')
export const runFolder = (root: string): string => join(root, '.aiswarm', 'run')
/** The git of one worktree in which something confined runs, by the name under which git registers the worktree. */
export const worktreeGitFolder = (root: string, id: string): string => join(root, '.aiswarm', 'git', id)
/** The folder of a small `aiswarm` program that agents find on their PATH. */
export const binFolder = (root: string): string => join(root, '.aiswarm', 'bin')

/** The output of all runs of an agent, in order. */
export const outputPath = (root: string, agentId: string): string => join(logsFolder(root), `${agentId}.log`)

/** Files of one run: the shim writes pid and exit, the launcher writes the others. `inside` is a folder that its agent may write. */
export const runPath = (
  root: string,
  agentId: string,
  run: number,
  what:
    | 'pid'
    | 'exit'
    | 'life'
    | 'stdin'
    | 'in.jsonl'
    | 'prompt'
    | 'head'
    | 'start'
    | 'sandbox'
    | 'inside'
    | 'door'
    | 'limit',
): string => join(runFolder(root), `${agentId}.${run}.${what}`)

/** A folder beside git's own data, so that `git clean -ffdx` in the main checkout keeps the content of archives. */
export const keptFolder = (root: string): string => join(commonFolder(root) ?? join(root, '.git'), 'aiswarm')
/** Folders of ended worktrees, unchanged, for the time of `worktrees.retention`. */
export const trashFolder = (root: string): string => join(keptFolder(root), 'trash')
/** One tar per archive that has content which belongs in no git tree. */
export const tarFolder = (root: string): string => join(keptFolder(root), 'archive')

/** The path with which the names of a CLI's own files of one run begin. */
export const scratchPath = (
  root: string,
  { agentId, run }: { readonly agentId: string; readonly run: number },
): string => join(runPath(root, agentId, run, 'inside'), 'scratch')
