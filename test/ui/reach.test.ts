import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { Operation } from '../../src/operations/door/operation.ts'

const root = resolve(import.meta.dirname, '../..')

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'authority' in value && 'run' in value

/** Every operation, with its file. */
const operations = async (): Promise<readonly { readonly operation: Operation; readonly file: string }[]> => {
  const files = readdirSync(join(root, 'src/operations'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const found = await Promise.all(
    files.map(async (file) => ({
      file,
      exports: Object.values((await import(join(root, 'src/operations', file))) as object) as unknown[],
    })),
  )
  return found.flatMap(({ file, exports }) => exports.filter(isOperation).map((operation) => ({ operation, file })))
}

const sourcesOf = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readFileSync(join(root, folder, path), 'utf8'))

/** Operations that a person may perform but that no command, key or view names, and their substitute. */
const otherwise: Readonly<Record<string, string>> = {
  add_conversation: 'agents keep their conversations themselves, over MCP; the palette searches them',
  add_execution: 'as add_conversation',
  begin_session: 'the console begins one where none runs; session start as well',
  create_subtask: 'task add --parent',
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
  const surfaces = [...sourcesOf('src/cli'), ...sourcesOf('src/ui')]
  const beyond = all
    .filter(({ operation: { authority } }) => authority === 'anyone' || authority === 'person')
    .filter(({ file }) => !surfaces.some((source) => source.includes(`operations/${file}'`)))
    .map(({ operation: { name } }) => name)
  expect(beyond.sort()).toEqual(Object.keys(otherwise))
})
