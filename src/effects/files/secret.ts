import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runFolder } from './paths.ts'

const secretPath = (root: string): string => join(runFolder(root), 'secret')

/** The secret from which every process derives the tokens of agents it launches. */
const secretOf = (root: string): string => {
  const path = secretPath(root)
  if (!existsSync(path)) {
    mkdirSync(runFolder(root), { recursive: true, mode: 0o700 })
    // A hard link publishes the complete file: no process may read half a secret, or find one after a crash.
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, randomBytes(32).toString('hex'), { mode: 0o600 })
    try {
      linkSync(draft, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(draft, { force: true })
    }
  }
  return readFileSync(path, 'utf8')
}

/** The token of run N of an agent of this clone. */
export const tokenOf = (root: string, agentId: string, run: number): string =>
  createHmac('sha256', secretOf(root)).update(`${agentId}:${run}`).digest('base64url')

/** Agents that start from now on get tokens of another secret; those that run keep the tokens that the board knows. */
export const renewSecret = (root: string): void => {
  rmSync(secretPath(root), { force: true })
  secretOf(root)
}
