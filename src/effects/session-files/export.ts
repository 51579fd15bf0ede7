import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { writeMemoryFile } from '../../memory/files.ts'
import { type BoardTask, renderBoard } from '../../memory/session-files/board-file.ts'
import { fileNameOf } from '../../memory/session-files/file-names.ts'
import { type ProgressFile, renderProgress } from '../../memory/session-files/progress-file.ts'
import { renderResult, type ResultFile } from '../../memory/session-files/result-file.ts'
import { renderSession } from '../../memory/session-files/session-file.ts'
import { getTask, getTaskLogs, type TaskDetail } from '../../operations/tasks/detail.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readSessionBoard } from '../../operations/sessions/session-board.ts'
import { boardPages, sessionFileOf } from './board.ts'
import type { World } from '../world.ts'

type Log = Awaited<ReturnType<typeof logsOf>>[number]

/** Writes all files of the session into a folder, also for agents that never wrote one. Returns their names. */
export const exportSession = async (world: World, folder: string): Promise<readonly string[]> => {
  const { core, actor } = world
  const board = await perform(core, readSessionBoard, {}, actor)
  if (board.session === null) throw new Refusal('not_found', 'There was no session yet, so there is nothing to export.')
  const tasks: BoardTask[] = []
  for await (const page of boardPages(world, board.session, board.priorities)) tasks.push(...page)
  const files = new Map<string, string>([
    ['orchestrator-session.md', renderSession(sessionFileOf(board.session, board, core.settings))],
    ['task-board.md', renderBoard({ session: board.session.id, tasks, other: {} })],
  ])
  for (const agent of board.agents) {
    const taskId = agent.taskId ?? agent.lastTask
    if (taskId === null) continue
    const task = await perform(core, getTask, { taskId }, actor)
    const logs = await logsOf(world, agent.id, taskId)
    files.set(
      fileNameOf({ kind: 'progress', agent: agent.id, session: null }),
      renderProgress(progressOf(agent.id, agent.registeredAt, task, logs)),
    )
    const attempt = task.attempts.findLast((one) => one.agentId === agent.id)
    if (attempt?.outcome === 'completed' || attempt?.outcome === 'failed') {
      files.set(
        fileNameOf({ kind: 'result', agent: agent.id, session: null }),
        renderResult(resultOf(agent.id, task, attempt.outcome, attempt.error, logs.length)),
      )
    }
  }
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of files) writeMemoryFile(join(folder, name), text)
  return [...files.keys()]
}

const logsOf = ({ core, actor }: World, agentId: string, taskId: number) =>
  perform(core, getTaskLogs, { agentId, taskId }, actor)

const progressOf = (agent: string, startedAt: string, task: TaskDetail, logs: readonly Log[]): ProgressFile => ({
  agent,
  task: task.id,
  startedAt: task.startedAt ?? startedAt,
  turns: logs.map((log, at) => ({
    turn: at + 1,
    at: log.loggedAt,
    action: firstLine(log.message),
    status: 'in_progress',
    details: restOf(log.message),
    files: [],
    summary: null,
    other: {},
  })),
  other: {},
})

const firstLine = (text: string): string => text.trim().split('\n')[0]! || '–'
const restOf = (text: string): string | null => text.trim().split('\n').slice(1).join('\n').trim() || null

/** The files in the result with their descriptions, and those that a tool named, without one. */
const filesOf = ({ artifacts }: TaskDetail, files: unknown): ResultFile['files'] => {
  const said = new Map(
    (Array.isArray(files) ? (files as readonly Record<string, unknown>[]) : []).map((file) => [file['path'], file]),
  )
  const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
  const paths = [...said.keys()].filter((path) => typeof path === 'string')
  return [...new Set([...paths, ...artifacts])].map((path) => ({
    path,
    change: text(said.get(path)?.['change']),
    note: text(said.get(path)?.['note']),
  }))
}

const resultOf = (
  agent: string,
  task: TaskDetail,
  status: 'completed' | 'failed',
  error: string | null,
  turns: number,
): ResultFile => {
  const told =
    typeof task.resultData === 'object' && task.resultData !== null ? (task.resultData as Record<string, unknown>) : {}
  const texts = (key: string): string[] =>
    Array.isArray(told[key]) ? told[key].filter((one): one is string => typeof one === 'string') : []
  const summary =
    typeof told['summary'] === 'string'
      ? told['summary']
      : typeof task.resultData === 'string'
        ? task.resultData
        : (error ?? '')
  return {
    agent,
    task: task.id,
    status,
    turnsUsed: typeof told['turnsUsed'] === 'number' ? told['turnsUsed'] : turns,
    summary: summary.trim(),
    files: filesOf(task, told['files']),
    criteria: task.acceptanceCriteria.map(({ text, met }) => ({ text, met, note: met ? null : 'NOT DONE' })),
    issues: texts('issues').length > 0 ? texts('issues') : status === 'failed' && error !== null ? [error] : [],
    notes: texts('notes'),
    other: {},
  }
}
