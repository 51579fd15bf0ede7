import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { diagnoseUnopened } from '../../../src/effects/opening/doctor.ts'
import { restoreBoard, restoreFleet } from '../../../src/effects/opening/restore-board.ts'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import { backupDatabase } from '../../../src/operations/database/maintenance.ts'
import { listEvents } from '../../../src/operations/sessions/sessions.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { refusal } from '../../support/core.ts'
import { openSwarm } from '../swarm.ts'

it('a restored board records in its events that it was restored, and by whom', async () => {
  const swarm = await openSwarm()
  const { world } = swarm
  const copy = swarm.path('../copy.db')
  await backupDatabase(world.core, copy)
  const { kept } = await restoreBoard(swarm.root, copy, {
    open: () => openSwarm({ root: swarm.root }).then((other) => other.world),
    report: () => {},
  })
  expect(readdirSync(swarm.path('.aiswarm'))).toContain(kept!.split('/').at(-1))
  world.core.store.version()
  const events = await perform(world.core, listEvents, { limit: 1 }, person)
  expect(events).toMatchObject([
    { actor: 'human', operation: 'record_database_restore', details: { from: copy, kept } },
  ])
})

it('an agent may not restore the database', async () => {
  const swarm = await openSwarm()
  const copy = swarm.path('../copy.db')
  await backupDatabase(swarm.world.core, copy)
  // The environment with which the process was started counts, so a child is asked.
  const { spawnSync } = await import('node:child_process')
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../../../dist/main.js'), 'db', 'restore', copy],
    {
      cwd: swarm.root,
      env: { ...process.env, AISWARM_AGENT_ID: 'implementer-1' },
      encoding: 'utf8',
    },
  )
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'Agent implementer-1 may not replace the database; only a person may do it.\n',
  })
})

it('doctor reports what it can without the database', async () => {
  const swarm = await openSwarm()
  const found = await diagnoseUnopened(swarm.root, new Refusal('database_corrupt', 'It is damaged.'))
  expect(found.map(({ name, ok }) => [name, ok])).toEqual([
    ['node', true],
    ['git', true],
    ['repository', true],
    ['configuration', true],
    ['database', false],
  ])
  expect(await refusal(diagnoseUnopened(swarm.root, new Refusal('no_commits', 'There are none.')))).toMatchObject({
    code: 'no_commits',
  })
})

it('a person who says that a board in a file was restored is not asked for a word that would be of no use', async () => {
  const { root } = await openSwarm()
  let asked = false
  const said = { anyway: false, confirm: () => Promise.resolve(void (asked = true)) }
  const { code, message } = await refusal(restoreFleet(root, said, () => Promise.resolve(undefined)))
  expect({ code, message, asked }).toEqual({
    code: 'invalid_state',
    message: "The board is in a database file, which has one host. 'aiswarm db restore' is all that it needs.",
    asked: false,
  })
})

it('a person who says that a healthy board was restored is not asked, and one who insists is asked first', async () => {
  const swarm = await openSwarm()
  const { store } = swarm.world.core
  const open = () => Promise.resolve({ ...store, close: () => {} })
  const asked: boolean[] = []
  const saying = (anyway: boolean) => ({
    anyway,
    confirm: () => {
      asked.push(anyway)
      return Promise.reject(new Refusal('not_allowed', 'no'))
    },
  })
  expect((await refusal(restoreFleet(swarm.root, saying(false), open))).message).toMatch(/^Nothing looks restored: /)
  expect((await refusal(restoreFleet(swarm.root, saying(true), open))).message).toBe('no')
  expect(asked).toEqual([true])
})
