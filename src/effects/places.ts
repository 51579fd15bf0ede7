import { join } from 'node:path'
import { commonFolder } from './git-place.ts'

// Where things lie below `.aiswarm` in the main checkout.

export const aiswarmFolder = (root: string): string => join(root, '.aiswarm')
export const databasePath = (root: string): string => join(root, '.aiswarm', 'coordination.db')
export const configPath = (root: string): string => join(root, '.aiswarm', 'config.yaml')
export const personasFolder = (root: string): string => join(root, '.aiswarm', 'personas')
export const logsFolder = (root: string): string => join(root, '.aiswarm', 'logs')
export const runFolder = (root: string): string => join(root, '.aiswarm', 'run')
/** Holds a small `aiswarm` program that agents find on their PATH. */
export const binFolder = (root: string): string => join(root, '.aiswarm', 'bin')

/** Output of all runs of an agent, one after the other. */
export const outputPath = (root: string, agentId: string): string => join(logsFolder(root), `${agentId}.log`)

/** Files of one run: written by the shim (pid, exit) and by the launcher (the others). */
export const runPath = (root: string, agentId: string, run: number, what: 'pid' | 'exit' | 'stdin' | 'prompt' | 'head' | 'start' | 'scratch'): string =>
  join(runFolder(root), `${agentId}.${run}.${what}`)

/** Beside git's own data, so that `git clean -ffdx` in the main checkout leaves alone what the archives need. */
export const keptFolder = (root: string): string => join(commonFolder(root) ?? join(root, '.git'), 'aiswarm')
/** Folders of worktrees that have ended, as they were, for as long as `worktrees.retention` says. */
export const trashFolder = (root: string): string => join(keptFolder(root), 'trash')
/** A tar an archive that has content which belongs into no git tree. */
export const tarFolder = (root: string): string => join(keptFolder(root), 'archive')
