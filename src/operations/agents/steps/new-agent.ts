import type { NewAgent } from '../../../db/schema/agents.ts'
import type { Context } from '../../perform/core.ts'

/** The initial row of every agent. */
export const newAgent = ({ now }: Context, id: string, personaId: string): NewAgent => ({
  id,
  persona_id: personaId,
  kind: 'external',
  assigned_worktree: null,
  parent_agent_id: null,
  registered_at: now,
  last_heartbeat: now,
  status: 'active',
  token_hash: null,
  process: 'none',
  run: 0,
  task_id: null,
  once: 0,
  process_id: null,
  process_started_at: null,
  boot_id: null,
  exit_code: null,
  launch_error: null,
  environment: null,
  stop_requested_at: null,
  stop_reason: null,
  ended_at: null,
  usage: null,
  metadata: null,
  taken_run: null,
})
