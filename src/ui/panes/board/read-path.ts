import type { Connection } from '../../../operations/perform/core.ts'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import { type Dependency, searchCriticalPath } from '../../../domain/task/dependencies.ts'
import { perform } from '../../../operations/perform/perform.ts'
import { readOpenDependencies } from '../../../operations/screens/dependency-tree.ts'

/** Most dependencies that are gone through for the critical path, a page of 500 at a time with the keys between. */
const MOST = 200_000

/** All of them have to be seen, which takes long on a large board: no more than this part of the time is spent on it. */
const SHARE = 20

/** The critical path, while `wanted` holds. */
export const readPath = async (
  { core, actor }: Connection,
  wanted: () => boolean,
  arrived: (ids: readonly number[]) => void,
): Promise<void> => {
  if (!wanted()) return
  const began = performance.now()
  const all: Dependency[] = []
  for (let page = await perform(core, readOpenDependencies, {}, actor), seen = 500; ; seen += 500) {
    all.push(...page.dependencies)
    if (page.next === null || seen >= MOST || !wanted()) break
    // Between two pages the keys have their turn.
    await turn()
    page = await perform(core, readOpenDependencies, { after: page.next }, actor)
  }
  const search = searchCriticalPath(all)
  let found = search.next()
  for (; !found.done && wanted(); found = search.next()) await turn()
  if (found.done) arrived(found.value)
  // Asked for meanwhile it begins anew after that.
  await pause(SHARE * (performance.now() - began), undefined, { ref: false })
}
