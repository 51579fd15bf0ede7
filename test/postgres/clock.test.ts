import { execFileSync } from 'node:child_process'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openWorld } from '../../src/effects/opening/open-core.ts'
import { milliseconds } from '../../src/domain/words/time.ts'
import { temporaryFolder } from '../support/core.ts'
import { addSession, newAddress, openAt, ownCluster } from '../support/board-on-server.ts'

// A board on a server has the clock of that server, whatever this machine's says.

const cluster = ownCluster()

const HOUR = 3_600_000

/** The difference between the clock of a board and a right one (ms). */
const error = (at: string | undefined, right: number): number => Math.abs(milliseconds(at!) - right)

/** Sets the clock of this machine so far off; returns the right one. */
const setWrong = (off: number): (() => number) => {
  const right = Date.now.bind(Date)
  const wrong = vi.spyOn(Date, 'now').mockImplementation(() => right() + off)
  onTestFinished(() => wrong.mockRestore())
  return right
}

test.each([HOUR, -HOUR])(
  'a program that only reads has the clock of the server, with its own %i ms off',
  async (off) => {
    const address = newAddress(cluster)
    ;(await openAt(address)).close()
    const right = Date.now.bind(Date)
    const wrong = vi.spyOn(Date, 'now').mockImplementation(() => right() + off)
    onTestFinished(() => wrong.mockRestore())
    const store = await openAt(address)
    expect(error(store.now!(), right())).toBeLessThan(HOUR / 2)
    await store.read.selectFrom('sessions').select('id').execute()
    expect(error(store.now!(), right())).toBeLessThan(HOUR / 2)
    const read = store.now!()
    await addSession(store, 's')
    expect(store.now!() >= read).toBe(true)
    expect(error(store.now!(), right())).toBeLessThan(HOUR / 2)
  },
)

test('a program shows times, and waits for them, by the clock of the server', async () => {
  const root = temporaryFolder()
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: root })
  const address = newAddress(cluster)
  const right = setWrong(HOUR)
  const { core } = await openWorld(root, { openStore: () => openAt(address), self: ['aiswarm'], warn: () => {} })
  expect(error(core.clock(), right())).toBeLessThan(HOUR / 2)
})
