import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { sessionFilesOf } from '../../../src/effects/session-files/session-files.ts'
import { wishesOf } from '../../../src/effects/wishes.ts'
import { openSwarm, until, write } from '../swarm.ts'

const openFiles = async () => {
  const swarm = await openSwarm()
  const folder = join(swarm.root, swarm.world.memory.basePath)
  mkdirSync(folder, { recursive: true })
  const files = sessionFilesOf(swarm.world)
  onTestFinished(() => files.close())
  const wishes = await wishesOf(swarm.world)
  const jobs = () => files.jobs(wishes, performance.now())
  const reading = () => jobs().find(({ key }) => key === 'session-reports')
  /** Until nothing is due except the next poll. */
  const calm = async (): Promise<void> => {
    for (let still = 0; still < 10; still++) {
      const found = reading()
      if (found) still = 0
      await found?.run()
      await sleep(20)
    }
  }
  return { folder, files, reading, calm }
}

it('a changed file is due until it was read, even if the read could not start at once', async () => {
  const { folder, files, reading, calm } = await openFiles()
  await calm()
  expect(reading()).toBeUndefined()
  expect(files.isDue(performance.now())).toBe(false)
  write(folder, { 'progress-backend.md': '# Progress: backend\n' })
  await until('the change to be seen', () => reading())
  // No loop has read it.
  const found = reading()
  expect(found).toBeDefined()
  expect(files.isDue(performance.now())).toBe(true)
  await found!.run()
  expect(reading()).toBeUndefined()
})

it('a folder that was created again under the same name is watched like the previous one', async () => {
  const { folder, reading, calm } = await openFiles()
  await calm()
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  await calm()
  write(folder, { 'progress-backend.md': '# Progress: backend\n' })
  expect(await until('the change to be seen', () => reading())).toBeDefined()
})

it('a file that was written once is due again when it has settled, long before the poll', async () => {
  const { folder, files, reading, calm } = await openFiles()
  await calm()
  write(folder, { 'progress-backend.md': '# Progress: backend\n' })
  const found = await until('the change to be seen', () => reading())
  await found.run()
  // It is younger than half a second, so it may still be being written.
  expect([files.isDue(performance.now()), files.isDue(performance.now() + 600)]).toEqual([false, true])
})
