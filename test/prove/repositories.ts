import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Proof } from './proof.ts'
import { realShapes } from './real-shapes.ts'
import { requirePrograms } from './require-programs.ts'
import { takeThrough } from './through.ts'

/** Commits and files of a real public repository of medium size. */
const full = { commits: 1500, files: 1500 }

export const repositories: Proof = {
  name: 'repositories',
  shows:
    'Repositories of real shape (hooks of husky, submodules, large files by pointer, paths of 400 characters, SHA-256) through discard, restore, integrate and undo: the trees, files and index are those that plain git makes.',
  run: async (share) => {
    requirePrograms('git', 'git-lfs', 'iconv', 'sha256sum')
    // Neither the person's configuration nor that of the machine is used.
    Object.assign(process.env, { HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' })
    const counts = { repositories: 0, commits: 0, 'compared files': 0 }
    const violations: string[] = []
    for (const shape of realShapes()) {
      const place = realpathSync(mkdtempSync(join(tmpdir(), 'aiswarm-prove-')))
      try {
        const found = await takeThrough(place, shape, { commits: share.of(full.commits), files: share.of(full.files) })
        counts.repositories++
        counts.commits += found.commits
        counts['compared files'] += found.files
        violations.push(...found.violations.map((violation) => `${shape.name}: ${violation}`))
      } finally {
        rmSync(place, { recursive: true, force: true })
      }
    }
    return { counts, violations }
  },
}
