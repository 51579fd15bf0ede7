import { PGlite } from '@electric-sql/pglite'
import { parsers } from '../../src/db/postgres/dialect.ts'
import type { Result } from '../../src/db/postgres/batch.ts'
import type { Server, Session } from '../../src/db/postgres/server.ts'

/** PostgreSQL in this process, with one connection, for which all uses wait in turn. */
export const pgliteServer = async (): Promise<Server> => {
  const lite = await PGlite.create({ parsers })
  let queue: Promise<void> = Promise.resolve()
  return {
    connect: async () => {
      const before = queue
      let done = (): void => {}
      queue = new Promise<void>((resolve) => (done = resolve))
      await before
      return sessionOf(lite, done)
    },
    end: () => lite.close(),
  }
}

const sessionOf = (lite: PGlite, release: () => void): Session => ({
  query: async <Row>(sql: string, parameters: readonly unknown[]) => {
    // Parameters go as text, as `pg` sends them; the engine knows their types.
    const { rows, affectedRows } = await lite.query<Row>(sql, parameters.map(asText))
    const command = /^\s*(?:with\b[^]*?\)\s*)?(select|insert|update|delete|merge)\b/i.exec(sql)?.[1]?.toUpperCase()
    return { command: (command ?? 'SELECT') as Result['command'], rowCount: affectedRows ?? rows.length, rows }
  },
  script: async <Row>(sql: string) => (await lite.exec(sql)).at(-1)?.rows as Row[],
  release,
})

const asText = (value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value)
