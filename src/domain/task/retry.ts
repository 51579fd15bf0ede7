/** Seed 000: 30 s before the first retry, 60 s before the second; later ones keep the last delay. */
const delays = [30_000, 60_000] as const

/** Milliseconds to wait before retry number `retry` (from 1). */
export const retryDelay = (retry: number): number => delays[Math.min(retry, delays.length) - 1] ?? delays[0]

/**
 * A lost attempt (its agent died or became silent) uses up no retry, but a task that kills every agent must end: after
 * so many lost attempts it fails finally.
 */
export const LOST_ATTEMPTS_LIMIT = 5

/** Milliseconds until an account or service that has failed is tried again: 1, 2, 4, 8 minutes, … up to an hour. */
export const unavailableDelay = (times: number): number => Math.min(60_000 * 2 ** Math.max(0, times - 1), 3_600_000)

/** The consequence of a failed attempt: another one after a delay, or the end. */
export const afterFailure = (
  retryCount: number,
  maxRetries: number,
): { retry: false } | { retry: true; retryCount: number; delay: number } =>
  retryCount >= maxRetries
    ? { retry: false }
    : { retry: true, retryCount: retryCount + 1, delay: retryDelay(retryCount + 1) }
