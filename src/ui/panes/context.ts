import { createContext, useContext, useRef } from 'react'
import { useStore } from 'zustand'
import type { StoreApi } from 'zustand/vanilla'
import { same } from '../core/structural-sharing.ts'
import type { ConsoleState } from '../core/state.ts'

export const StoreContext = createContext<StoreApi<ConsoleState> | null>(null)

/** Draws its component again only when the selected value changes. */
export const useConsole = <T>(select: (state: ConsoleState) => T): T => {
  const last = useRef<{ readonly select: unknown; readonly state: ConsoleState; readonly value: T } | null>(null)
  // React reads what a component has selected twice, the second time after the frame.
  return useStore(useContext(StoreContext)!, (state) => {
    if (last.current?.select === select && last.current.state === state) return last.current.value
    const value = select(state)
    last.current = { select, state, value }
    return value
  })
}

/**
 * As `useConsole`, for rows that are created for each selection: draws again only if they differ. Ink writes its whole
 * frame again after every commit (some 6 ms at 200×50), even if nothing has changed.
 */
export const useRows = <T>(select: (state: ConsoleState) => T): T => {
  const last = useRef<T | undefined>(undefined)
  return useConsole((state) => {
    const next = select(state)
    return last.current !== undefined && same(last.current, next) ? last.current : (last.current = next)
  })
}
