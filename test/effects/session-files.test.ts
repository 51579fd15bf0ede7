import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { look } from '../../src/effects/loops.ts'
import { sessionFilesOf } from '../../src/effects/session-files.ts'
import { openSwarm, until, write } from './swarm.ts'

const openFiles = async () => {
  const swarm = await openSwarm()
  const folder = join(swarm.root, swarm.world.memory.basePath)
  mkdirSync(folder, { recursive: true })
  const files = sessionFilesOf(swarm.world)
  onTestFinished(() => files.close())
  const wishes = await look(swarm.world)
  const jobs = () => files.jobs(wishes, performance.now())
  const reading = () => jobs().find(({ key }) => key === 'session-reports')
  /** Until nothing is due but the next poll. */
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

it('what has changed is due until it was read, also where the reading could not begin at once', async () => {
  const { folder, files, reading, calm } = await openFiles()
  await calm()
  expect(reading()).toBeUndefined()
  expect(files.isDue(performance.now())).toBe(false)
  write(folder, { 'progress-backend.md': '# Progress: backend\n' })
  await until('the change to be seen', () => reading())
  // Nobody has run it.
  const found = reading()
  expect(found).toBeDefined()
  expect(files.isDue(performance.now())).toBe(true)
  await found!.run()
  expect(reading()).toBeUndefined()
})

it('a folder that was made anew under the same name is watched as the one before', async () => {
  const { folder, reading, calm } = await openFiles()
  await calm()
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  await calm()
  write(folder, { 'progress-backend.md': '# Progress: backend\n' })
  expect(await until('the change to be seen', () => reading())).toBeDefined()
})
