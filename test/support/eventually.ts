import { vi } from 'vitest'

/** Milliseconds after which a missing event is a failure. It measures nothing, and a busy machine may take its time. */
const LIMIT = 60_000

/** Repeats until no exception is thrown; returns the result, or fails with the last exception. */
export const eventually = <T>(look: () => T | Promise<T>): Promise<T> => vi.waitFor(look, { timeout: LIMIT })
