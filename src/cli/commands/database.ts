import {
  backupDatabase,
  checkDatabase,
  type DatabaseCheck,
  databaseStatus,
  landedMerges,
} from '../../operations/database/maintenance.ts'
import type { BoardCopied, CopyRequest } from '../../contracts/board-store.ts'
import { listSessions, pauseScheduling } from '../../operations/sessions/sessions.ts'
import { perform } from '../../operations/perform/perform.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { type Call, type Command, does, exitCodes, open } from '../call/command.ts'
import { columns, pairs } from '../print/columns.ts'
import { text } from '../call/values.ts'
import { argument, flag, option } from '../call/words.ts'

export const databaseCommands: readonly Command[] = [
  does({
    path: 'db status',
    summary: 'Show the path of the database and its migrations',
    words: {},
    run: async (_, call) => {
      const status = await databaseStatus(await call.services.openDatabase(call.root))
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
    summary: 'Migrate the database to the current schema; on PostgreSQL only this command does',
    words: { rerun: option('--rerun', 'NAME', 'On PostgreSQL, also run this changed script again', text) },
    run: async ({ rerun }, call) => {
      await call.services.migrateBoard(call.root, rerun === undefined ? [] : [rerun])
      const status = await databaseStatus((await open(call)).core)
      return { json: { path: status.path, migrations: status.migrations }, text: migrations(status) }
    },
    example: 'db migrate',
  }),
  does({
    path: 'db backup',
    summary: 'Write a compact copy of the database to a new file, while it is in use',
    words: { file: argument('FILE', 'A file that does not exist yet', text) },
    run: async ({ file }, call) => {
      const copy = await backupDatabase(await call.services.openDatabase(call.root), file)
      return { json: copy, text: `Copied to ${copy.path}` }
    },
    example: 'db backup /tmp/board.db',
  }),
  does({
    path: 'db restore',
    summary: 'Replace the database with a backup, also while aiswarm runs; the replaced one is kept next to it',
    words: { file: argument('FILE', 'A copy made by db backup', text) },
    grave: true,
    run: async ({ file }, call) => {
      const restored = await call.services.restoreDatabase(call.root, file)
      const kept =
        restored.kept === null ? 'There was no database before.' : `The replaced database is ${restored.kept}.`
      return {
        json: restored,
        text: `Restored ${restored.path} from ${restored.from}. ${kept} Agents that were started after the backup are missing from the restored database.`,
      }
    },
    example: 'db restore /tmp/board.db',
  }),
  does({
    path: 'db copy',
    summary: 'Move the board to PostgreSQL, or from there back to the database file, and compare every row',
    words: {
      to: option('--to', 'URL', 'The server, as postgresql://user@host/database, without a password', text),
      from: option('--from', 'URL', 'The server that has the board now', text),
      passwordCommand: option('--password-command', 'CMD', 'A shell command that prints the password', text),
      pause: flag('--pause', 'Start no more tasks, and wait until no agent and no other program works on the board'),
    },
    grave: true,
    run: async ({ to, from, passwordCommand, pause }, call) => {
      const url = to ?? from
      if (url === undefined || (to !== undefined && from !== undefined))
        throw new Refusal('invalid_input', 'Name one server, with --to URL or with --from URL.')
      const request = { url, direction: to === undefined ? 'from' : 'to', passwordCommand } as const
      const copied = pause ? await copyOnceFree(call, request) : await call.services.copyBoard(call.root, request)
      const rows = copied.tables.reduce((sum, table) => sum + table.rows, 0)
      return {
        json: copied,
        text: `Copied ${rows} rows of ${copied.tables.length} tables from ${copied.from} to ${copied.to}, and compared them. The board is there now.${copied.kept === null ? '' : ` The file that was there before is ${copied.kept}.`}`,
      }
    },
    example: 'db copy --to postgresql://anna@db.example.net/aiswarm',
  }),
  does({
    path: 'db check',
    summary: 'Check the database for damage, changed rows and lost merges; exit code 1 if it finds any',
    words: {},
    run: async (_, call) => {
      const { ok, damaged, findings, lost } = await check(call)
      const advice = damaged
        ? "The database is damaged. No process writes to it any more. Replace it with a backup: 'aiswarm db restore FILE'."
        : 'Rows differ from what aiswarm wrote: another program has changed the database. Review the latest approvals.'
      return {
        json: { ok, damaged, findings: [...findings, ...lost] },
        text: ok
          ? 'The database is intact.'
          : [...findings, ...(findings.length > 0 ? [advice] : []), ...lost].join('\n'),
        code: ok ? exitCodes.done : exitCodes.refused,
      }
    },
    example: 'db check',
  }),
]

/** A database that is too damaged to be opened is a finding too. */
const check = async (call: Call): Promise<DatabaseCheck & { readonly lost: readonly string[] }> => {
  try {
    const database = await call.services.openDatabase(call.root)
    const found = await checkDatabase(database)
    const lost = found.damaged ? [] : await call.services.findLostMerges(call.root, await landedMerges(database))
    return { ...found, ok: found.ok && lost.length === 0, lost }
  } catch (error) {
    if (isRefusal(error) && error.code === 'database_corrupt')
      return { ok: false, damaged: true, findings: [error.message], lost: [] }
    throw error
  }
}

const migrations = (status: Awaited<ReturnType<typeof databaseStatus>>): string =>
  columns(
    ['MIGRATION', 'STATE'],
    status.migrations.map(({ name, state }) => [name, state]),
  )

/** Pauses scheduling, copies the board once nothing works on it, and resumes scheduling, on the copy or where it was. */
const copyOnceFree = async (call: Call, request: CopyRequest): Promise<BoardCopied> => {
  const { err, signal } = call.streams
  const scheduling = async (paused: boolean): Promise<boolean> => {
    const { core, actor } = await open(call)
    try {
      const session = (await perform(core, listSessions, {}, actor)).find(({ status }) => status === 'running')
      if (session === undefined || (session.pausedAt !== null) === paused) return false
      await perform(core, pauseScheduling, { paused }, actor)
      return true
    } finally {
      core.store.close()
    }
  }
  const paused = await scheduling(true)
  try {
    return await call.services.copyBoard(call.root, {
      ...request,
      patience: { waits: (what) => err(`${what} Waiting for its end.\n`), signal },
    })
  } finally {
    if (paused) await scheduling(false)
  }
}
