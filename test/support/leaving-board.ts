import { Refusal } from '../../src/domain/rules/refusal.ts'
import type { World } from '../../src/effects/world.ts'

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
