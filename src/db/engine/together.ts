/**
 * Waits for statements that do not need each other's answers, which a server gets in one message; in a write each sees what
 * those before it have written. The first that failed in
 * the order given is thrown, once none is under way any more.
 */
export const together = async <const Waits extends readonly unknown[]>(
  ...waits: Waits
): Promise<{ -readonly [At in keyof Waits]: Awaited<Waits[At]> }> => {
  const ends = await Promise.allSettled(waits)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
  return ends.map((end) => (end as PromiseFulfilledResult<unknown>).value) as {
    -readonly [At in keyof Waits]: Awaited<Waits[At]>
  }
}
