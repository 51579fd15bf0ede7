/** Runs `work` for each item, at most `most` at a time; the results keep the order of the items. */
export const mapConcurrently = async <T, R>(
  things: readonly T[],
  most: number,
  work: (thing: T, index: number) => Promise<R>,
): Promise<R[]> => {
  const answers: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < things.length; index = next++) answers[index] = await work(things[index]!, index)
  }
  await Promise.all(Array.from({ length: Math.min(most, things.length) }, worker))
  return answers
}
