import { unlessRoleLost, whileHolding } from './lease.ts'
import { wishesOf } from './wishes.ts'
import type { World } from './world.ts'

/** A piece of outside work; its `key` keeps it from running twice at once. */
export interface Job {
  readonly key: string
  /** Resolves to false if the work is incomplete and must be retried. */
  run(): Promise<boolean | void>
}

export type Wishes = Awaited<ReturnType<typeof wishesOf>>

/**
 * Work that only one process does at a time. Another process may have done it between the read of the rows and the
 * lease, so the rows are read again under the lease. If the lease is lost midway, the process that has it continues.
 */
export const exclusive = (
  world: World,
  key: string,
  work: (held: World, wishes: Wishes) => Promise<boolean | void>,
): Job => ({
  key,
  run: async () => {
    const done = await unlessRoleLost(() =>
      whileHolding(world, key, 0, async (held) => work(held, await wishesOf(held))),
    )
    return done ? done.result : false
  },
})
