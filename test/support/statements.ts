import type { KyselyPlugin } from 'kysely'
import type { Core } from '../../src/operations/perform/core.ts'

/**
 * A core whose statements are counted: over a network each of them is a round trip. `during` returns their number and
 * the value of some work on this core.
 */
export const countStatements = (core: Core) => {
  let count = 0
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => {
      count += 1
      return Promise.resolve(result)
    },
  }
  const store = Object.create(core.store, {
    read: { value: core.store.read.withPlugin(counter) },
    reading: {
      value: core.store.reading && ((work) => core.store.reading!((db) => work(db.withPlugin(counter)))),
    } satisfies { value: Core['store']['reading'] },
    write: {
      value: ((work, options) =>
        core.store.write(
          (db, at, last) => work(db.withPlugin(counter), at, last.withPlugin(counter)),
          options,
        )) as Core['store']['write'],
    },
  }) as Core['store']
  return {
    core: { ...core, store },
    during: async <T>(work: () => Promise<T>): Promise<{ statements: number; value: T }> => {
      count = 0
      const value = await work()
      return { statements: count, value }
    },
  }
}
