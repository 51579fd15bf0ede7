import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { leaveUntouched } from '../../src/operations/database/copy.ts'
import { recordDatabaseRestore } from '../../src/operations/database/maintenance.ts'
import { makeJoinCode } from '../../src/operations/hosts/membership.ts'
import { openCore, type World } from '../support/core.ts'

const leave = async ({ core, store }: World) => {
  let ran = false
  const left = await leaveUntouched(store, core.clock(), () => {
    ran = true
    return Promise.resolve({ joined: 'joined', at: 'postgresql://there' })
  })
  expect(ran).toBe(left !== undefined)
  expect(existsSync(`${store.path}.moved`)).toBe(ran)
  return left
}

it('a board in a file of which only the program knows is left for the one that its clone joins', async () => {
  expect(await leave(await openCore())).toEqual({ joined: 'joined' })
})

it.each([
  ['a task', (world: World) => world.task()],
  ['an agent', async (world: World) => void (await world.agent('ada'))],
  ['a code to join', (world: World) => world.perform(makeJoinCode, {})],
  ['an event of a person', (world: World) => world.perform(recordDatabaseRestore, { from: '/copy', kept: null })],
])('a board in a file with %s is not left', async (_, act) => {
  const world = await openCore()
  await act(world)
  expect(await leave(world)).toBeUndefined()
})
