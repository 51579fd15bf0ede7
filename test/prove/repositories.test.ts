import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { realShapes } from './real-shapes.ts'
import { takeThrough } from './repositories.ts'

it('aiswarm takes a small C project with submodules and hooks through discard, restore, integrate and undo like plain git', async () => {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'aiswarm-real-')))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const { violations, files } = await takeThrough(place, realShapes()[1]!, { commits: 12, files: 16 })
  expect(violations).toEqual([])
  expect(files).toBeGreaterThan(40)
})
