import type { Connection } from './sqlite.ts'

/** Findings of SQLite's own checks, empty if the database is sound. */
export const findDamage = (connection: Connection): readonly string[] => {
  const integrity = (connection.pragma('integrity_check') as { integrity_check: string }[]).map(
    (row) => row.integrity_check,
  )
  const foreign = (
    connection.pragma('foreign_key_check') as { table: string; rowid: number | null; parent: string }[]
  ).map((row) => `${row.table} row ${row.rowid ?? '?'} refers to a missing row of ${row.parent}`)
  return [...integrity.filter((line) => line !== 'ok'), ...foreign]
}

/** As `findDamage`, without comparing indexes with rows, and only for a database of at most so many pages. */
export const quickCheck = (connection: Connection, pages: number): readonly string[] => {
  if ((connection.pragma('page_count', { simple: true }) as number) > pages) return []
  return (connection.pragma('quick_check(1)') as { quick_check: string }[])
    .map((row) => row.quick_check)
    .filter((line) => line !== 'ok')
}
