import { selectWorktrees } from '../../db/worktrees.ts'
import type { TaskRow } from '../../db/tasks.ts'
import type { Db } from '../../db/sqlite.ts'
import type { Startable } from '../../domain/schedule.ts'

type SchedulerRow = Pick<TaskRow, 'id' | 'persona_id' | 'target_worktree' | 'command' | 'command_allowed' | 'created_by' | 'metadata' | 'wanted_agent_id'>

/** What the scheduler's rules need to know of tasks. */
export const startableOf = async (db: Db, rows: readonly SchedulerRow[]): Promise<readonly Startable[]> => {
  const ended = new Set((await selectWorktrees(db, { folders: ['leaving', 'gone'] })).map((worktree) => worktree.name))
  return rows.map((row) => ({
    id: row.id,
    personaId: row.persona_id,
    worktree: row.target_worktree,
    worktreeEnded: row.target_worktree !== null && ended.has(row.target_worktree),
    command: row.command,
    commandAllowed: row.command_allowed === 1,
    createdBy: row.created_by,
    kind: taskKind(row.metadata),
    agentId: row.wanted_agent_id,
  }))
}

/** The kind that a task asks for in its metadata (`{"cli": "gemini"}`, from seed 000's boards). */
export const taskKind = (metadata: string | null): string | null => {
  const value: unknown = metadata === null ? null : JSON.parse(metadata)
  const cli = value !== null && typeof value === 'object' && 'cli' in value ? value.cli : null
  return typeof cli === 'string' && cli.length > 0 ? cli : null
}
