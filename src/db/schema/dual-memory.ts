import type { Instant } from '../../domain/words/time.ts'
import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/** The tables of migrations/005_DualMemory.sql. */
export interface DualMemoryTables {
  conversations: RecordsTable
  conversation_texts: ConversationTextsTable
  conversation_words: WordsTable
  executions: ExecutionsTable
  execution_texts: ExecutionTextsTable
  execution_words: WordsTable
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

/** A full-text table. */
interface WordsTable {
  rowid: number
  /** The rank of a match; lower is better, and always below 0. */
  rank: number
}
