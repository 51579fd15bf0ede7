import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { nextChange, sharedChanges, watchChanges } from '../../../src/effects/loops/changes.ts'
import { untilCommit } from '../../../src/effects/until-commit.ts'
import { openCore } from '../../support/core.ts'
import { startFixture, tamper } from '../../support/store.ts'

/** A board with one task, and another process and another connection of this process that change its title. */
const shop = async () => {
  const world = await openCore()
  await world.task({ title: 'old' })
  let child: ChildProcess | undefined
  return {
    store: world.store,
    title: async (): Promise<string> => (await world.show(1)).title,
    rename: async (): Promise<unknown> =>
      world.store.write((db) => db.updateTable('tasks').set({ title: 'ours' }).where('id', '=', 1).execute()),
    beside: (title: string): void => tamper(world.store.path, `UPDATE tasks SET title = '${title}' WHERE id = 1`),
    elsewhere: async (title: string): Promise<void> => {
      child ??= startFixture('committer', [world.store.path])
      child.stdin!.write(`${title}\n`)
      await once(child.stdout!, 'data')
    },
  }
}

/** Only the timers of the watch are replaced: messages of other processes arrive in real time. */
const holdClock = (): void => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
}

const pass = (): void => void vi.advanceTimersByTime(100)

describe('a watcher', () => {
  it('is called for a commit of another process, of another connection and of its own, once each', async () => {
    const { store, elsewhere, beside, rename } = await shop()
    holdClock()
    const heard = vi.fn()
    const stop = watchChanges(store, heard)
    pass()
    expect(heard).toHaveBeenCalledTimes(0)
    for (const [at, commit] of [() => elsewhere('a'), async () => beside('b'), rename].entries()) {
      await commit()
      pass()
      pass()
      expect(heard).toHaveBeenCalledTimes(at + 1)
    }
    stop()
    beside('c')
    pass()
    expect(heard).toHaveBeenCalledTimes(3)
  })

  it('is not called for an earlier commit, a read or a rolled-back transaction', async () => {
    const { store, beside, title } = await shop()
    beside('new')
    holdClock()
    const heard = vi.fn()
    onTestFinished(watchChanges(store, heard))
    expect(await title()).toBe('new')
    await store
      .write(async (db) => {
        await db.updateTable('tasks').set({ title: 'never' }).execute()
        throw new Error('given up')
      })
      .catch(() => {})
    pass()
    expect(heard).not.toHaveBeenCalled()
  })

  it('shares one timer, which ends with the last watcher and starts again with the next', async () => {
    const { store, beside } = await shop()
    holdClock()
    const watch = sharedChanges(store)
    const [one, two, three] = [vi.fn(), vi.fn(), vi.fn()]
    const [endOne, endTwo] = [watch(one), watch(two)]
    expect(vi.getTimerCount()).toBe(1)
    beside('a')
    pass()
    endOne()
    endOne()
    expect(vi.getTimerCount()).toBe(1)
    beside('b')
    pass()
    endTwo()
    expect(vi.getTimerCount()).toBe(0)
    beside('c')
    const endThree = watch(three)
    pass()
    expect(three).not.toHaveBeenCalled()
    beside('d')
    pass()
    expect([one, two, three].map((listener) => listener.mock.calls.length)).toEqual([1, 2, 1])
    endThree()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('may watch twice with the same function, and ends each watch separately', async () => {
    const { store, beside } = await shop()
    holdClock()
    const watch = sharedChanges(store)
    const heard = vi.fn()
    const [end, endOther] = [watch(heard), watch(heard)]
    end()
    beside('a')
    pass()
    expect(heard).toHaveBeenCalledTimes(1)
    endOther()
  })
})

describe('a cached read', () => {
  it('is read once per key, and again after a commit of any process', async () => {
    const { store, title, elsewhere, rename } = await shop()
    const read = vi.fn(async (key: string) => `${key} ${await title()}`)
    const now = untilCommit(store, read)
    expect([await now('a'), await now('b'), await now('a'), await now('b')]).toEqual([
      'a old',
      'b old',
      'a old',
      'b old',
    ])
    expect(read).toHaveBeenCalledTimes(2)
    await elsewhere('new')
    expect([await now('a'), await now('a')]).toEqual(['a new', 'a new'])
    expect(read).toHaveBeenCalledTimes(3)
    await rename()
    expect([await now('b'), await now('a')]).toEqual(['b ours', 'a ours'])
    expect(read).toHaveBeenCalledTimes(5)
  })

  it('is not cached if a commit happened during the read, even if another key was read meanwhile', async () => {
    const { store, title, beside } = await shop()
    const gate = Promise.withResolvers<void>()
    let reads = 0
    const now = untilCommit(store, async (key) => {
      const found = `${key} ${await title()}`
      if (++reads === 1) await gate.promise
      return found
    })
    const slow = now('a')
    await vi.waitUntil(() => reads === 1)
    beside('new')
    expect(await now('b')).toBe('b new')
    gate.resolve()
    expect(await slow).toBe('a old')
    expect(await now('a')).toBe('a new')
    expect(reads).toBe(3)
  })

  it('is repeated if it failed', async () => {
    const { store, title } = await shop()
    let fails = true
    const now = untilCommit(store, async () => {
      if (fails) throw new Error('not now')
      return title()
    })
    await expect(now('a')).rejects.toThrow('not now')
    fails = false
    expect(await now('a')).toBe('old')
  })
})

// Nothing here measures time: a call that does not return at the right moment blocks until the test fails.
describe('the next change', () => {
  const NEVER = 3_600_000
  const unheard = new AbortController().signal

  it('comes with a commit of another process, and at once if there was one', async () => {
    const { store, elsewhere } = await shop()
    const version = store.version()
    const change = nextChange(store, version, NEVER, unheard)
    await elsewhere('new')
    await change
    expect(store.version()).not.toBe(version)
    await nextChange(store, version, NEVER, unheard)
  })

  it('comes at the deadline without a commit, and when the wait is aborted', async () => {
    const { store } = await shop()
    await nextChange(store, store.version(), 1, unheard)
    const end = new AbortController()
    const change = nextChange(store, store.version(), NEVER, end.signal)
    end.abort()
    await change
    await nextChange(store, store.version(), NEVER, end.signal)
  })

  it('does not come without a deadline, a commit or an abort', async () => {
    const { store, beside } = await shop()
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    let come = false
    const looks = vi.spyOn(store, 'version')
    const change = nextChange(store, store.version(), NEVER, unheard).then(() => (come = true))
    // It has looked a few times and found nothing.
    await vi.waitUntil(() => looks.mock.calls.length > 5, 20_000)
    expect(come).toBe(false)
    beside('new')
    await change
  })

  it('lets other work run, even if there is always a change', async () => {
    const { store } = await shop()
    let turns = 0
    const timer = setImmediate(() => turns++)
    onTestFinished(() => clearImmediate(timer))
    await nextChange(store, -1, 0, unheard)
    expect(turns).toBe(1)
  })
})
