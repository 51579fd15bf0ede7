import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Operation } from '../../src/operations/perform/operation.ts'
import { filesIn, importedBy, root, sources } from '../architecture/sources.ts'

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'authority' in value && 'run' in value

/** Every operation, with its file and its name there. */
const operations = async (): Promise<
  readonly { readonly operation: Operation; readonly path: string; readonly exported: string }[]
> => {
  const found = await Promise.all(
    filesIn('src/operations').map(async (path) => ({
      path,
      exports: Object.entries((await import(join(root, path))) as Record<string, unknown>),
    })),
  )
  return found.flatMap(({ path, exports }) =>
    exports.flatMap(([exported, operation]) => (isOperation(operation) ? [{ operation, path, exported }] : [])),
  )
}

/** Operations that a person may perform but that no command, key or view names, and their substitute. */
const otherwise: Readonly<Record<string, string>> = {
  add_conversation: 'agents keep their conversations themselves, over MCP; the palette searches them',
  add_execution: 'as add_conversation',
  begin_session: 'the console begins one where none runs; session start as well',
  create_subtask: 'task add --parent',
  declare_restored: 'fleet restored, which opens the board itself',
  join_host: 'fleet join, which opens the board itself',
  read_checkout: 'what the loops compare the main checkout with; checkout show tells what changed',
  read_claims: 'shown in the review of a worktree',
  read_conflicts: 'worktree radar, and C',
  read_messages: 'mail list, and the inbox',
  read_radar_subjects: 'worktree radar, and C',
  read_session_board: 'session export',
  read_session_tasks: 'session export',
  read_trash: 'worktree sweep',
  read_unconfined: 'shown in the review of a worktree',
  read_worktree_work: 'worktree status and show',
  record_database_restore: 'db restore',
  send_message: 'agent say, and M',
  take_over: 'O; the console stops the processes first',
}

test('the palette and the keys reach every operation that a person may perform', async () => {
  const all = await operations()
  expect(all.length).toBeGreaterThan(100)
  // Keys and commands are rows of two tables, and both import their operations.
  const imported = importedBy(sources.filter(({ layer }) => layer === 'cli' || layer === 'ui'))
  const beyond = all
    .filter(({ operation: { authority } }) => authority === 'anyone' || authority === 'person')
    .filter(({ path, exported }) => !imported.has(`${path} ${exported}`))
    .map(({ operation: { name } }) => name)
  expect(beyond.sort()).toEqual(Object.keys(otherwise))
})
