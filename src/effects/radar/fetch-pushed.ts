import { workRef } from '../../domain/host/remote.ts'
import { isRefusal } from '../../domain/rules/refusal.ts'
import type { RadarSubject } from '../../operations/worktrees/radar-subjects.ts'
import type { Core } from '../../operations/perform/core.ts'
import { commitsOf } from '../git/commits.ts'
import { fetchRefs, remoteOf } from '../remote/tips.ts'
import type { World } from '../world.ts'

/** From one fetch to the next (ms): a commit that the remote does not have may never come. */
const PAUSE = 10_000

/** The pushed commits that are in this clone, or that git refuses, and when it last fetched. */
const known = new WeakMap<Core, { readonly here: Set<string>; fetchedAt: number }>()

/**
 * Fetches what other hosts have pushed of their worktrees, so that the radar can compare it. If the remote does not
 * answer, the others are compared.
 */
export const fetchPushed = async (
  world: Pick<World, 'core' | 'actor' | 'report'>,
  subjects: readonly Pick<RadarSubject, 'name' | 'pushed'>[],
): Promise<void> => {
  const { core } = world
  const seen = known.get(core) ?? { here: new Set<string>(), fetchedAt: -Infinity }
  known.set(core, seen)
  const news = subjects.flatMap(({ name, pushed }) =>
    pushed === null || seen.here.has(pushed) ? [] : [{ name, pushed }],
  )
  if (news.length === 0) return
  const found = await commitsOf(
    core.root,
    news.map(({ pushed }) => pushed),
  )
  for (const oid of found.keys()) seen.here.add(oid)
  const missing = news.filter(({ pushed }) => !found.has(pushed))
  if (missing.length === 0 || performance.now() - seen.fetchedAt < PAUSE) return
  const remote = await remoteOf(world)
  if (remote === undefined) return
  seen.fetchedAt = performance.now()
  try {
    await fetchRefs(remote, new Map(missing.map(({ name }) => [workRef(name), workRef(name)])), (ref, why) => {
      seen.here.add(missing.find(({ name }) => workRef(name) === ref)!.pushed)
      world.report(why.message)
    })
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
}
