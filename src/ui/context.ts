import { createContext, useContext, useRef } from 'react'
import { useStore } from 'zustand'
import type { StoreApi } from 'zustand/vanilla'
import { same } from './same.ts'
import type { ConsoleState } from './state.ts'

export const StoreContext = createContext<StoreApi<ConsoleState> | null>(null)

/** Draws its component again only when what it selects is another value. */
export const useConsole = <T>(select: (state: ConsoleState) => T): T => useStore(useContext(StoreContext)!, select)

/**
 * As `useConsole`, for rows that are made anew at each look: draws again only when they say something new.
 * Ink writes its whole frame anew after every commit (some 6 ms at 200×50), also when nothing on it has changed.
 */
export const useRows = <T>(select: (state: ConsoleState) => T): T => {
  const last = useRef<T | undefined>(undefined)
  return useConsole((state) => {
    const next = select(state)
    return last.current !== undefined && same(last.current, next) ? last.current : (last.current = next)
  })
}
