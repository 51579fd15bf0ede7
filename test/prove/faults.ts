import { execFileSync } from 'node:child_process'
import { requirePrograms } from './require-programs.ts'
import type { Proof } from './proof.ts'

/** Ten minutes; at night (`PROVE=night`) an hour. */
const MINUTES = process.env['PROVE'] === 'night' ? 60 : 10

export const faults: Proof = {
  name: 'faults',
  shows:
    'Three hosts in namespaces, with a network, a git server and PostgreSQL of their own, under random faults: no acknowledged write is lost or done twice, no task has two live attempts, the target has only approved merges, and no foreign process gets a signal.',
  run: async ({ divisor, day }) => {
    requirePrograms('unshare', 'nsenter', 'ip', 'openssl', 'flock')
    execFileSync(process.execPath, ['build/if-changed.ts'], { stdio: 'ignore' })
    const { runFaults } = await import('./fleet/run.ts')
    const seed = Number(process.env['SEED'] ?? day)
    return runFaults({ seed, ms: Math.max(15_000, (MINUTES * 60_000) / divisor) })
  },
}
