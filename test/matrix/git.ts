import { execFileSync } from 'node:child_process'
import { personEnvironment } from '../prove/git-as-person.ts'

/** The output of git, byte for byte; empty if git fails, as on a repository that is broken on purpose. */
export const gitBytes = (folder: string, ...args: readonly string[]): Buffer => {
  try {
    return execFileSync(
      'git',
      ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.bare=false', ...args],
      {
        cwd: folder,
        env: { ...personEnvironment, GIT_OPTIONAL_LOCKS: '0' },
        stdio: ['ignore', 'pipe', 'ignore'],
        maxBuffer: 256 * 1024 * 1024,
      },
    )
  } catch {
    return Buffer.alloc(0)
  }
}
