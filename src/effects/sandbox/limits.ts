import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reached } from '../../domain/agent/agent.ts'
import type { LimitSettings } from '../../domain/settings/agent-settings.ts'
import { limitsFor } from '../../domain/settings/persona-settings.ts'
import { bytes } from '../../domain/words/counts.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { runPath } from '../files/paths.ts'
import { trial } from '../processes/process.ts'
import { which } from '../processes/programs.ts'
import type { World } from '../world.ts'
import type { LimitsInside } from './bubblewrap.ts'
import type { Watched } from './entry.ts'

// The limits of a run: what holds its processes to them, and what they have reached.

type Run = Pick<AgentRun, 'agentId' | 'run' | 'personaId'>

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

const isLimited = (limits: LimitSettings): boolean => Object.values(limits).some((limit) => limit !== null)

const holderWords = (found: Awaited<ReturnType<typeof limiter>>): string =>
  found.kind === 'scope'
    ? 'in a scope of systemd'
    : found.kind === 'cgroup'
      ? 'in a cgroup'
      : `watched in the sandbox only, because ${found.why}`

const recordOf = (root: string, { agentId, run }: Run): string => runPath(root, agentId, run, 'limit')
const nameOf = ({ agentId, run }: Run): string => `${agentId}.${run}`

// How the kernel limits what the processes of an agent use together: a scope of systemd, a cgroup of our own, or, where
// neither can be made, a process that watches them.

/**
 * `watch`: memory is added up by a process, for a reason that is a part of a sentence; `pids` is the folder of the first
 * version of cgroups in which the kernel limits processes, if there is one.
 */
type Limiter =
  | { readonly kind: 'scope'; readonly words: readonly string[]; readonly unset: readonly string[] }
  | { readonly kind: 'cgroup'; readonly folder: string }
  | Watching

interface Watching {
  readonly kind: 'watch'
  readonly why: string
  readonly pids?: string
}

/** How long a failed trial is believed (ms), and how long a trial may take on a busy machine. */
const BELIEVED = 60_000
const PATIENCE = 20_000

let known: { readonly at: number; readonly limiter: Promise<Limiter> } | undefined

export const limiter = async (): Promise<Limiter> => {
  const now = performance.now()
  const believed = known !== undefined && (now - known.at < BELIEVED || (await known.limiter).kind !== 'watch')
  if (!believed) known = { at: now, limiter: findLimiter() }
  return known!.limiter
}

/** The places in which limits can be made; tests replace them. */
interface Where {
  readonly path: string
  /** Where the second version of cgroups is mounted. */
  readonly cgroups: string
  readonly own: string
}

const here = (): Where => ({
  path: `${process.env['PATH'] ?? ''}:/usr/bin:/bin`,
  cgroups: '/sys/fs/cgroup',
  own: /^0::(.*)$/m.exec(read('/proc/self/cgroup') ?? '')?.[1] ?? '/',
})

/** Tried by a real start, which must see its own limits. */
export const findLimiter = async (where: Where = here()): Promise<Limiter> => {
  if (process.platform !== 'linux') return { kind: 'watch', why: `${process.platform} has no cgroups` }
  if (!existsSync(join(where.cgroups, 'cgroup.controllers'))) {
    const watching: Watching = { kind: 'watch', why: 'this machine has no unified cgroups (version 2)' }
    const pids = pidsFolder(where)
    return pids !== undefined && (await limitsProcesses({ ...watching, pids })) ? { ...watching, pids } : watching
  }
  const scope = scopeOf(where)
  if (scope !== undefined && (await holdsIn(scope, where))) return scope
  const own: Limiter = { kind: 'cgroup', folder: join(where.cgroups, where.own) }
  if (await holdsIn(own, where)) return own
  return { kind: 'watch', why: 'neither systemd nor the kernel lets this user make a cgroup with limits' }
}

/** The bus of the session is needed by systemd-run alone: it is unset again for the program if that has none. */
const scopeOf = ({ path }: Where): Limiter | undefined => {
  const program = which('systemd-run', '/', path)
  if (program === undefined) return undefined
  const bus = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'].filter((name) => process.env[name] !== undefined)
  const set = bus.map((name) => `${name}=${process.env[name]}`)
  return {
    kind: 'scope',
    words: ['env', ...set, program, ...(process.getuid?.() === 0 ? [] : ['--user']), '--scope', '--quiet', '--collect'],
    unset: bus,
  }
}

/** Smallest limits that let a shell run, so that a trial shows whether they hold. */
const TRIED = { memory: 64 * 1024 ** 2, processes: 32, cpuWeight: 100 }

/** The test of a trial, started inside: it reads the limit that the kernel has for itself. */
const sees = (cgroups: string): string =>
  `while IFS=: read -r n c p; do [ "$n$c" = 0 ] && [ "$(cat "${cgroups}$p/memory.max")" = ${TRIED.memory} ] && exit 0; done < /proc/self/cgroup; exit 1`

const holdsIn = async (limiter: Limiter, { cgroups }: Where): Promise<boolean> => {
  const name = `trial.${process.pid}`
  const words = limitWords(limiter, TRIED, { name, record: null, environment: {} })
  if (words === undefined) return false
  try {
    return (await trial([...words, '/bin/sh', '-c', sees(cgroups)], PATIENCE)).exitCode === 0
  } finally {
    removeCgroupOf(limiter, name)
  }
}

/** The first version of cgroups: a controller has a tree of its own. */
const pidsFolder = ({ cgroups }: Where): string | undefined => {
  const own = /^\d+:pids:(.*)$/m.exec(read('/proc/self/cgroup') ?? '')?.[1]
  const folder = own === undefined ? undefined : join(cgroups, 'pids', own)
  return folder !== undefined && existsSync(join(folder, 'cgroup.procs')) ? folder : undefined
}

const limitsProcesses = async (limiter: Watching): Promise<boolean> => {
  const name = `trial.${process.pid}`
  const words = limitWords(limiter, TRIED, { name, record: null, environment: {} })
  try {
    const test = `[ "$(cat "$0/pids.max")" = ${TRIED.processes} ] && grep -qF aiswarm.${name} /proc/self/cgroup`
    const { exitCode } = await trial([...(words ?? []), '/bin/sh', '-c', test, cgroupOf(limiter, name)!], PATIENCE)
    return exitCode === 0
  } finally {
    removeCgroupOf(limiter, name)
  }
}

/** Facts about one start. */
interface Limited {
  /** Names the cgroup. */
  readonly name: string
  /** The file that says which limit was reached. */
  readonly record: string | null
  readonly environment: Readonly<Record<string, string>>
}

/** The words before a program that is to have these limits; undefined if its cgroup cannot be made. */
export const limitWords = (
  limiter: Limiter,
  limits: LimitSettings,
  { name, record, environment }: Limited,
): readonly string[] | undefined => {
  if (limiter.kind === 'watch') {
    const nice = niceWords(limits)
    if (limiter.pids === undefined || limits.processes === null) return nice
    const folder = folderOf(limiter.pids, name)
    return makePids(folder, limits.processes) ? [...joining(folder), ...nice] : nice
  }
  if (limiter.kind === 'scope') {
    const unset = limiter.unset.filter((one) => environment[one] === undefined).flatMap((one) => ['-u', one])
    return [...limiter.words, ...properties(limits), '--', ...wrapper('', limits, record), 'env', ...unset]
  }
  const folder = folderOf(limiter.folder, name)
  return makeCgroup(limiter.folder, folder, limits) ? wrapper(folder, limits, record) : undefined
}

/** The folder of the cgroup that limits the processes of a run; undefined if there is none. */
const cgroupOf = (limiter: Limiter, name: string): string | undefined => {
  const parent = limiter.kind === 'cgroup' ? limiter.folder : limiter.kind === 'watch' ? limiter.pids : undefined
  return parent === undefined ? undefined : folderOf(parent, name)
}

const folderOf = (parent: string, name: string): string => join(parent, `aiswarm.${name}`)

/** A shell that joins a cgroup and becomes the program. */
const joining = (folder: string): readonly string[] => [
  '/bin/sh',
  '-c',
  'echo $$ > "$0/cgroup.procs" || exit 125; exec "$@"',
  folder,
]

/** Once its program has ended. */
const removeCgroupOf = (limiter: Limiter, name: string): void => {
  const folder = cgroupOf(limiter, name)
  if (folder !== undefined) removeCgroup(folder)
}

/** With `Delegate` the rest of the scope goes on when the kernel ends one process for memory, so that it can be recorded. */
const properties = ({ memory, processes, cpuWeight }: LimitSettings): readonly string[] =>
  [
    'Delegate=yes',
    ...(memory === null ? [] : [`MemoryMax=${memory}`, 'MemorySwapMax=0']),
    ...(processes === null ? [] : [`TasksMax=${processes}`]),
    ...(cpuWeight === null ? [] : [`CPUWeight=${cpuWeight}`]),
  ].flatMap((one) => ['-p', one])

/** The share as a nice value: each step is worth a quarter. A higher share needs rights that a person seldom has. */
const niceWords = ({ cpuWeight }: LimitSettings): readonly string[] =>
  cpuWeight === null || cpuWeight >= 100
    ? []
    : ['nice', '-n', String(Math.min(19, Math.round(Math.log(100 / cpuWeight) / Math.log(1.25))))]

/**
 * A shell around the program: it joins the cgroup, and after a failure of the program records the limit that was
 * reached. It uses only builtins, except for a cgroup that it reads.
 */
const wrapper = (folder: string, { memory, processes }: LimitSettings, record: string | null): readonly string[] => [
  '/bin/sh',
  '-c',
  `folder=$0; record=$1; memory=$2; processes=$3; shift 3
trap : TERM INT HUP
if [ -n "$folder" ]; then echo $$ > "$folder/cgroup.procs" || exit 125
else while IFS=: read -r n c p; do [ "$n$c" = 0 ] && folder=/sys/fs/cgroup$p; done < /proc/self/cgroup; fi
"$@"
code=$?
if [ "$code" != 0 ] && [ -n "$record" ]; then
  while read -r n v; do [ "$n" = oom_kill ] && [ "$v" != 0 ] && echo "memory $memory" > "$record"; done < "$folder/memory.events"
  [ -e "$record" ] || while read -r n v; do [ "$n" = max ] && [ "$v" != 0 ] && echo "processes $processes" > "$record"; done < "$folder/pids.events"
fi
exit "$code"`,
  folder,
  record ?? '',
  String(memory ?? ''),
  String(processes ?? ''),
]

const makeCgroup = (parent: string, folder: string, { memory, processes, cpuWeight }: LimitSettings): boolean => {
  try {
    if (!(read(join(parent, 'cgroup.subtree_control')) ?? '').includes('memory'))
      writeFileSync(join(parent, 'cgroup.subtree_control'), '+memory +pids +cpu')
    mkdirSync(folder, { recursive: true })
    if (memory !== null) {
      writeFileSync(join(folder, 'memory.max'), String(memory))
      writeFileSync(join(folder, 'memory.swap.max'), '0')
    }
    if (processes !== null) writeFileSync(join(folder, 'pids.max'), String(processes))
    if (cpuWeight !== null) writeFileSync(join(folder, 'cpu.weight'), String(cpuWeight))
    return true
  } catch {
    removeCgroup(folder)
    return false
  }
}

const makePids = (folder: string, processes: number): boolean => {
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'pids.max'), String(processes))
    return true
  } catch {
    removeCgroup(folder)
    return false
  }
}

const removeCgroup = (folder: string): void => {
  try {
    rmdirSync(folder)
  } catch {
    // It was never made, or a process of it still ends; an empty cgroup costs nothing.
  }
}

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
