import { join } from 'node:path'

// Where things lie below `.aiswarm` in the main checkout.

export const aiswarmFolder = (root: string): string => join(root, '.aiswarm')
export const databasePath = (root: string): string => join(root, '.aiswarm', 'coordination.db')
export const configPath = (root: string): string => join(root, '.aiswarm', 'config.yaml')
export const personasFolder = (root: string): string => join(root, '.aiswarm', 'personas')
export const logsFolder = (root: string): string => join(root, '.aiswarm', 'logs')
export const runFolder = (root: string): string => join(root, '.aiswarm', 'run')
export const trashFolder = (root: string): string => join(root, '.aiswarm', 'trash')
/** Holds a small `aiswarm` program that agents find on their PATH. */
export const binFolder = (root: string): string => join(root, '.aiswarm', 'bin')

/** Output of all runs of an agent, one after the other. */
export const outputPath = (root: string, agentId: string): string => join(logsFolder(root), `${agentId}.log`)

/** Files of one run: written by the shim (pid, exit) and by the launcher (the others). */
export const runPath = (root: string, agentId: string, run: number, what: 'pid' | 'exit' | 'stdin' | 'prompt' | 'head' | 'start' | 'scratch'): string =>
  join(runFolder(root), `${agentId}.${run}.${what}`)
