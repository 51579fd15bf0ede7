import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { isWithin } from '../../domain/worktree/worktree.ts'
import type { ProgressFile } from '../../memory/session-files/progress-file.ts'
import type { ResultFile } from '../../memory/session-files/result-file.ts'
import { perform } from '../../operations/perform/perform.ts'
import { type FileWriter, recordResult, recordTurns } from '../../operations/tasks/file-reports.ts'
import type { World } from '../world.ts'

export const takeTurns = async (
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

export const takeResult = async ({ core, actor }: World, writer: FileWriter, file: ResultFile): Promise<void> => {
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
