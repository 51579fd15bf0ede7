/** Milliseconds before a transaction is tried again, or the server asked again. */
export const pause = (tries: number): number => Math.min(500, 5 * 2 ** tries) * (0.5 + Math.random())
