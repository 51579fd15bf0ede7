import type { Store } from '../../src/db/engine/store.ts'
import { Refusal, StoreRefusal } from '../../src/domain/rules/refusal.ts'
import type { World } from '../../src/effects/world.ts'
import type { Core } from '../../src/operations/perform/core.ts'

// Stores that refuse accesses, as if their server were away: some of them, or all for a while.

const ENTRIES = ['read', 'reading', 'write'] as const

/** A world on a store that refuses some accesses, as if its server were away for a while. */
export const withAbsence = <W extends { readonly core: Core }>(world: W) => {
  let left = Infinity
  let many = 1
  const meet = (): void => {
    if (--left <= 0 && left > -many) throw new StoreRefusal('store_unreachable', 'The server does not answer.')
  }
  const store = new Proxy(world.core.store, {
    get: (target: Store, key: keyof Store) => {
      const value: unknown = Reflect.get(target, key)
      const isEntry = ENTRIES.some((entry) => entry === key)
      if (typeof value !== 'function') {
        if (isEntry && value !== undefined) meet()
        return value
      }
      return (...of: unknown[]): unknown => {
        if (isEntry) meet()
        return Reflect.apply(value, target, of)
      }
    },
  })
  return {
    world: { ...world, core: { ...world.core, store } },
    /** The `nth` access from now on is refused, or so many from it on. */
    refuse: (nth: number, times = 1): void => void ([left, many] = [nth, times]),
    /** True if it was. */
    wasAway: (): boolean => left <= 0,
  }
}

/** The world of a board that refuses every read and write while `away`, as a server that is restarted does. */
export const leavingBoard = (world: World) => {
  const state = {
    away: false,
    refusal: new Refusal('store_unreachable', 'The server does not answer.'),
    reads: 0,
    refused: 0,
  }
  const { store } = world.core
  const refuse = (): Refusal => {
    state.refused++
    return state.refusal
  }
  const leaving = {
    ...store,
    version: () => store.version(),
    get read() {
      state.reads++
      if (state.away) throw refuse()
      return store.read
    },
    write: (...of: Parameters<typeof store.write>) => (state.away ? Promise.reject(refuse()) : store.write(...of)),
  } as typeof store
  return { state, world: { ...world, core: { ...world.core, store: leaving } } }
}
