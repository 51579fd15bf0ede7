import { createHash, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { Core } from '../operations/kernel/core.ts'
import type { AgentRun } from '../operations/read-wishes.ts'
import { runPath } from './places.ts'

// How a run ended, as its shim records it. The file lies where the agent can write, so the shim ends its line with a seal
// that it alone was told (on its standard input, which what it runs does not get).

type Run = Pick<AgentRun, 'agentId' | 'run'>

/** The seal of a run: the same for every process that launches it, and not the token that the agent has. */
export const sealOf = ({ launchToken }: Pick<Core, 'launchToken'>, { agentId, run }: Run): string =>
  createHash('sha256')
    .update(launchToken(`exit record of ${agentId}`, run))
    .digest('hex')

/** The exit code that the shim has recorded; null while there is none, or one that it has not written. */
export const exitCodeOf = (core: Pick<Core, 'root' | 'launchToken'>, run: Run): number | null => {
  const path = runPath(core.root, run.agentId, run.run, 'exit')
  if (!existsSync(path)) return null
  // The line is complete only with its line break.
  const [, code, seal] = /^(\d{1,3})(?: ([0-9a-f]{64}))?\n$/.exec(readFileSync(path, 'utf8').slice(0, 200)) ?? []
  if (code === undefined) return null
  if (seal === undefined) return isSealed(core.root, run) ? null : Number(code)
  return timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(core, run))) ? Number(code) : null
}

const isSealed = (root: string, { agentId, run }: Run): boolean => {
  try {
    return (JSON.parse(readFileSync(runPath(root, agentId, run, 'start'), 'utf8')) as { sealed?: boolean }).sealed === true
  } catch {
    return true
  }
}
