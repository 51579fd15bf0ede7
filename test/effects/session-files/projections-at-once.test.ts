import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { instant } from '../../../src/domain/words/time.ts'
import { isOwnWrite, noteOwnWrite, project, type Written } from '../../../src/effects/session-files/projection.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { endSession } from '../../../src/operations/sessions/end.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { listEvents } from '../../../src/operations/sessions/sessions.ts'
import { openSwarm } from '../swarm.ts'
import { connectionOf } from '../../support/store.ts'

const session = async () => {
  const swarm = await openSwarm()
  await perform(swarm.core, beginSession, {}, person)
  await swarm.task({ title: 'first' })
  return {
    ...swarm,
    problems: async () =>
      (await perform(swarm.core, listEvents, { limit: 1000 }, person)).filter(
        ({ operation }) => operation === 'record_file_problem',
      ).length,
    file: (name: string): string => readFileSync(swarm.path('.serena/memories', name), 'utf8'),
  }
}

it('a file that an aiswarm command wrote does not count as a change by hand', async () => {
  const { world, task, problems, file, path } = await session()
  const written: Written = new Map()
  await project(world, written)
  await task({ title: 'second' })
  // Like 'aiswarm session end' in a process of its own, before the supervisor has looked again.
  await project(world, new Map())
  await task({ title: 'third' })
  await project(world, written)
  expect([await problems(), file('task-board.md').includes('third')]).toEqual([0, true])
  writeFileSync(path('.serena/memories/task-board.md'), 'mine')
  await project(world, written)
  expect([await problems(), file('task-board.md').includes('third')]).toEqual([1, true])
})

it("a change by hand is reported by a process that writes the session's files for the first time", async () => {
  const { world, task, problems, file, path } = await session()
  await project(world, new Map())
  writeFileSync(path('.serena/memories/task-board.md'), 'mine')
  await task({ title: 'second' })
  await project(world, new Map())
  expect([await problems(), file('task-board.md').includes('second')]).toEqual([1, true])
})

it('a file from before the session is overwritten without a report', async () => {
  const { world, core, problems, file, path } = await session()
  await project(world, new Map())
  await perform(core, endSession, {}, person)
  writeFileSync(path('.serena/memories/task-board.md'), 'a copy of an earlier session')
  await perform({ ...core, clock: () => instant(Date.now() + 86_400_000) }, beginSession, {}, person)
  await project(world, new Map())
  expect([await problems(), file('task-board.md').includes('copy')]).toEqual([0, false])
})

it('a session that ends while its files are written is shown as ended in them', async () => {
  const { world, core, file } = await session()
  let ended = false
  const { memory } = world
  const whileReading = {
    ...memory,
    /** It is called when the rows were read. */
    get basePath(): string {
      if (!ended)
        connectionOf(core.store).prepare("UPDATE sessions SET status = 'aborted', ended_at = ?").run(core.clock())
      ended = true
      return memory.basePath
    },
  }
  const before = { ...world, memory: whileReading }
  await project(before, new Map())
  expect([ended, file('orchestrator-session.md').includes('aborted')]).toEqual([true, true])
})

it('the records of written files are limited in number', async () => {
  const { root, path } = await openSwarm()
  const hash = (at: number): string => String(at).padStart(64, '0')
  for (let at = 0; at < 1500; at++) noteOwnWrite(root, 's', hash(at))
  expect([
    isOwnWrite(root, hash(1499)),
    isOwnWrite(root, hash(1450)),
    isOwnWrite(root, hash(0)),
    isOwnWrite(root, hash(9999)),
  ]).toEqual([true, true, false, false])
  expect(statSync(path('.aiswarm/run/session-files')).size).toBeLessThan(70_000)
})
