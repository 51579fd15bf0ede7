import { afterEach, beforeEach, expect, test } from 'vitest'
import { system } from '../../../../src/domain/agent/actor.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { leasePort } from '../../../../src/operations/worktrees/ports.ts'
import { eventually } from '../../../support/eventually.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen, type Screen } from '../../screen.ts'

let fixture: Fixture
let screen: Screen
const measured: string[] = []

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  await perform(fixture.core, leasePort, { worktreeName: 'user-auth', purpose: 'work', port: 41_007 }, system())
  measured.length = 0
  fixture.world.measureWorktrees = async (names = []) => {
    measured.push(...names)
    return names.map((name) => ({ name, bytes: 412 * 1024 ** 2, complete: measured.length > 1 }))
  }
  screen = openScreen(fixture)
})

afterEach(async () => {
  await screen.close()
  fixture.close()
})

test('the size of a worktree is measured when it is opened, and not before', async () => {
  await screen.shows('user-auth')
  expect(measured).toEqual([])
  await screen.press('4', '\r')
  await screen.shows(/size +at least 412M/)
  await screen.shows(/port +41007/)
  expect(measured).toEqual(['user-auth'])
  await screen.press('\u001b')
  await screen.lacks(/size +at least/)
  await screen.press('\r')
  await screen.shows(/size +412M/)
  expect(measured).toEqual(['user-auth', 'user-auth'])
})

test('a failed measurement leaves the size out', async () => {
  fixture.world.measureWorktrees = () => Promise.reject(new Error('gone'))
  await screen.press('4', '\r')
  await screen.shows(/port +41007/)
  await screen.lacks('size  ')
  await eventually(() => expect(screen.text()).toContain('branch'))
})
