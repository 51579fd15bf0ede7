import { afterEach, beforeEach, expect, test } from 'vitest'
import { setTimeout as pause } from 'node:timers/promises'
import { person } from '../../src/domain/agent/actor.ts'
import { claimTask, reportTaskProgress } from '../../src/operations/tasks/claims.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { openScreen, type Screen } from './screen.ts'

let fixture: Fixture
let screen: Screen

beforeEach(async () => void (fixture = await openFixture()))

afterEach(async () => {
  await screen.close()
  fixture.close()
})

const work = async (): Promise<void> => {
  await perform(fixture.core, registerAgent, { id: 'backend-1', personaId: 'implementer' }, person)
  await perform(fixture.core, claimTask, { taskId: 1, agentId: 'backend-1' }, person)
  await perform(
    fixture.core,
    reportTaskProgress,
    { taskId: 1, agentId: 'backend-1', progressNote: 'Created user model', level: 'warn' },
    person,
  )
}

test('the screen shows the commits of any process', async () => {
  screen = openScreen(fixture)
  await screen.shows('No tasks yet; n creates one.')
  await fixture.addTask('JWT auth API', { priority: 100 })
  await screen.shows(/▸ +1 +100 +○ pending .* JWT auth API/)
  await work()
  await screen.shows(/▸ +1 +100 +● working .* backend-1 .*JWT auth API/)
  await screen.shows(/\d\d:\d\d:\d\d warn +Created user model/)
  await screen.shows('agents 1/3')
})

test('a burst of keys moves, opens and goes back', async () => {
  for (const title of ['one', 'two', 'three']) await fixture.addTask(title)
  screen = openScreen(fixture)
  await screen.shows(/▸ +1/)
  await screen.press('jjk')
  await screen.shows(/▸ +2/)
  await screen.press('j\r')
  await screen.shows('[Task 3]')
  await screen.press('\u001b')
  await screen.shows('[1 Board]')
})

test('the log merges notes and raw output and follows them', async () => {
  await fixture.addTask('JWT auth API')
  await work()
  fixture.world.output.set('backend-1', 'compiling\rcompiled\n\u001b[31mred\u001b[0m \u001b]52;c;aGk=\u0007end\n')
  screen = openScreen(fixture)
  await screen.shows('compiled')
  await screen.shows('red end')
  expect(screen.written.join('')).not.toContain('\u001b]52')
  fixture.world.output.set('backend-1', `${fixture.world.output.get('backend-1')}tests passed\n`)
  await screen.shows('tests passed')
  await screen.press('3', 'k')
  await screen.shows('paused')
  await screen.press('f')
  await screen.shows('following')
})

test('a board of thousands of tasks is read in windows, and G and g reach its ends', async () => {
  for (let n = 1; n <= 700; n++) await fixture.addTask(`task ${n}`)
  screen = openScreen(fixture)
  await screen.shows(/▸ +1 /)
  await screen.press('G')
  await screen.shows(/▸ +700 /)
  await screen.press('g')
  await screen.shows(/▸ +1 /)
  for (let n = 0; n < 20; n++) await screen.press('\u001b[6~')
  await screen.shows(/▸ +381 /)
  expect(Object.keys(screen.text().split('\n')).length).toBe(30)
})

test.each([
  ['list', [], (n: number) => new RegExp(`▸ +${n} `)],
  ['columns', ['b'], (n: number) => new RegExp(`▸ ○ ${n} `)],
  ['tree', ['b', 'b'], (n: number) => new RegExp(`▸ +(?:◆ +)?${n} `)],
] as const)('keys that arrive while an end of a long %s is being read are applied there', async (_, keys, at) => {
  for (let n = 1; n <= 700; n++) await fixture.addTask(`task ${n}`)
  screen = openScreen(fixture)
  await screen.shows(/▸ +1 /)
  for (const key of keys) await screen.press(key)
  await screen.shows(at(1))
  for (const [strokes, n] of [
    ['Gkk', 698],
    ['g', 1],
    ['Gg', 1],
    ['j', 2],
    ['GgG', 700],
    ['gjj', 3],
    ['GgGgj', 2],
    ['GgGk', 699],
  ] as const) {
    await screen.press(strokes)
    await screen.shows(at(n))
  }
})

test('the filter narrows the board while it is typed, and esc clears it', async () => {
  for (const title of ['login form', 'payment form', 'login api']) await fixture.addTask(title)
  screen = openScreen(fixture)
  await screen.shows('payment form')
  await screen.press('/', 'login')
  await screen.lacks('payment form')
  await screen.press('\r', 'j')
  await screen.shows(/▸ +3/)
  await screen.press('\u001b')
  await screen.shows('payment form')
})

test('a pasted title is one text, and a paste outside a field is ignored', async () => {
  screen = openScreen(fixture)
  await screen.shows('No tasks yet')
  await screen.press('\u001b[200~xyq\u001b[201~')
  await screen.shows('Paste text into a form.')
  await screen.press('n', '\u001b[200~q x\ny\u001b[201~', '\r')
  await screen.shows('Created task 1 “q x y”.')
})

test('the console survives a storm of sizes down to zero and draws the last of them', async () => {
  await fixture.addTask('JWT auth API')
  screen = openScreen(fixture)
  await screen.shows('JWT auth API')
  for (let n = 0; n < 60; n++) screen.resize(10 + ((n * 37) % 190), 2 + ((n * 13) % 58))
  screen.resize(20, 5)
  await screen.shows('terminal too small')
  await screen.shows('40×10')
  screen.resize(60, 15)
  await screen.shows('[1 Board]')
  await screen.lacks('├ 2 Agents')
  await screen.press('2')
  await screen.shows('[2 Agents]')
  screen.resize(80, 24)
  await screen.shows('4 Worktrees')
  expect(screen.text().split('\n')[23]).toBe('')
})

test('an idle console writes nothing except its clock', async () => {
  await fixture.addWorktree('user-auth')
  screen = openScreen(fixture)
  await screen.shows('user-auth')
  await screen.shows('↑3')
  // Everything has been read and drawn when nothing more arrives for a while.
  let before = -1
  while (before !== screen.written.length) {
    before = screen.written.length
    await pause(1000)
  }
  await pause(1500)
  // Nothing on this screen contains a time.
  expect(screen.written.slice(before).join('')).toBe('')
})

test('q quits the console and leaves the agents running', async () => {
  screen = openScreen(fixture)
  await screen.shows('No tasks yet')
  await screen.press('q')
  await screen.ended
  expect(fixture.world.wishes).toEqual([])
})
