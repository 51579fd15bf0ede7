import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import { openTerminal } from '../terminal.ts'
import { connectionOf } from '../../support/store.ts'

describe('the database command', () => {
  it('check names the damage and the remedy, and exits with 1', async () => {
    const { run, core } = await openTerminal()
    expect(await run('db', 'check')).toMatchObject({ code: 0, out: 'The database is intact.\n' })
    connectionOf(core.store).exec(
      "PRAGMA foreign_keys = OFF; INSERT INTO task_status (task_id, status, changed_at) VALUES (9, 'pending', 'x')",
    )
    expect(await run('db', 'check')).toMatchObject({
      code: 1,
      out: "task_status row 9 refers to a missing row of tasks\nThe database is damaged. No process writes to it any more. Replace it with a backup: 'aiswarm db restore FILE'.\n",
    })
    expect(await run('task', 'add', 'x', '--persona', 'implementer')).toMatchObject({ code: 1 })
  })

  it('check names an event that was edited by hand, and the program still works', async () => {
    const { run, core } = await openTerminal()
    connectionOf(core.store).exec("UPDATE events SET actor = 'human' WHERE id = 1")
    expect(await run('db', 'check')).toMatchObject({
      code: 1,
      out: 'Event 1 (sync_personas by human) was changed after it was written.\nRows differ from what aiswarm wrote: another program has changed the database. Review the latest approvals.\n',
    })
    expect((await run('task', 'add', 'x', '--persona', 'implementer')).code).toBe(0)
  })

  it('check names a merge that its target has lost, and asks git for those that have landed only', async () => {
    const asked: unknown[] = []
    const { run } = await openTerminal({
      services: {
        findLostMerges: (_, landed) => {
          asked.push(landed)
          return Promise.resolve(['main does not contain merge 1234abcd.'])
        },
      },
    })
    expect(await run('db', 'check')).toMatchObject({ code: 1, out: 'main does not contain merge 1234abcd.\n' })
    expect(asked).toEqual([{ remote: null, merges: [] }])
  })

  it('check reports a database that cannot be opened as damaged, not as a bug', async () => {
    const { run } = await openTerminal({
      services: { openDatabase: () => Promise.reject(new Refusal('database_corrupt', 'It is damaged.')) },
    })
    expect(await run('db', 'check')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^It is damaged\.\nThe database is damaged\./) as string,
    })
  })
})

it('restore names the path of the replaced database', async () => {
  const { run } = await openTerminal({
    services: {
      restoreDatabase: (root, from) => Promise.resolve({ path: join(root, 'b.db'), from, kept: '/kept.db' }),
    },
  })
  expect((await run('db', 'restore', '/copy.db')).out).toMatch(
    /^Restored .*b\.db from \/copy\.db\. The replaced database is \/kept\.db\./,
  )
})

it('backup writes a new file and never overwrites one', async () => {
  const { run, folder } = await openTerminal()
  expect((await run('db', 'backup', join(folder, 'copy.db'))).code).toBe(0)
  expect(readdirSync(folder)).toContain('copy.db')
  expect(await run('db', 'backup', join(folder, 'copy.db'))).toMatchObject({
    code: 1,
    err: `${join(folder, 'copy.db')} already exists. Name a new file.\n`,
  })
})
