import { vi } from 'vitest'

/** Milliseconds after which what never comes is given up; nothing is measured by it, and a busy machine may take its time. */
const LIMIT = 60_000

/** Looks until nothing is thrown any more; gives what was found, or fails with what was thrown last. */
export const eventually = <T>(look: () => T | Promise<T>): Promise<T> => vi.waitFor(look, { timeout: LIMIT })
