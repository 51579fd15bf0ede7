import { linkSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sizeOf, worktreeMeasurer } from '../../../src/effects/worktrees/size.ts'
import { temporaryFolder } from '../../support/core.ts'
import { openSwarm, sh, write } from '../swarm.ts'

it('the size of a worktree is the space of all files and folders at any depth', async () => {
  const folder = temporaryFolder()
  write(folder, { a: 'x'.repeat(10_000), 'b/c/d': 'y'.repeat(100_000), 'b/empty': '' })
  const { bytes, complete } = await sizeOf(folder)
  expect(complete).toBe(true)
  expect(bytes).toBe(
    Number(sh(folder, "find . -mindepth 1 -printf '%b\\n' | awk '{ sum += $1 } END { print sum * 512 }'")),
  )
  expect(bytes >= 110_000).toBe(true)
})

it('the size of a worktree counts hard links once and follows no other links', async () => {
  const folder = temporaryFolder()
  write(folder, { 'in/a': 'x'.repeat(1_000_000) })
  const one = await sizeOf(folder)
  linkSync(join(folder, 'in/a'), join(folder, 'in/b'))
  mkdirSync(join(folder, 'more'))
  linkSync(join(folder, 'in/a'), join(folder, 'more/c'))
  symlinkSync('/', join(folder, 'more/root'))
  const two = await sizeOf(folder)
  expect(two.complete).toBe(true)
  expect(two.bytes - one.bytes < 100_000).toBe(true)
})

it('the size of a worktree stops at a bound, and says that it is larger', async () => {
  const folder = temporaryFolder()
  write(folder, Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`f${i}`, 'x'.repeat(5000)])))
  const whole = await sizeOf(folder)
  expect(await sizeOf(folder, 150)).toEqual(whole)
  const part = await sizeOf(folder, 100)
  expect(part.complete).toBe(false)
  expect(part.bytes < whole.bytes && part.bytes > 0).toBe(true)
})

it('the sizes of worktrees are measured again only after a while, and not for missing ones', async () => {
  const swarm = await openSwarm()
  const folder = await swarm.build('auth')
  let now = 0
  const measure = worktreeMeasurer(1000, () => now)
  const look = async () => measure([await swarm.worktree('auth')])
  const [first] = await look()
  expect(first).toMatchObject({ name: 'auth', complete: true })
  write(folder, { big: 'x'.repeat(1_000_000) })
  expect(await look()).toEqual([first])
  now = 1000
  expect((await look())[0]!.bytes - first!.bytes >= 1_000_000).toBe(true)
  sh(swarm.root, 'rm -rf ../auth')
  now = 2000
  expect(await look()).toEqual([])
})
