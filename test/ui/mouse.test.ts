import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RadarWorktree } from '../../src/contracts/observations.ts'
import { person } from '../../src/domain/agent/actor.ts'
import type { Conflict } from '../../src/domain/integration/radar.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { footerRows } from '../../src/ui/keys/help.ts'
import { hitAt, pressMouse } from '../../src/ui/mouse.ts'
import { resized } from '../../src/ui/panes/movement.ts'
import { eventually } from '../support/eventually.ts'
import { reviewOfDiff } from '../support/review.ts'
import { openController } from './controller.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { entries, memories } from './memories.ts'
import { openScreen, type Screen } from './screen.ts'

// The mouse over views that cover the panes, as a terminal reports it: at the place of a visible text.

let fixture: Fixture
let screen: Screen

beforeEach(async () => {
  fixture = await openFixture()
})

afterEach(async () => {
  await screen.close()
  fixture.close()
})

const sizes = [
  [200, 50],
  [80, 24],
  [60, 15],
] as const

const open = async (columns: number, rows: number, options: Parameters<typeof openScreen>[1] = {}): Promise<void> => {
  screen = openScreen(fixture, { columns, rows, ...options })
  await screen.shows('1 Board')
}

/** A click, or a turn of the wheel, at the last of these words on the screen, this many columns after their start. */
const on = async (words: string, { button = 0, behind = 0 } = {}): Promise<void> => {
  const lines = screen.text().split('\n')
  const row = lines.findLastIndex((line) => line.includes(words))
  if (row === -1) throw new Error(`Nowhere is '${words}':\n${screen.text()}`)
  const place = `${lines[row]!.indexOf(words) + 1 + behind};${row + 1}`
  await screen.press(`\u001b[<${button};${place}M\u001b[<${button};${place}m`)
}

const [up, down] = [64, 65]

/** The screen without the cursor mark, because a click scrolls nothing. */
const unmarked = (): string => screen.text().replaceAll('▸', ' ')

test.each(sizes)(
  'a click selects the row of a memory, or shows the tab that it hits (%i×%i)',
  async (columns, rows) => {
    fixture.world.files = memories({ timeline: entries(...Array.from({ length: 60 }, (_, n) => `entry ${n};`)) })
    await open(columns, rows)
    await screen.press('m')
    await screen.shows('[1 Working]')
    await on('3 Timeline')
    await screen.shows('[3 Timeline]')
    await screen.shows(/▸.*entry 59;/)
    await on('entry 56;')
    await screen.shows(/▸.*entry 56;/)
    for (let turn = 0; turn < 16; turn++) await on('[3 Timeline]', { button: down })
    await screen.shows(/▸.*entry 8;/)
    const before = unmarked()
    await on('entry 11;')
    await screen.shows(/▸.*entry 11;/)
    expect(unmarked()).toBe(before)
    // The search words are typed below it.
    await screen.press('/')
    await screen.shows('esc cancel')
    await on('entry 10;')
    await screen.shows(/▸.*entry 10;/)
    await on('entry 10;', { button: up })
    await screen.shows(/▸.*entry 13;/)
    await screen.press('\u001b')
    await screen.lacks('esc cancel')
    await screen.press('\r')
    await screen.shows('note of entry 13;')
  },
)

const worktree = (name: string): RadarWorktree => ({
  name,
  target: 'main',
  brings: true,
  unfinished: 0,
  needs: [],
  uncommitted: 0,
  remark: null,
})
const conflict = (a: string, b: string): Conflict => ({
  a,
  b,
  withTarget: false,
  files: ['a.ts'],
  includesUncommitted: false,
  problem: null,
})

test.each(sizes)(
  'a click selects a cell of the radar, or a step of the order below it (%i×%i)',
  async (columns, rows) => {
    const names = ['auth', 'cart', 'schema']
    for (const name of names) await fixture.addWorktree(name)
    fixture.world.seen = {
      worktrees: names.map(worktree),
      pairs: [conflict('auth', 'schema')],
      order: names,
      steps: names.map((name) => ({ worktree: name, why: `turn of ${name}` })),
    }
    await open(columns, rows)
    await screen.press('4')
    await screen.shows('conflicts with')
    await screen.press('C')
    await screen.shows(/▸1 auth .*\[C\]/)
    await on('3 schema')
    await screen.shows(/▸3 schema .*\[–\]/)
    const heads = screen
      .text()
      .split('\n')
      .find((line) => / T +1 +2 +3/.test(line))!
    await on('2 cart', { behind: heads.indexOf('1') - '│▸'.length })
    await screen.shows(/▸2 cart .*\[·\]/)
    await screen.shows('cart does not conflict with auth')
    // The legend of the letters is not a row.
    await on('C conflict')
    await on('1 auth')
    await screen.shows(/▸1 auth .*\[–\]/)
    await screen.press(...Array.from({ length: 9 }, () => 'j'))
    await on('turn of cart')
    await screen.shows(/▸2\. cart/)
    await screen.press('\r')
    await screen.shows(/▸cart/)
  },
)

test.each(sizes)('a click selects a saved filter, and the wheel scrolls the list (%i×%i)', async (columns, rows) => {
  const filters = Array.from({ length: 60 }, (_, n) => ({ name: `name ${n};`, filter: `priority>${n}` }))
  await open(columns, rows, { memory: { read: () => ({ filters }), write: () => {} } })
  await screen.press('/', '\u001b[B')
  await screen.shows('▸ name 0;')
  await on('name 3;')
  await screen.shows('▸ name 3;')
  for (let turn = 0; turn < 16; turn++) await on('[Saved filters]', { button: down })
  await screen.shows('▸ name 51;')
  const before = unmarked()
  await on('name 45;')
  await screen.shows('▸ name 45;')
  expect(unmarked()).toBe(before)
  await on('enter use')
  await screen.shows('priority>45')
})

test.each(sizes)('a click selects the section of a detail to which a line belongs (%i×%i)', async (columns, rows) => {
  await fixture.addTask('Model', { description: Array.from({ length: 60 }, (_, n) => `line ${n};`).join('\n') })
  await open(columns, rows)
  await screen.shows('Model')
  await screen.press('\r')
  await screen.shows('▾ Description')
  // The facts at the top belong to no section.
  await on('implementer')
  await screen.press('j')
  await screen.lacks('▸▾')
  // The key marked nothing either.
  await screen.shows('line 0;')
  await on('line 0;')
  await screen.shows('▸▾ Description')
  for (let turn = 0; turn < 3; turn++) {
    const still = screen.text()
    await on('line', { button: down })
    await eventually(() => expect(screen.text()).not.toBe(still))
  }
  await screen.lacks('Description')
  const before = unmarked()
  await on('line')
  expect(unmarked()).toBe(before)
  await screen.press(' ')
  await screen.shows('▸▸ Description')
})

test.each(sizes)(
  'a click moves the cursor to a line of a review, even while search words are typed below it (%i×%i)',
  async (columns, rows) => {
    await fixture.addWorktree('user-auth')
    await fixture.makeReady('user-auth')
    await open(columns, rows)
    await screen.press('4', 'i')
    await screen.shows('+2 −1')
    await screen.press(']')
    await screen.shows(/▸▾ .*login/)
    const before = unmarked()
    await on('+newer')
    await screen.shows(/▸.*\+newer/)
    await on('-old')
    await screen.shows(/▸.*-old/)
    expect(unmarked()).toBe(before)
    await screen.press('/')
    await screen.shows('esc cancel')
    await on('+newer')
    await screen.shows(/▸.*\+newer/)
  },
)

test.each(sizes)('the wheel scrolls a review above the form for a comment (%i×%i)', async (columns, rows) => {
  fixture.world.review = reviewOfDiff(
    `diff --git a/src/login.ts b/src/login.ts\n@@ -0,0 +1,60 @@\n${Array.from({ length: 60 }, (_, n) => `+line ${n};\n`).join('')}`,
  )
  await fixture.addWorktree('user-auth')
  await fixture.makeReady('user-auth')
  await open(columns, rows)
  await screen.press('4', 'i')
  await screen.shows('+60 −0')
  await screen.press(']')
  await screen.shows(/▸▾ .*login/)
  await screen.press('n')
  await screen.shows('▸Reason')
  for (let turn = 0; turn < 10; turn++) await on('Integrate user-auth', { button: down })
  await screen.shows(/▸.*line 28;/)
  await screen.press('no')
  await screen.shows(/▸Reason +no/)
  // The review is only read there.
  await on('line 27;')
  await on('Reason')
  await screen.shows(/▸.*line 28;/)
})

test.each(sizes)(
  'a click in the past selects a pane, and the wheel scrolls the one under it (%i×%i)',
  async (columns, rows) => {
    for (let n = 0; n < 30; n++)
      await perform(fixture.core, registerAgent, { id: `agent-${n}-x`, personaId: 'implementer' }, person)
    for (let n = 0; n < 3; n++) await fixture.addTask(`Task ${n};`)
    await open(columns, rows)
    await screen.press('T')
    await screen.shows('Task 0;')
    const whole = rows > 20
    if (whole) {
      await on('Worktrees')
      await screen.shows('[Worktrees]')
      await on('Agents')
    } else await screen.press('\t')
    await screen.shows(whole ? '[Agents]' : 'Agents]')
    await on('agent-', { button: down })
    await screen.shows('agent-3-x')
    await screen.lacks('agent-2-x')
    if (!whole) return
    await on('Task 0;', { button: down })
    await screen.shows(/\[Timeline/)
    await screen.lacks('Task 0;')
  },
)

test.each([
  [80, 18],
  [100, 20],
  [60, 15],
] as const)(
  'a click hits the list of commands where it is drawn, even if the panes above it have no room (%i×%i)',
  async (columns, rows) => {
    await open(columns, rows)
    await screen.press(':')
    await screen.shows('▸ s')
    await on('retry · ')
    await screen.shows(/▸ r +retry · /)
  },
)

test('a click on an acting key requires the leader key in the strict mode, like the key itself', async () => {
  await open(120, 30)
  const controller = await openController(fixture)
  await fixture.addTask('Bake')
  await controller.reread()
  controller.change((state) => resized(120, 30)({ ...state, preferences: { ...state.preferences, strict: true } }))
  const clickOn = (id: string): void => {
    const column = Array.from({ length: 120 }, (_, at) => at).find((at) => {
      const hit = hitAt(controller.state(), at, 28)
      return hit?.kind === 'key' && hit.row.id === id
    })
    pressMouse(controller, { kind: 'click', column: column!, row: 28 })
  }
  expect(footerRows(controller.state()).rows.map(({ id }) => id)).toContain('spawn')
  clickOn('spawn')
  expect(controller.notice()).toBe("Strict mode: press ctrl-x, then s, to run 'spawn'.")
  controller.press('ctrl-x')
  clickOn('spawn')
  expect(controller.notice()).not.toContain('Strict mode')
  expect(controller.state().preferences.led).toBe(false)
  clickOn('quit')
  clickOn('new')
  expect([controller.quits.count, controller.mode()]).toEqual([1, 'list'])
})

test.each(sizes)('a click on a key of the footer presses it in every view (%i×%i)', async (columns, rows) => {
  await fixture.addTask('Model')
  await fixture.addWorktree('user-auth')
  await fixture.makeReady('user-auth')
  await open(columns, rows)
  await screen.shows('Model')
  const views: readonly (readonly [keys: readonly string[], title: string])[] = [
    [['m'], '[Memory]'],
    [['C'], '[Conflict radar'],
    [['L'], '[Logs of all agents'],
    [['T'], '[Timeline'],
    [['P'], ''],
    [['@'], '[git commands'],
    [['W'], '[Inbox]'],
    [['\r'], '[Task 1]'],
    [['4', 'i'], '[Integrate user-auth'],
  ]
  const footer = (): string => screen.text().trimEnd().split('\n').at(-1)!
  for (const [keys, title] of views) {
    await screen.press(...keys)
    await screen.shows('esc back')
    await screen.shows(title)
    expect(footer(), title).toContain('? help')
    await on('? help')
    await screen.shows('[Keys]')
    await on('esc back')
    await screen.lacks('[Keys]')
    await on('esc back')
    await screen.lacks('esc back')
  }
  await on('? help')
  await screen.shows('[Keys]')
  await on('/ search')
  await screen.shows('keep, esc')
  await on('esc back')
  await on('esc back')
  await screen.press(':')
  await screen.shows('[Commands]')
  await on('↓ next')
  await screen.shows(/▸ r +retry/)
  await on('esc back')
  await screen.press('n')
  await screen.shows('▸Title')
  await on('tab ↓ next  ')
  await screen.shows('▸Description')
  await on('esc back')
  await screen.lacks('esc back')
  await on('q quit')
  await screen.ended
})

test.each(sizes)(
  'a click presses a key that a line of key hints names, except one that answers for good (%i×%i)',
  async (columns, rows) => {
    await fixture.addWorktree('user-auth')
    await fixture.makeReady('user-auth')
    await fixture.addTask('Model')
    await open(columns, rows)
    await screen.press('4', 'i')
    await screen.shows('⚑ y approve exactly')
    await on('y approve exactly')
    await screen.shows('Press y to answer; a click does not.')
    await on('n reject', { behind: 3 })
    await screen.shows('[Reject the integration of user-auth]')
    await on('esc cancel', { behind: 4 })
    await screen.lacks('[Reject the integration')
    await screen.press('\u001b')
    await screen.lacks('approves exactly')
    await screen.press('1', 'x')
    await screen.shows('│ y yes   n')
    await on('│ y yes   n', { behind: 3 })
    await screen.shows('Press y to answer; a click does not.')
    // Between two of them there is no key.
    await on('│ y yes   n', { behind: 8 })
    expect(screen.text()).toContain('[Confirm]')
    await on('│ y yes   n', { behind: 10 })
    await screen.lacks('[Confirm]')
    await screen.press('n')
    await screen.shows('▸Title')
    await on('tab ↓ next field', { behind: 7 })
    await screen.shows('▸Description')
    await on('enter submit')
    await screen.shows('The title is empty. Enter a title.')
  },
)
