import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { isRefusal, isUndecided } from '../../domain/rules/refusal.ts'
import { milliseconds } from '../../domain/words/time.ts'
import { isWithin } from '../../domain/worktree/worktree.ts'
import { listMemoryNames } from '../../memory/file-system.ts'
import { readMemoryFile } from '../../memory/files.ts'
import { describeFile } from '../../memory/session-files/file-names.ts'
import type { ProgressFile } from '../../memory/session-files/progress-file.ts'
import type { ResultFile } from '../../memory/session-files/result-file.ts'
import { isHome } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { getTaskLogs } from '../../operations/tasks/detail.ts'
import {
  type FileWriter,
  readFileWriters,
  recordFileProblem,
  recordResult,
  recordTurns,
} from '../../operations/tasks/file-reports.ts'
import type { World } from '../world.ts'

// Seed 000: reads the progress and result files of agents. A file counts for the attempt during which it was written,
// and only if its agent, its task and its session match its name.

/**
 * Reads new content in the files of all agents that hold a task. Returns after how many ms a file must be checked again
 * because it may still be being written; undefined if there is none.
 */
export const readReports = async (world: World, seen: Seen): Promise<number | undefined> => {
  const { core, actor } = world
  const { sessionId, startedAt, writers, agentIds } = await perform(core, readFileWriters, {}, actor)
  let again: number | undefined
  for (const folder of new Set([
    // Those of another clone are only what was committed.
    ...(isHome(core) ? [join(core.root, world.memory.basePath)] : []),
    ...writers.map((writer) => join(writer.folder, world.memory.basePath)),
  ])) {
    for (const name of listMemoryNames(folder)) {
      const file = describeFile(name)
      if (!file || !('agent' in file)) continue
      const writer = writers.find(({ agentId }) => agentId === file.agent)
      if (file.session !== null && file.session !== sessionId) continue
      const later = await readOne(
        world,
        seen,
        {
          path: join(folder, name),
          name,
          kind: file.kind,
          writer,
          sessionId,
          known: agentIds.includes(file.agent),
          since: startedAt === null ? Infinity : milliseconds(startedAt),
        },
        false,
      )
      if (later !== undefined) again = Math.min(again ?? Infinity, later)
    }
  }
  return again
}

/** Reads the files of one agent whose process has ended: their content is final. */
export const readLastReports = async (world: World, agentId: string): Promise<void> => {
  const { sessionId, writers } = await perform(world.core, readFileWriters, {}, world.actor)
  const seen = nothingSeen()
  for (const writer of writers.filter((one) => one.agentId === agentId)) {
    for (const kind of ['progress', 'result'] as const) await readLast(world, seen, writer, kind, sessionId)
  }
}

/** The files seen so far, so that each is read once and each error reported once. */
interface Seen {
  /** Path → time of the last change when it was read. */
  readonly stamps: Map<string, number>
  /** Path → the last problem. */
  readonly problems: Map<string, string>
  /** Path → the number of turns in it, and their attempt. */
  readonly turns: Map<string, { readonly attempt: string; readonly count: number }>
}

export const nothingSeen = (): Seen => ({ stamps: new Map(), problems: new Map(), turns: new Map() })

interface Found {
  readonly path: string
  readonly name: string
  readonly kind: 'progress' | 'result'
  /** The attempt for which it may count. */
  readonly writer: FileWriter | undefined
  /** The running session. */
  readonly sessionId: string | null
  /** True if its agent worked in this session. */
  readonly known: boolean
  /** When the session began (ms). */
  readonly since: number
}

/** A file that changed less than this ago may still be being written (ms). */
const SETTLED = 500

/** The file system's clock may lag by a tick (ms). */
const TICK = 20

/** `last`: no process writes the file any more, so it is read as it is. Returns after how many ms to check again. */
const readOne = async (world: World, seen: Seen, found: Found, last: boolean): Promise<number | undefined> => {
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
const readLast = async (
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

const takeTurns = async (
  { core, actor }: World,
  { agentId, taskId, attempt }: FileWriter,
  { turns }: ProgressFile,
): Promise<void> => {
  if (turns.length === 0) return
  const rows = turns.map((turn) => ({
    hash: hash(JSON.stringify([turn.turn, turn.at, turn.action, turn.status, turn.details, turn.files, turn.summary])),
    message: messageOf(turn),
    level: levelOf(turn.status),
  }))
  await perform(core, recordTurns, { agentId, taskId, attempt, turns: rows.slice(0, 10_000) }, actor)
}

const messageOf = ({ turn, action, status, details, files, summary }: ProgressFile['turns'][number]): string =>
  [
    `Turn ${turn}: ${action}`,
    details ?? '',
    summary ?? '',
    files.length === 0 ? '' : `files ${files.join(', ')}`,
    status ?? '',
  ]
    .filter((part) => part !== '')
    .join(' · ')
    .slice(0, 32_000)

const levelOf = (status: string | null): 'info' | 'warn' | 'error' => {
  if (status === 'failed') return 'error'
  return status === 'blocked' ? 'warn' : 'info'
}

const takeResult = async ({ core, actor }: World, writer: FileWriter, file: ResultFile): Promise<void> => {
  const { agentId, taskId, attempt } = writer
  const { status, summary, turnsUsed, files, criteria, issues, notes } = file
  await perform(
    core,
    recordResult,
    {
      agentId,
      taskId,
      attempt,
      status,
      error: [summary === '' ? 'failed' : summary, ...issues.map((issue) => `- ${issue}`)].join('\n').slice(0, 32_000),
      resultData: {
        summary,
        turnsUsed,
        files: files.map(({ path, change, note }) => ({ path, change, note })),
        acceptanceCriteria: criteria.map(({ text, met, note }) => ({ text, met, note })),
        issues: [...issues],
        notes: [...notes],
      },
      artifacts: files
        .map(({ path }) => path)
        .filter((path) => path.length <= 4000 && isWithin(resolve(writer.folder, path), writer.folder))
        .slice(0, 1000),
      criteria: criteria.map(({ text, met }) => ({ text: text.slice(0, 10_000), met })).slice(0, 1000),
    },
    actor,
  )
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

const hasShrunk = ({ turns }: Seen, { path }: Found, { taskId, attempt }: FileWriter, file: ProgressFile): boolean => {
  const known = turns.get(path)
  const now = { attempt: `${taskId}.${attempt}`, count: file.turns.length }
  turns.set(path, now)
  return known !== undefined && known.attempt === now.attempt && now.count < known.count
}

const tell = async (
  { core, actor }: World,
  { problems }: Seen,
  { path, name, writer }: Found,
  problem: string,
): Promise<void> => {
  if (problems.get(path) === problem) return
  // A previous supervisor may have recorded the problem already.
  const isTold =
    writer !== undefined &&
    (await perform(core, getTaskLogs, { taskId: writer.taskId, last: 1000 }, actor)).some(
      (row) => row.attempt === writer.attempt && row.message === problem,
    )
  const of = writer ? { taskId: writer.taskId, agentId: writer.agentId, attempt: writer.attempt } : null
  if (!isTold) await perform(core, recordFileProblem, { file: name, problem: problem.slice(0, 4000), of }, actor)
  problems.set(path, problem)
}
