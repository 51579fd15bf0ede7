import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { editTask } from '../../src/operations/tasks/edits.ts'
import { importBoard } from '../../src/operations/sessions/import.ts'
import { execute } from '../../src/db/sqlite/migrations.ts'
import { migrations, openCore, type World } from '../support/core.ts'

const NAME = '032_TaskKinds.sql'
const script = (name: string): string => readFileSync(join(migrations, name), 'utf8')

it('the migration of kinds reads them from the metadata of every task, whatever that is, and can run again', () => {
  const db = new Database(':memory:')
  for (const name of readdirSync(migrations).sort()) if (name < NAME && name.endsWith('.sql')) execute(db, script(name))
  db.exec(
    "INSERT INTO personas (id, name, role, definition, source, created_at, updated_at) VALUES ('implementer', 'i', 'worker', '', 'built-in', '', '')",
  )
  const metadata: readonly (readonly [string | null, string | null])[] = [
    ['{"cli": "gemini", "x": 1}', 'gemini'],
    ['{"x": {"cli": "gemini"}}', null],
    ['{"cli": ""}', null],
    ['{"cli": 5}', null],
    ['{"\\u0063li": "codex"}', 'codex'],
    ['["cli"]', null],
    ['"cli"', null],
    ['no JSON', null],
    [null, null],
  ]
  const add = db.prepare(
    "INSERT INTO tasks (title, description, persona_id, priority, created_at, metadata) VALUES ('t', '', 'implementer', 0, '', ?)",
  )
  for (const [text] of metadata) add.run(text)
  for (let time = 0; time < 2; time++) {
    execute(db, script(NAME))
    expect(db.prepare('SELECT cli FROM tasks ORDER BY id').pluck().all()).toEqual(metadata.map(([, kind]) => kind))
  }
})

describe('the kind that a task names', () => {
  const kinds = async ({ store }: World): Promise<readonly (string | null)[]> =>
    (await store.read.selectFrom('tasks').select('cli').orderBy('id').execute()).map(({ cli }) => cli)

  it('is kept beside its metadata when it is created and edited', async () => {
    const world = await openCore()
    await world.task({ metadata: { cli: 'codex', a: 1 } })
    await world.task({ metadata: ['cli'] })
    await world.task()
    expect(await kinds(world)).toEqual(['codex', null, null])
    await world.perform(editTask, { taskId: 3, kind: 'claude' })
    await world.perform(editTask, { taskId: 1, kind: null, priority: 4 })
    await world.perform(editTask, { taskId: 3, model: 'm' })
    expect(await kinds(world)).toEqual([null, null, 'claude'])
  })

  it('is kept beside its metadata when a board is imported', async () => {
    const world = await openCore()
    const task = { tier: 1, description: '', dependencies: [], acceptanceCriteria: [], other: '' }
    await world.perform(importBoard, {
      sessionId: 'session-20260130-142233',
      tasks: [
        { ...task, number: 1, title: 'a', agentId: 'a', cli: 'gemini' },
        { ...task, number: 2, title: 'b', agentId: 'b', cli: null },
      ],
    })
    expect(await kinds(world)).toEqual(['gemini', null])
  })
})
