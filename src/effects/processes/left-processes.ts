import { readFileSync, readlinkSync, statSync } from 'node:fs'
import { uptime } from 'node:os'
import type { LeftProcess } from '../../domain/agent/agent.ts'
import { isWithin } from '../../domain/worktree/worktree.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { runPath } from '../files/paths.ts'
import { countsHere } from './identity.ts'
import { familyOf, readProcessTable } from './table.ts'

// Finds processes that a run has left running. The run's group and every process with its marker are killed; a process
// that left its session and cleared its environment is neither. It is reported, and killed only on request, because a
// person may have started it.

/** The processes of each run, each with its start time, as seen while it ran. */
const sampled = new Map<string, Map<number, string>>()

/** Records the descendants of live runs; a process that leaves its parents later is recognised by that. */
export const sampleRuns = (runs: readonly AgentRun[]): void => {
  const live = runs.filter(
    ({ process, identity }) => process === 'started' && identity !== null && countsHere(identity.bootId),
  )
  for (const key of sampled.keys()) if (!live.some((run) => keyOf(run) === key)) sampled.delete(key)
  if (live.length === 0) return
  const table = readProcessTable()
  for (const run of live) {
    const seen = sampled.get(keyOf(run)) ?? new Map<number, string>()
    sampled.set(keyOf(run), seen)
    for (const { pid, startedAt } of familyOf(run.identity!.pid, table))
      if (startedAt !== undefined) seen.set(pid, startedAt)
  }
}

/**
 * The remaining processes of an ended run: sampled processes and their descendants, and processes that started after
 * the run did, have no terminal and work in its worktree. `folder` is that worktree; null for a run in the main
 * checkout.
 */
export const leftOf = (
  root: string,
  run: AgentRun,
  folder: string | null,
  others: readonly AgentRun[],
): readonly LeftProcess[] => {
  const seen = sampled.get(keyOf(run)) ?? new Map<number, string>()
  sampled.delete(keyOf(run))
  if (run.identity === null || !countsHere(run.identity.bootId)) return []
  const table = readProcessTable().filter(({ zombie, pid }) => !zombie && pid !== process.pid)
  const ofOthers = new Set(
    others.flatMap((other) =>
      other.identity === null || keyOf(other) === keyOf(run)
        ? []
        : familyOf(other.identity.pid, table).map(({ pid }) => pid),
    ),
  )
  const known = table.filter(({ pid, startedAt }) => startedAt !== undefined && seen.get(pid) === startedAt)
  // Not processes older than the run: a shell that a person had open there is the person's.
  const began = beganAt(root, run)
  const inside =
    folder === null
      ? []
      : table.filter(
          ({ pid, startedAt, terminal }) => Number(startedAt) >= began && terminal !== true && isInside(pid, folder),
        )
  const roots = [...known, ...inside].filter(({ pid }) => !ofOthers.has(pid))
  const left = new Map(
    roots.flatMap(({ pid }) => [
      [pid, true] as const,
      ...familyOf(pid, table).map((entry) => [entry.pid, true] as const),
    ]),
  )
  return [...left.keys()].sort((a, b) => a - b).map((pid) => ({ pid, name: nameOf(pid) }))
}

const keyOf = (run: Pick<AgentRun, 'agentId' | 'run'>): string => `${run.agentId}.${run.run}`

/**
 * The start of a run in clock ticks since boot; if it had ended before it was recorded, the time when its files were
 * written.
 */
const beganAt = (root: string, run: AgentRun): number => {
  const ticks = Number(run.identity!.startedAt)
  if (!Number.isNaN(ticks)) return ticks
  const written = statSync(runPath(root, run.agentId, run.run, 'start'), { throwIfNoEntry: false })?.mtimeMs
  return written === undefined ? Infinity : Math.floor(uptime() * 100 - (Date.now() - written) / 10) - 1
}

const isInside = (pid: number, folder: string): boolean => {
  try {
    return isWithin(readlinkSync(`/proc/${pid}/cwd`), folder)
  } catch {
    return false
  }
}

const nameOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return 'a process'
  }
}
