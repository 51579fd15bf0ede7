import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { person } from '../../src/domain/actor.ts'
import type { Connection } from '../../src/operations/kernel/outside.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { readBoard } from '../../src/operations/read-board.ts'
import { spawnAgent } from '../../src/operations/spawn-agent.ts'
import type { Desk } from '../../src/ui/desk.ts'
import { dispatch } from '../../src/ui/dispatch.ts'
import { reviewArrived } from '../../src/ui/review/arrivals.ts'
import { keyRows } from '../../src/ui/keys.ts'
import { modeOf } from '../../src/ui/state.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { emptyCensus } from '../support/census.ts'
import { openDesk } from './desk.ts'

/** Operations that take something away or let something in. */
const destructive = new Set(['terminate_agent', 'cancel_task', 'discard_worktree', 'approve_integration', 'request_changes'])

const strokes = [...new Set([...keyRows.flatMap((row) => row.keys), 'a', 'Z', '日', 'ctrl-x'])]

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
  for (const name of ['user-auth', 'payments']) await fixture.addWorktree(name)
  for (let n = 1; n <= 4; n++) await fixture.addTask(`task ${n}`)
  await perform(fixture.core, spawnAgent, { personaId: 'implementer', taskId: 1 }, person)
  await fixture.addTask('in payments', { targetWorktree: 'payments' })
})
afterAll(() => fixture.close())

test('whatever is pressed, nothing throws, and nothing is lost or let in without its y', async () => {
  await fixture.makeReady('user-auth')
  const real = await openDesk(fixture)
  const start = reviewArrived(fixture.world.review)(real.state())
  const board = await perform(fixture.core, readBoard, {}, person)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(fc.constantFrom(...strokes), { minLength: 1, maxLength: 3 }), { maxLength: 60 }), async (pieces) => {
      const done: string[] = []
      let said = false
      const desk: Desk = {
        ...real,
        perform: (operation) => void done.push(operation.name),
        read: (_, __, next) => next(board.tasks),
        look: (_, next) => next(emptyCensus as never),
      }
      real.change(() => start)
      for (const piece of pieces) {
        for (const stroke of piece) said ||= stroke === 'y' && ['confirm', 'approval'].includes(modeOf(desk.state()))
        const before = done.length
        const asked = modeOf(desk.state())
        dispatch(desk, piece)
        for (const name of done.slice(before)) {
          if (!destructive.has(name)) continue
          expect(piece).toContain('y')
          expect(['confirm', 'approval']).toContain(asked)
        }
      }
      if (!said) expect(done.filter((name) => destructive.has(name))).toEqual([])
    }),
    { numRuns: 1000 },
  )
})

test('with y to press, each of them can be reached', async () => {
  const real = await openDesk(fixture)
  const done: string[] = []
  const connection: Connection = fixture.connection
  const desk: Desk = { ...real, connection, perform: (operation) => void done.push(operation.name) }
  await fixture.makeReady('user-auth')
  await real.reread()
  real.change(reviewArrived(fixture.world.review))
  const press = (...pieces: readonly string[]) => pieces.forEach((piece) => dispatch(desk, [piece]))
  press('j', 'x', 'y', '2', 'x', 'y', '4', 'G', 'd', 'b', 'enter')
  await vi.waitFor(() => expect(modeOf(desk.state())).toBe('confirm'))
  press('y', '4', 'g', 'i', 'y')
  expect(done).toEqual(['cancel_task', 'terminate_agent', 'discard_worktree', 'approve_integration'])
})
