import type { Generated } from 'kysely'
import type { Instant } from '../../domain/words/time.ts'
import type { Json } from './columns.ts'

/** The tables of migrations/005_DualMemory.sql. */
export interface DualMemoryTables {
  conversations: RecordsTable
  conversation_texts: ConversationTextsTable
  conversation_words: ConversationWordsTable
  executions: ExecutionsTable
  execution_texts: ExecutionTextsTable
  execution_words: ExecutionWordsTable
}

interface RecordsTable {
  id: Generated<number>
  user_id: string
  message_id: string
  at: Instant
  recorded_at: Instant
}

interface ConversationTextsTable {
  conversation_id: number
  user_input: string
  agent_response: string
  meta_data: Json | null
}

interface ExecutionsTable extends RecordsTable {
  success: number
  duration_ms: number | null
}

interface ExecutionTextsTable {
  execution_id: number
  execution_summary: string
  observations: string
  tools_used: Json
  errors: Json
  meta_data: Json | null
}

/** A full-text table: the texts of a row as streams of their words. */
interface ConversationWordsTable {
  rowid: number
  user_input: string
  agent_response: string
}

interface ExecutionWordsTable {
  rowid: number
  execution_summary: string
  observations: string
  tools_used: string
  errors: string
}
