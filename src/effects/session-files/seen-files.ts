import type { ProgressFile } from '../../memory/session-files/progress-file.ts'
import { getTaskLogs } from '../../operations/tasks/detail.ts'
import { perform } from '../../operations/perform/perform.ts'
import { type FileWriter, recordFileProblem } from '../../operations/tasks/file-reports.ts'
import type { World } from '../world.ts'

/** The files seen so far, so that each is read once and each error reported once. */
export interface Seen {
  /** Path → time of the last change when it was read. */
  readonly stamps: Map<string, number>
  /** Path → the last problem. */
  readonly problems: Map<string, string>
  /** Path → the number of turns in it, and their attempt. */
  readonly turns: Map<string, { readonly attempt: string; readonly count: number }>
}

export const nothingSeen = (): Seen => ({ stamps: new Map(), problems: new Map(), turns: new Map() })

export interface Found {
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

export const hasShrunk = (
  { turns }: Seen,
  { path }: Found,
  { taskId, attempt }: FileWriter,
  file: ProgressFile,
): boolean => {
  const known = turns.get(path)
  const now = { attempt: `${taskId}.${attempt}`, count: file.turns.length }
  turns.set(path, now)
  return known !== undefined && known.attempt === now.attempt && now.count < known.count
}

export const tell = async (
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
