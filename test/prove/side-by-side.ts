/**
 * Processes each item in order, up to `lanes` of them at a time, because cases that wait for processes leave the
 * processor to others.
 */
export const sideBySide = async <Item>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item, lane: number) => Promise<void>,
): Promise<void> => {
  let next = 0
  const lane = async (at: number): Promise<void> => {
    while (next < items.length) await work(items[next++]!, at)
  }
  await Promise.all(Array.from({ length: lanes }, (_, at) => lane(at)))
}
