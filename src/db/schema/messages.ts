import type { Generated, Insertable, Selectable } from 'kysely'
import type { AuthorKind, Delivery, MessageKind, MessageState } from '../../domain/agent/messages.ts'
import type { Instant } from '../../domain/words/time.ts'

/** The columns of migrations/031_Messages.sql and 042_Mail.sql. */
export interface AgentMessagesTable {
  id: Generated<number>
  kind: MessageKind
  agent_id: string
  task_id: number | null
  author: string
  author_kind: AuthorKind
  body: string
  delivery: Delivery
  status: Generated<MessageState>
  run_of: string | null
  run: number | null
  reason: string | null
  said_at: Instant
  handed_over_at: Instant | null
  ended_at: Instant | null
  /** The address of mail between agents; null for a message that a person or a planner says to an agent. */
  sent_to: Generated<string | null>
}

export interface RunJournalsTable {
  agent_id: string
  run: number
}

export type MessageRow = Selectable<AgentMessagesTable>
export type NewMessage = Insertable<AgentMessagesTable>
