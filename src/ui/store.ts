import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Instant } from '../domain/time.ts'
import { type ConsoleState, initialState } from './state.ts'

/** Rows and view state, and nothing that acts: transitions are pure functions, presses are rows of keys.ts. */
export const makeStore = (now: Instant): StoreApi<ConsoleState> => createStore<ConsoleState>()(() => initialState(now))
