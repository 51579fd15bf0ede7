import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, it, vi } from 'vitest'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { temporaryFolder } from '../../support/core.ts'
import { needs } from '../../support/needs.ts'
import { git } from '../swarm.ts'
import { BRANCH, opened } from './inside.ts'
import { stateOf } from './state.ts'

beforeEach(async (context) => {
  needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  return () => vi.unstubAllEnvs()
})

const worker = resolve(import.meta.dirname, 'import-worker.ts')
const KILLS = Number(process.env['IMPORT_KILLS'] ?? 4)

it(
  'an import that is killed at any moment leaves the branch before or after it, and the next one finishes',
  { timeout: 60_000 * KILLS },
  async () => {
    const { root, folder, own, inside, imported, tip } = await opened()
    const description = join(temporaryFolder(), 'start')
    writeFileSync(description, JSON.stringify({ opened: own, ref: BRANCH }))
    const state = stateOf(root)
    let took = 400
    for (let n = 0; n < KILLS; n++) {
      inside(`for f in 1 2 3 4 5; do echo $f ${n} > $f; done; git add . && git commit -qm ${n}`)
      const [before, after] = [tip(), inside('git rev-parse HEAD').out]
      const child = spawn(process.execPath, [worker, description], { stdio: ['ignore', 'pipe', 'inherit'] })
      await once(child.stdout, 'data')
      const began = performance.now()
      // The first one runs to its end, and says how long that takes.
      if (n > 0) await Promise.race([sleep((took * n) / KILLS), once(child, 'exit')])
      else await once(child, 'exit')
      took = n === 0 ? performance.now() - began : took
      if (child.exitCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      expect([before, after]).toContain(tip())
      expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
      expect(await imported()).toBeUndefined()
      expect(tip()).toBe(after)
      expect(git(folder, 'status', '--short')).toBe('')
      expect(stateOf(root)).toEqual(state)
    }
    // The remains of a killed import are removed by a later one.
    const place = join(root, '.git/objects/aiswarm')
    for (const name of readdirSync(place)) utimesSync(join(place, name), 0, 0)
    inside('git commit -q --allow-empty -m last')
    await imported()
    expect(readdirSync(place)).toEqual([])
  },
)
