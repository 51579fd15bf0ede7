import { table as consoleTable } from '../../src/ui/views/index.ts'
import { code, table } from './tables.ts'

/** Keys that work in more views than this are in a table of their own, which lists the views. */
const MANY = 6

/** Every key: first the keys of many views, then a table for each view with the keys that start there. */
export const keyTables = (): string => {
  const { modes, rows: keyRows } = consoleTable
  const common = keyRows.filter((row) => row.modes.length > MANY)
  const parts = modes.flatMap(({ mode, title }) => {
    const rows = keyRows.filter((row) => row.modes[0] === mode && row.modes.length <= MANY)
    if (rows.length === 0) return []
    const alsoIn = (row: (typeof rows)[number]): string => row.modes.slice(1).join(', ')
    const some = rows.some((row) => alsoIn(row) !== '')
    return [
      `### ${title} (${code(mode)})`,
      table(
        ['key', 'name', 'does', ...(some ? ['also in'] : [])],
        rows.map((row) => [keysOf(row.keys), code(row.id), row.help, ...(some ? [alsoIn(row)] : [])]),
      ),
    ]
  })
  return [
    '### In most views',
    table(
      ['key', 'name', 'does', 'where'],
      common.map((row) => [keysOf(row.keys), code(row.id), row.help, row.modes.join(', ')]),
    ),
    ...parts,
  ].join('\n\n')
}

const keysOf = (keys: readonly string[]): string => keys.map((key) => code(key === ' ' ? 'space' : key)).join(' ')
