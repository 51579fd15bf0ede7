import type { Server, Session } from '../../src/db/postgres/server.ts'
import { lockOf } from '../../src/db/postgres/transaction.ts'

// The statements of each write, and the locks that the server holds for it at its end, which name the tables that it has
// read and written, also those in its triggers and functions.

export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export interface Transaction {
  /** The agent and the task that it locks; without an agent it is alone on the board. */
  readonly agentId: string | null
  readonly taskId: number | null
  readonly statements: readonly Statement[]
  readonly written: readonly string[]
  /** How it holds the board: with others, or alone. */
  readonly board: readonly string[]
}

interface Lock {
  readonly table: string | null
  readonly key: string | null
  readonly mode: string
}

const LOCKS = `SELECT relname AS table, mode,
    CASE WHEN locktype = 'advisory' THEN ((classid::bigint << 32) | objid::bigint)::text END AS key
  FROM pg_locks LEFT JOIN pg_class ON locktype = 'relation' AND pg_class.oid = relation AND relkind = 'r' AND relnamespace <> 'pg_catalog'::regnamespace
  WHERE pid = pg_backend_pid() AND locktype IN ('relation', 'advisory')`

/** A server that shows each write before it is committed. An error of the viewer refuses the commit. */
export const showingTransactions = (server: Server, view: (transaction: Transaction) => void): Server => ({
  ...server,
  connect: async () => showing(await server.connect(), view),
})

const showing = (session: Session, view: (transaction: Transaction) => void): Session => {
  let open: { schema: string; agentId: string | null; taskId: number | null; statements: Statement[] } | undefined
  return {
    ...session,
    query: (sql, parameters) => {
      if (sql.includes('.open_write('))
        open = {
          schema: parameters[0] as string,
          agentId: parameters[4] as string | null,
          taskId: parameters[5] as number | null,
          statements: [],
        }
      else if (open && !sql.includes('pg_notify')) open.statements.push({ sql, parameters })
      return session.query(sql, parameters)
    },
    script: async <Row>(sql: string) => {
      if (!/^(?:COMMIT|ROLLBACK)/.test(sql) || !open) return session.script<Row>(sql)
      const { schema, ...seen } = open
      open = undefined
      if (sql !== 'COMMIT') return session.script<Row>(sql)
      // A statement may have failed before, which the commit reports.
      const asked = session.query<Lock>(LOCKS, []).catch(() => undefined)
      const answer = session.script<Row>(sql)
      const found = await asked
      if (found) {
        const rows = found.rows
        view({
          ...seen,
          written: [
            ...new Set(
              rows.flatMap(({ table, mode }) => (table !== null && mode === 'RowExclusiveLock' ? [table] : [])),
            ),
          ],
          board: rows.filter(({ key }) => key === lockOf(schema)).map(({ mode }) => mode),
        })
      }
      return answer
    },
  }
}

/** The columns by which a statement names the agent or the task of a write. */
const KEYS = /^(?:id|task_id|agent_id|assigned_agent_id|run_of|subject)$/

/** Tables that a statement reads, each with whether it is read by the write's own agent or task. */
export const readsOf = (
  { sql, parameters }: Statement,
  own: readonly unknown[],
): readonly { table: string; own: boolean }[] => {
  if (!/^\s*(?:select|with|insert[^]*\bselect\b)/i.test(sql)) return []
  const tables = [...sql.matchAll(/\b(?:from|join)\s+"?(\w+)"?(?:\s+as\s+"?(\w+)"?)?/gi)].map(([, table, alias]) => ({
    table: table!,
    name: alias ?? table!,
  }))
  // A condition with an alternative names no row.
  const keyed = new Set(
    [
      ...sql.matchAll(/(?<! or |\.)(?:"(\w+)"\.)?"(\w+)"\s*(?:=\s*(\$\d+)\b|in\s*\(((?:\$\d+(?:,\s*)?)+)\))(?! or )/gi),
    ].flatMap(([, table, column, one, many]) => {
      const values = (one ?? many!).match(/\d+/g)!.map((number) => parameters[Number(number) - 1])
      const isOwn = values.every((value) => own.map(String).includes(String(value)))
      return KEYS.test(column!) && isOwn ? [table ?? (tables.length === 1 ? tables[0]!.name : '')] : []
    }),
  )
  // A table that is joined by the same key is read by it too.
  const joined = [...sql.matchAll(/"(\w+)"\."(\w+)" = "(\w+)"\."(\w+)"/g)]
    .filter(([, , column, , other]) => KEYS.test(column!) && KEYS.test(other!))
    .map(([, one, , other]) => [one!, other!] as const)
  for (let size = -1; size < keyed.size;) {
    size = keyed.size
    for (const [one, other] of joined) {
      if (keyed.has(one)) keyed.add(other)
      if (keyed.has(other)) keyed.add(one)
    }
  }
  return tables.map(({ table, name }) => ({ table, own: keyed.has(name) }))
}

/** Tables that a write which shares the board writes; no other writes its rows of them at the same time. */
export const writtenBesideOthers: readonly string[] = [
  'agent_messages',
  'agents',
  'conversation_texts',
  'conversation_words',
  'conversations',
  'deadlines',
  'event_chain',
  'events',
  'execution_texts',
  'execution_words',
  'executions',
  'missing_artifacts',
  'requests',
  'task_attempts',
  'task_budgets',
  'task_count_changes',
  'task_criteria',
  'task_logs',
  'task_queue',
  'task_status',
]

/** Tables of these of which such a write reads rows of others, each with the reason why an earlier state does no harm. */
export const readOfOthers: Readonly<Record<string, string>> = {
  task_status:
    'a dependency that is completed never becomes anything else, and the claim of an offered task looks again',
  task_budgets: 'use only grows, so a look that is too early refuses nothing that the next report does not ask about',
  task_queue: 'the offered tasks: who claims one of them looks again, with its row locked',
  task_criteria: 'those of the offered tasks, which only their holders meet',
  requests: 'the request that the same write has made',
}

/** Tables that others may write meanwhile, of which the write reads rows that are not its own. */
export const foreignIn = ({ agentId, taskId, statements }: Transaction): readonly string[] => [
  ...new Set(
    statements
      .flatMap((statement) => readsOf(statement, [agentId, taskId]))
      .filter(({ table, own }) => !own && writtenBesideOthers.includes(table))
      .map(({ table }) => table),
  ),
]

/** Refuses a write that does not hold the board as it should, or decides over rows that others may change meanwhile. */
export const refuseUnsafe = (transaction: Transaction): void => {
  const { agentId, board, written } = transaction
  const expected = agentId === null ? 'ExclusiveLock' : 'ShareLock'
  if (board.join() !== expected) throw new Error(`a write holds the board with ${board.join()}, not with ${expected}`)
  if (agentId === null) return
  const alone = written.filter((table) => !writtenBesideOthers.includes(table))
  if (alone.length > 0)
    throw new Error(`a write that shares the board writes ${alone.join()}, which are not on the list`)
  const foreign = foreignIn(transaction).filter((table) => readOfOthers[table] === undefined)
  if (foreign.length > 0)
    throw new Error(
      `a write that shares the board reads rows of others in ${foreign.join()}, which are not on the list`,
    )
}
