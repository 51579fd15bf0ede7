import stringWidth from 'string-width'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { kindOf } from '../../../src/ui/core/layout.ts'
import { type Fixture, openFixture } from '../fixture.ts'
import { openScreen, type Screen } from '../screen.ts'

let fixture: Fixture
let screen: Screen | undefined
beforeEach(async () => void (fixture = await openFixture()))
afterEach(async () => {
  await screen?.close()
  fixture.close()
})

const [enter, escape, home] = ['\r', '\u001b', { columns: 120, rows: 40 }] as const

/** Every view that may cover the panes, and its keys from the board. */
const overlays: Readonly<Record<string, readonly string[]>> = {
  'the panes': [],
  'the board as columns': ['b'],
  'the board as a tree': ['b', 'b'],
  'a task': [enter],
  'a worktree': ['4', enter],
  inbox: ['W'],
  review: ['4', 'i'],
  'a review with a question over it': ['4', 'i', 'n', 'no'],
  palette: [':'],
  'the form of a command': [':', 'task add', enter],
  'a new task': ['n', 'Bake', '\t', '\t', '\t', '\t', '\t', '\t'],
  'a question': ['x'],
  'a question about a worktree': ['4', 'd', 'no longer needed '.repeat(30), enter],
  plots: ['P'],
  'one plot': ['P', '\t'],
  timeline: ['T'],
  logs: ['L'],
  memory: ['m'],
  radar: ['C'],
  help: ['?'],
  filter: ['/', 'state:'],
  'git commands': ['@'],
}

const sizes = [
  [500, 200],
  [60, 15],
  [20, 5],
  [40, 10],
  [1, 1],
] as const

/** The errors of a frame: lines too long or too many, borders without an end, a footer in the wrong place. */
const wrongIn = (text: string, columns: number, rows: number): readonly string[] => {
  const lines = text.split('\n')
  if (kindOf(columns, rows) === 'none') return lines.filter((line) => /[│╭╰]/.test(line))
  const begun = lines.filter((line) => line.startsWith('╭')).length
  return [
    ...(lines.at(-1) === '' ? [] : [`the last line is not free: ${lines.at(-1)}`]),
    ...(/^ \S/.test(lines[0]!) ? [] : [`no header: ${lines[0]}`]),
    ...(/^ \S/.test(lines.at(-2)!) ? [] : [`no footer: ${lines.at(-2)}`]),
    ...(lines.some((line) => line.includes('╭')) ? [] : ['no frame']),
    // A view over the panes may cover one border of them.
    ...(Math.abs(lines.filter((line) => line.startsWith('╰')).length - begun) <= 1 ? [] : ['a frame has no end']),
    ...lines.filter((line) => /^[│╭├╰]/.test(line) && (!/[│╮┤╯]$/.test(line) || stringWidth(line) !== columns)),
  ]
}

/** The errors once it is complete. */
const wrongAt = async (screen: Screen, name: string, columns: number, rows: number): Promise<readonly string[]> => {
  const wrong = (): readonly string[] =>
    wrongIn(screen.text(), columns, rows).map((what) => `${name} at ${columns}×${rows}: ${what}`)
  await vi.waitFor(() => expect(wrong()).toEqual([]), { timeout: 30_000, interval: 10 }).catch(() => {})
  return wrong()
}

test('every view fits at every size', { timeout: 600_000 }, async () => {
  await fixture.addWorktree('user-auth')
  await fixture.addTask(`Log in ${'with every way that anybody could think of '.repeat(8)}`, {
    targetWorktree: 'user-auth',
  })
  await fixture.addTask('Pay', { dependencies: [1] })
  await fixture.makeReady('user-auth').catch(() => {})
  screen = openScreen(fixture, home)
  await screen.shows(/▸ +1 .*Log in/)
  const wrong: string[] = []
  for (const [name, keys] of Object.entries(overlays)) {
    await screen.press(...keys)
    wrong.push(...(await wrongAt(screen, name, home.columns, home.rows)))
    for (const [columns, rows] of sizes) {
      screen.resize(columns, rows)
      wrong.push(...(await wrongAt(screen, name, columns, rows)))
    }
    screen.resize(home.columns, home.rows)
    wrong.push(...(await wrongAt(screen, name, home.columns, home.rows)))
    await leave(screen, keys)
  }
  expect(wrong).toEqual([])
})

/** Returns to the first row of the board. */
const leave = async (screen: Screen, keys: readonly string[]): Promise<void> => {
  for (let n = 0; n < 4; n++) await screen.press(escape)
  await screen.press('1', 'g')
  // Once round to the list again.
  if (keys[0] === 'b') await screen.press(...(keys.length === 1 ? ['b', 'b'] : ['b']))
  await screen.shows(/▸ +1 .*Log in/)
}

/** Without times, which change continuously. */
const still = (text: string): string =>
  text
    .replaceAll(/\d+/g, '0')
    .replaceAll(/[<\d]+[smh]\b/g, '')
    .replaceAll(/ +/g, ' ')

test('a question without room says that a part is missing, and the typed text is visible', async () => {
  await fixture.addTask(`Log in ${'with every way that anybody could think of '.repeat(8)}`)
  screen = openScreen(fixture, { columns: 40, rows: 10 })
  await screen.shows(/▸ +1 /)
  await screen.press('x')
  await screen.shows(/Cancels task 1[^]*… \d+ more lines: enlarge the terminal\s*│\n│ y yes +n esc no/)
  screen.resize(120, 40)
  await screen.shows(/Cancels task 1[^]*y yes +n esc no/)
  await screen.lacks('larger screen')
  await screen.press('n', 'n')
  screen.resize(40, 10)
  await screen.press('\t', '\t', '\t', '\t', 'make all')
  await screen.shows(/5 of \d[^]*▸Command +make all/)
})

test('a terminal that reports 0×0 is treated as 80×24', async () => {
  screen = openScreen(fixture, { columns: 80, rows: 24 })
  await screen.shows('1 Board')
  const before = screen.text()
  screen.says(0, 0)
  await screen.press('?')
  await screen.shows('[Keys]')
  expect(await wrongAt(screen, 'help', 80, 24)).toEqual([])
  await screen.press(escape)
  await screen.lacks('[Keys]')
  expect(still(screen.text())).toBe(still(before))
})
