import { backupDatabase, checkDatabase, databaseStatus, type DatabaseCheck } from '../../operations/loops/maintain-database.ts'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { type Call, type Command, does, open } from '../call/command.ts'
import { exitCodes } from '../call/exit-codes.ts'
import { columns, pairs } from '../print/columns.ts'
import { text } from '../call/values.ts'
import { argument } from '../call/words.ts'

export const databaseCommands: readonly Command[] = [
  does({
    path: 'db status',
    summary: 'Show where the database lies and which migrations it has',
    words: {},
    run: async (_, call) => {
      const status = databaseStatus(await call.services.openDatabase(call.root))
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
      const copy = backupDatabase(await call.services.openDatabase(call.root), file)
      return { json: copy, text: `Copied to ${copy.path}` }
    },
    example: 'db backup /tmp/board.db',
  }),
  does({
    path: 'db restore',
    summary: 'Put a backup in the place of the database, also while aiswarm runs; the replaced one is kept beside it',
    words: { file: argument('FILE', 'A copy made by db backup', text) },
    grave: true,
    run: async ({ file }, call) => {
      const restored = await call.services.restoreDatabase(call.root, file)
      const kept = restored.kept === null ? 'There was no database before.' : `The replaced database is ${restored.kept}.`
      return { json: restored, text: `Restored ${restored.path} from ${restored.from}. ${kept} Agents that were started since the backup are not on this board.` }
    },
    example: 'db restore /tmp/board.db',
  }),
  does({
    path: 'db check',
    summary: 'Look for damage in the database; code 1 if there is any',
    words: {},
    run: async (_, call) => {
      const { ok, damaged, findings } = await check(call)
      const advice = damaged
        ? "The database is damaged. Nothing more is written to it. Put a backup in its place: 'aiswarm db restore FILE'."
        : 'Events are not as aiswarm wrote them: another program has changed the database. Look at what was approved lately.'
      return { json: { ok, damaged, findings }, text: ok ? 'The database is sound.' : [...findings, advice].join('\n'), code: ok ? exitCodes.done : exitCodes.refused }
    },
    example: 'db check',
  }),
]

/** A database that is too damaged to be opened is a finding too. */
const check = async (call: Call): Promise<DatabaseCheck> => {
  try {
    return checkDatabase(await call.services.openDatabase(call.root))
  } catch (error) {
    if (isRefusal(error) && error.code === 'database_corrupt') return { ok: false, damaged: true, findings: [error.message] }
    throw error
  }
}

const migrations = (status: ReturnType<typeof databaseStatus>): string =>
  columns(
    ['MIGRATION', 'STATE'],
    status.migrations.map(({ name, state }) => [name, state]),
  )
