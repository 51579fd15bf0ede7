import { existsSync, readFileSync, rmSync } from 'node:fs'
import type { Reached } from '../../domain/agent/agent.ts'
import type { LimitSettings } from '../../domain/settings/agent-settings.ts'
import { limitsFor } from '../../domain/settings/persona-settings.ts'
import { bytes } from '../../domain/words/counts.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { runPath } from '../files/paths.ts'
import { which } from '../processes/programs.ts'
import type { World } from '../world.ts'
import type { LimitsInside } from './bubblewrap.ts'
import type { Watched } from './entry.ts'
import { cgroupOf, limiter, limitWords, removeCgroupOf } from './limiter.ts'

// The limits of a run: what holds its processes to them, and what they have reached.

type Run = Pick<AgentRun, 'agentId' | 'run' | 'personaId'>

const isLimited = (limits: LimitSettings): boolean => Object.values(limits).some((limit) => limit !== null)

/** The words before the program of a run, and the limits that its parent must watch. */
export const limitsOfRun = async (
  { core }: Pick<World, 'core'>,
  run: Run,
  { environment }: { readonly environment: Readonly<Record<string, string>> },
): Promise<{ readonly words: readonly string[]; readonly watched?: Watched }> => {
  const limits = limitsFor(core.settings, run.personaId)
  if (!isLimited(limits)) return { words: [] }
  const record = recordOf(core.root, run)
  rmSync(record, { force: true })
  const found = await limiter()
  const name = nameOf(run)
  const words = limitWords(found, limits, { name, record, environment }) ?? []
  if (found.kind !== 'watch') return { words }
  const cgroup = limits.processes === null ? undefined : cgroupOf(found, name)
  return { words, watched: { limits, record, ...(cgroup === undefined ? {} : { cgroup }) } }
}

/** In its namespace the kernel counts the processes of a user apart; root's are not counted. */
export const limitsInside = ({ memory, processes }: LimitSettings): LimitsInside => {
  const program = processes === null ? undefined : which('prlimit', '/', `${process.env['PATH'] ?? ''}:/usr/bin:/bin`)
  return { memory, words: program === undefined ? [] : [program, `--nproc=${processes}`, '--'] }
}

/** The limit that the processes of a run have reached, if any. */
export const reachedLimit = (root: string, run: Run): Reached | undefined => {
  const path = recordOf(root, run)
  const [, limit, most] =
    /^(memory|processes) (\d+)\n$/.exec(existsSync(path) ? readFileSync(path, 'utf8').slice(0, 100) : '') ?? []
  return limit === undefined ? undefined : { limit: limit as Reached['limit'], most: Number(most) }
}

/** Removes what its limits have needed. Can be repeated. */
export const endLimits = async ({ core }: Pick<World, 'core'>, run: Run): Promise<void> => {
  const limits = limitsFor(core.settings, run.personaId)
  if (!isLimited(limits)) return
  removeCgroupOf(await limiter(), nameOf(run))
}

/** The limits of a run for a person, and what holds its processes to them; null if it has none. */
export const limitsWords = async ({ core }: Pick<World, 'core'>, run: Run): Promise<string | null> => {
  const limits = limitsFor(core.settings, run.personaId)
  if (!isLimited(limits)) return null
  const { memory, processes, cpuWeight } = limits
  const words = [
    ...(memory === null ? [] : [`${bytes(memory)} of memory`]),
    ...(processes === null ? [] : [`${processes} processes`]),
    ...(cpuWeight === null ? [] : [`CPU weight ${cpuWeight}`]),
  ]
  return `${words.join(', ')}, ${holderWords(await limiter())}`
}

const holderWords = (found: Awaited<ReturnType<typeof limiter>>): string =>
  found.kind === 'scope'
    ? 'in a scope of systemd'
    : found.kind === 'cgroup'
      ? 'in a cgroup'
      : `watched in the sandbox only, because ${found.why}`

const recordOf = (root: string, { agentId, run }: Run): string => runPath(root, agentId, run, 'limit')
const nameOf = ({ agentId, run }: Run): string => `${agentId}.${run}`
