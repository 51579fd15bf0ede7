import { createHash, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import type { AgentKind } from '../../agents/kind/kind.ts'
import type { Liveness, ProcessIdentity } from '../../domain/agent/agent.ts'
import { COMMAND_KIND } from '../../domain/task/startable.ts'
import { memoryUser } from '../../memory/dual-memory/user.ts'
import { type Core, isHome } from '../../operations/perform/core.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { ALONE, WORKER } from '../doorway/entry.ts'
import { goesThroughWorker } from '../doorway/worker.ts'
import { binFolder, runFolder, runPath } from '../files/paths.ts'
import { common, only, ownEnvironment } from '../processes/environment.ts'
import { countsHere, identify, isInNamespaceOfBoot, livenessOf } from '../processes/identity.ts'
import { isCut } from '../processes/shim.ts'
import { isMarked } from '../processes/table.ts'
import type { World } from '../world.ts'

// How a run is recognised, also after a crash: the markers in its environment, and the records of its start and of
// its end.

/** The identity of a run for its processes: the command line and the MCP server read it from these variables. */
export const identityOfRun = ({ core }: World, run: Pick<AgentRun, 'agentId' | 'run'>): Record<string, string> => ({
  ...markers(core.root, run),
  // On a board on a server, the process that serves this host carries out what its agents ask for.
  ...(goesThroughWorker(core) ? { [WORKER]: runFolder(core.root), ...(isHome(core) ? { [ALONE]: '1' } : {}) } : {}),
  // Without it an agent's calls would reach another board; it has no password.
  ...(process.env['AISWARM_STORE'] ? { AISWARM_STORE: process.env['AISWARM_STORE'] } : {}),
  AISWARM_AGENT_TOKEN: core.launchToken(run.agentId, run.run),
  // Memories that an agent writes or reads belong to the person for whom it works.
  MEMORY_USER_ID: memoryUser(process.env),
})

/**
 * The environment of a run: the person's variables that its kind may have, the variables that the kind adds, and the
 * agent's identity.
 */
export const agentEnvironment = (
  world: World,
  run: AgentRun,
  passes: AgentKind['passes'],
  ofKind: Readonly<Record<string, string>>,
): Record<string, string> => {
  const { core } = world
  const ofBranch = run.kind === COMMAND_KIND ? core.settings.integration.pass : []
  return {
    ...only(ownEnvironment(), [...common, ...passes, ...core.settings.agents.pass, ...ofBranch]),
    ...ofKind,
    ...(run.ofAgent ? {} : run.environment),
    PATH: [binFolder(core.root), process.env['PATH'] ?? ''].join(delimiter),
    ...identityOfRun(world, run),
    AISWARM_TASK_ID: String(run.taskId ?? ''),
    AISWARM_WORKTREE: run.worktree ?? '',
  }
}

/** Markers in the environment that identify this agent's processes, even after they left its group. */
export const markers = (root: string, run: Pick<AgentRun, 'agentId' | 'run'>): Record<string, string> => ({
  AISWARM_AGENT_ID: run.agentId,
  AISWARM_RUN: String(run.run),
  AISWARM_ROOT: root,
})

/** Decisions made at the start of the run; a launch that is repeated after a crash records the same. */
export interface Begun {
  readonly outputOffset: number
  readonly model: string | null
  readonly resumes: string | null
  /** The place where the number in its pid file is valid; an older aiswarm did not record it. */
  readonly place?: string | undefined
  /** True if its exit record must end with its seal; an older aiswarm had none. */
  readonly sealed?: boolean
  /** True if its input is a journal. */
  readonly talks?: boolean
  /** Numbers of the messages in its prompt. */
  readonly messages?: readonly number[]
  /** Why the kernel does not confine its program; null if it does. */
  readonly unconfined?: string | null
}

export const readBegun = (root: string, run: AgentRun): Begun =>
  JSON.parse(readFileSync(runPath(root, run.agentId, run.run, 'start'), 'utf8')) as Begun

/** The offset at which a run begins in the output of its agent; 0 if unknown. */
export const outputOffsetOf = (root: string, run: AgentRun): number =>
  existsSync(runPath(root, run.agentId, run.run, 'start')) ? readBegun(root, run).outputOffset : 0

const placeOfStart = (root: string, run: AgentRun): string | undefined =>
  existsSync(runPath(root, run.agentId, run.run, 'start')) ? readBegun(root, run).place : undefined

export const recorded = ({ outputOffset, model, resumes, talks = false, messages = [], unconfined = null }: Begun) => ({
  outputOffset,
  model,
  resumes,
  talks,
  messages: [...messages],
  unconfined,
})

/** The process of a run by the number in its pid file, which may be reused by now, after a reboot or a wrap-around. */
export const identifyRun = (root: string, run: AgentRun, pid: number): ProcessIdentity | undefined => {
  const place = placeOfStart(root, run)
  // The number is valid in another place only, where it can be looked up: the process is unknown, not gone.
  if (place !== undefined && !countsHere(place)) return { pid, startedAt: 'unknown', bootId: place }
  return isMarked(pid, markers(root, run)) ? identify(pid) : undefined
}

/**
 * The liveness of a run's process. In a container that was restarted its number means nothing, but the pipe that it held
 * shows whether it, or a process that it started, still runs.
 */
export const livenessOfRun = (root: string, run: Pick<AgentRun, 'agentId' | 'run' | 'identity'>): Liveness => {
  const liveness = livenessOf(run.identity!)
  if (liveness !== 'unknown' || !isInNamespaceOfBoot(run.identity!.bootId)) return liveness
  return isCut(runPath(root, run.agentId, run.run, 'life')) ? 'dead' : 'unknown'
}

// The end of a run, as its shim records it. The agent can write to the file's folder, so the shim ends its line with a
// seal that only the shim received (on its standard input, which its command does not inherit).

type Run = Pick<AgentRun, 'agentId' | 'run'>

/** The seal of a run: the same for every process that launches it, and different from the agent's token. */
export const sealOf = ({ launchToken }: Pick<Core, 'launchToken'>, { agentId, run }: Run): string =>
  createHash('sha256')
    .update(launchToken(`exit record of ${agentId}`, run))
    .digest('hex')

/** The exit code that the shim has recorded; null if there is none, or if another process wrote it. */
export const exitCodeOf = (core: Pick<Core, 'root' | 'launchToken'>, run: Run): number | null => {
  const path = runPath(core.root, run.agentId, run.run, 'exit')
  if (!existsSync(path)) return null
  // The line is complete only with its line break.
  const [, code, seal] = /^(\d{1,3})(?: ([0-9a-f]{64}))?\n$/.exec(readFileSync(path, 'utf8').slice(0, 200)) ?? []
  if (code === undefined) return null
  if (seal === undefined) return isSealed(core.root, run) ? null : Number(code)
  return timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(core, run))) ? Number(code) : null
}

const isSealed = (root: string, { agentId, run }: Run): boolean => {
  try {
    return (
      (JSON.parse(readFileSync(runPath(root, agentId, run, 'start'), 'utf8')) as { sealed?: boolean }).sealed === true
    )
  } catch {
    return true
  }
}
