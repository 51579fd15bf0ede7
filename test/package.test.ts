import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { keyTableMarkdown } from '../src/ui/key-table.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { gypfile?: boolean; resolved?: string }> }

describe('what a newcomer installs', () => {
  // better-sqlite3 carries its binaries, and also a binding.gyp, for which npm 10 would call a compiler. npm 11 reads
  // `allowScripts`; npm 10 reads this key of the lockfile, which `npm install` drops: put it back after a change.
  it('needs no compiler with npm 10', () => {
    expect(lock.packages['node_modules/better-sqlite3']?.gypfile).toBe(false)
  })

  it('names no registry in the lockfile', () => {
    expect(Object.values(lock.packages).filter((entry) => entry.resolved !== undefined)).toEqual([])
  })

  it('finds the current key table in the README', () => {
    expect(read('README.md')).toContain(keyTableMarkdown())
  })
})
