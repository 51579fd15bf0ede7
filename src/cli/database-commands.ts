import { backupDatabase, checkDatabase, databaseStatus } from '../operations/maintain-database.ts'
import { type Command, does, open } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { columns, pairs } from './text/columns.ts'
import { text } from './values.ts'
import { argument } from './words.ts'

export const databaseCommands: readonly Command[] = [
  does({
    path: 'db status',
    summary: 'Show where the database lies and which migrations it has',
    words: {},
    run: async (_, call) => {
      const status = databaseStatus((await open(call)).core)
      return {
        json: status,
        text: `${pairs([
          ['database', status.path],
          ['journal', status.journalMode],
          ['tables', status.tables],
        ])}\n\n${migrations(status)}`,
      }
    },
    example: 'db status',
  }),
  does({
    path: 'db migrate',
    summary: 'Bring the database to the current schema, as every command does',
    words: {},
    run: async (_, call) => {
      const status = databaseStatus((await open(call)).core)
      return { json: { path: status.path, migrations: status.migrations }, text: migrations(status) }
    },
    example: 'db migrate',
  }),
  does({
    path: 'db backup',
    summary: 'Write a compact copy of the database to a new file, while it is in use',
    words: { file: argument('FILE', 'A file that does not exist yet', text) },
    run: async ({ file }, call) => {
      const copy = backupDatabase((await open(call)).core, file)
      return { json: copy, text: `Copied to ${copy.path}` }
    },
    example: 'db backup /tmp/board.db',
  }),
  does({
    path: 'db check',
    summary: 'Look for damage in the database; code 1 if there is any',
    words: {},
    run: async (_, call) => {
      const { ok, findings } = checkDatabase((await open(call)).core)
      return { json: { ok, findings }, text: ok ? 'The database is sound.' : findings.join('\n'), code: ok ? exitCodes.done : exitCodes.refused }
    },
    example: 'db check',
  }),
]

const migrations = (status: ReturnType<typeof databaseStatus>): string =>
  columns(
    ['MIGRATION', 'STATE'],
    status.migrations.map(({ name, state }) => [name, state]),
  )
