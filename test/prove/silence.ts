import { execFileSync } from 'node:child_process'
import { requirePrograms } from './require-programs.ts'
import type { Proof } from './proof.ts'

export const silence: Proof = {
  name: 'silence',
  shows:
    'Three hosts with the times of the documentation: the process that plans is killed, a host is switched off, the server restarts, a host is cut off for four minutes, and another one for ten. Counts are in tenths of a second.',
  run: async () => {
    requirePrograms('unshare', 'nsenter', 'ip', 'openssl')
    execFileSync(process.execPath, ['build/if-changed.ts'], { stdio: 'ignore' })
    const { runSilence } = await import('./fleet/silence.ts')
    return runSilence()
  },
}
