import { createHash, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { Core } from '../../operations/perform/core.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { runPath } from '../files/paths.ts'

// The end of a run, as its shim records it. The agent can write to the file's folder, so the shim ends its line with a
// seal that only the shim received (on its standard input, which its command does not inherit).

type Run = Pick<AgentRun, 'agentId' | 'run'>

/** The seal of a run: the same for every process that launches it, and different from the agent's token. */
export const sealOf = ({ launchToken }: Pick<Core, 'launchToken'>, { agentId, run }: Run): string =>
  createHash('sha256')
    .update(launchToken(`exit record of ${agentId}`, run))
    .digest('hex')

/** The exit code that the shim has recorded; null if there is none, or if another process wrote it. */
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
    return (
      (JSON.parse(readFileSync(runPath(root, agentId, run, 'start'), 'utf8')) as { sealed?: boolean }).sealed === true
    )
  } catch {
    return true
  }
}
