import { existsSync, readFileSync } from 'node:fs'
import type { Liveness, ProcessIdentity } from '../../domain/agent/agent.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { markers } from './environment.ts'
import { runPath } from '../files/paths.ts'
import { countsHere, identify, isInNamespaceOfBoot, livenessOf } from '../processes/identity.ts'
import { isCut } from '../processes/shim.ts'
import { isMarked } from '../processes/table.ts'

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
