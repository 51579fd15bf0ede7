import { join } from 'node:path'
import { isRefusal, isUndecided } from '../../domain/rules/refusal.ts'
import { milliseconds } from '../../domain/words/time.ts'
import { readMemoryFile } from '../../memory/files.ts'
import type { FileWriter } from '../../operations/tasks/file-reports.ts'
import type { World } from '../world.ts'
import { takeResult, takeTurns } from './record-reports.ts'
import { type Found, hasShrunk, type Seen, tell } from './seen-files.ts'

// Seed 000: reads the progress and result files of agents. A file counts for the attempt during which it was written,
// and only if its agent, its task and its session match its name.

/** A file that changed less than this ago may still be being written (ms). */
const SETTLED = 500

/** The file system's clock may lag by a tick (ms). */
const TICK = 20

/** `last`: no process writes the file any more, so it is read as it is. Returns after how many ms to check again. */
export const readOne = async (world: World, seen: Seen, found: Found, last: boolean): Promise<number | undefined> => {
  const { path, writer } = found
  try {
    const file = readMemoryFile(path)
    if (file === undefined || seen.stamps.get(path) === file.changedAt) return undefined
    const age = Date.now() - file.changedAt
    // The clock of a board on a server may be another than that of this machine, which dates its files.
    const changedAt = file.changedAt + milliseconds(world.core.clock()) - Date.now()
    // The wall clock may have been set back since the change.
    if (!last && Math.abs(age) < SETTLED) return SETTLED - Math.max(0, age)
    if (!writer) {
      seen.stamps.set(path, file.changedAt)
      if (!found.known && changedAt + TICK >= found.since)
        await tell(
          world,
          seen,
          found,
          `${found.name} was written, but that agent has no task in progress; the file was ignored.`,
        )
      return undefined
    }
    // Content from before the attempt belongs to an earlier one.
    if (changedAt + TICK >= milliseconds(writer.claimedAt)) await takeIn(world, seen, found, writer, file.bytes, last)
    seen.stamps.set(path, file.changedAt)
    seen.problems.delete(path)
  } catch (error) {
    if (isUndecided(error)) throw error
    const { isFormatError } = await import('../../memory/format-error.ts')
    if (!isRefusal(error) && !isFormatError(error)) throw error
    await tell(world, seen, found, error.message)
  }
  return undefined
}

const takeIn = async (
  world: World,
  seen: Seen,
  found: Found,
  writer: FileWriter,
  bytes: Uint8Array,
  last: boolean,
): Promise<void> => {
  const { decodeText } = await import('../../memory/decode.ts')
  const decoded = decodeText(bytes, found.name)
  const text = last && !decoded.endsWith('\n') ? `${decoded}\n` : decoded
  if (found.kind === 'progress') {
    const { parseProgress } = await import('../../memory/session-files/progress-file.ts')
    const file = parseProgress(text, found.name)
    if (isAnothers(file, writer)) return tell(world, seen, found, anothers(found, file, writer))
    await takeTurns(world, writer, file)
    if (hasShrunk(seen, found, writer, file))
      await tell(
        world,
        seen,
        found,
        `${found.name} has fewer turns than before; the turns already read stay in the log.`,
      )
  } else {
    const { parseResult } = await import('../../memory/session-files/result-file.ts')
    const file = parseResult(text, found.name)
    if (isAnothers(file, writer)) return tell(world, seen, found, anothers(found, file, writer))
    // The summary follows the status: while the agent runs, a file without one is incomplete.
    if (!last && file.summary === '') return
    // The result ends the task, and later turns would not count: unread ones are read first.
    await readLast(world, seen, writer, 'progress', found.sessionId)
    await takeResult(world, writer, file)
  }
}

/** Reads an agent's file of this kind in its present state. */
export const readLast = async (
  world: World,
  seen: Seen,
  writer: FileWriter,
  kind: Found['kind'],
  sessionId: string | null,
): Promise<void> => {
  const { agentId } = writer
  for (const folder of new Set([
    join(world.core.root, world.memory.basePath),
    join(writer.folder, world.memory.basePath),
  ])) {
    const names = [`${kind}-${agentId}.md`, ...(sessionId === null ? [] : [`${kind}-${agentId}-${sessionId}.md`])]
    for (const name of names)
      await readOne(
        world,
        seen,
        { path: join(folder, name), name, kind, writer, sessionId, known: true, since: 0 },
        true,
      )
  }
}

const isAnothers = (
  { agent, task }: { readonly agent: string; readonly task: number | null },
  writer: FileWriter,
): boolean => agent !== writer.agentId || (task !== null && task !== writer.taskId)

const anothers = (
  { name }: Found,
  { agent, task }: { readonly agent: string; readonly task: number | null },
  writer: FileWriter,
): string =>
  agent === writer.agentId
    ? `${name} names task-${task}, but ${writer.agentId} works on task-${writer.taskId}; the file was ignored.`
    : `${name} names ${agent} as its agent, so the wrong agent wrote it; the file was ignored.`
