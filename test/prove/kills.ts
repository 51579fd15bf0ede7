import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { figuresOfTests } from './of-tests.ts'
import type { Proof } from './proof.ts'

/** The daily test with many more kills. */
export const kills: Proof = {
  name: 'kills',
  shows:
    'Whatever agent, supervisor, command, MCP server in a call or integration in its merge is killed: nothing acknowledged is lost, nothing is done twice at once, main is only ever at verified merges, nothing stays locked, and all comes to an end.',
  run: async (share) => {
    const folder = mkdtempSync(join(tmpdir(), 'aiswarm-prove-'))
    try {
      const file = join(folder, 'killed.json')
      const { violations } = figuresOfTests(['test/stories/kill-loop.test.ts'], {
        KILLS: String(share.of(2000)),
        KILLS_FILE: file,
      })
      const killed = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>) : {}
      return { counts: { kills: Object.values(killed).reduce((sum, count) => sum + count, 0), ...killed }, violations }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}
