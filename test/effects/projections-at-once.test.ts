import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { person } from '../../src/domain/actor.ts'
import { project, type Written } from '../../src/effects/projector.ts'
import { isWrittenHere, noteWriting } from '../../src/effects/written-here.ts'
import { beginSession } from '../../src/operations/begin-session.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { listEvents } from '../../src/operations/list-events.ts'
import { openSwarm } from './swarm.ts'

const session = async () => {
  const swarm = await openSwarm()
  await perform(swarm.core, beginSession, {}, person)
  await swarm.task({ title: 'first' })
  return {
    ...swarm,
    problems: async () => (await perform(swarm.core, listEvents, { limit: 1000 }, person)).filter(({ operation }) => operation === 'record_file_problem').length,
    file: (name: string): string => readFileSync(swarm.path('.serena/memories', name), 'utf8'),
  }
}

it('what a command of ours wrote is no change by another hand', async () => {
  const { world, task, problems, file, path } = await session()
  const written: Written = new Map()
  await project(world, written)
  await task({ title: 'second' })
  // As 'aiswarm session end' does it, from a process of its own, before the supervisor has looked again.
  await project(world, new Map())
  await task({ title: 'third' })
  await project(world, written)
  expect([await problems(), file('task-board.md').includes('third')]).toEqual([0, true])
  writeFileSync(path('.serena/memories/task-board.md'), 'mine')
  await project(world, written)
  expect([await problems(), file('task-board.md').includes('third')]).toEqual([1, true])
})

it('a session that ends while its files are written has ended in them', async () => {
  const { world, core, file } = await session()
  let ended = false
  const { memory } = world
  const whileReading = {
    ...memory,
    /** Is asked for when the rows were read. */
    get basePath(): string {
      if (!ended) core.store.connection.prepare("UPDATE sessions SET status = 'aborted', ended_at = ?").run(core.clock())
      ended = true
      return memory.basePath
    },
  }
  const before = { ...world, memory: whileReading }
  await project(before, new Map())
  expect([ended, file('orchestrator-session.md').includes('aborted')]).toEqual([true, true])
})

it('the notes of what was written stay few', async () => {
  const { root, path } = await openSwarm()
  const hash = (at: number): string => String(at).padStart(64, '0')
  for (let at = 0; at < 1500; at++) noteWriting(root, hash(at))
  expect([isWrittenHere(root, hash(1499)), isWrittenHere(root, hash(1450)), isWrittenHere(root, hash(0)), isWrittenHere(root, hash(9999))]).toEqual([true, true, false, false])
  expect(statSync(path('.aiswarm/run/session-files')).size).toBeLessThan(70_000)
})
