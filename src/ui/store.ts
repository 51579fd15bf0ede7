import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Instant } from '../domain/words/time.ts'
import { type ConsoleState, emptyPanes } from './core/state.ts'
import { emptyContents, table } from './views/index.ts'

/** Rows and view state without actions: transitions are pure functions, key handlers are rows. */
export const makeStore = (now: Instant): StoreApi<ConsoleState> => createStore<ConsoleState>()(() => initialState(now))

export const initialState = (now: Instant): ConsoleState => ({ ...emptyPanes(now, table), ...emptyContents })
