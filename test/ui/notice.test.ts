import { expect, onTestFinished, test } from 'vitest'
import { widthOf } from '../../components/fit.ts'
import { noticeLines } from '../../components/notice-lines.ts'
import { commandsForConsole } from '../../src/cli/for-console.ts'
import { safeText } from '../../src/domain/safe-text.ts'
import type { ConsoleCommand } from '../../src/operations/kernel/console-command.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { openScreen, type Screen } from './screen.ts'

const open = async (columns: number, rows: number, commands?: (fixture: Fixture) => readonly ConsoleCommand[]): Promise<{ fixture: Fixture; screen: Screen }> => {
  const fixture = await openFixture()
  for (const title of ['Bake', 'Cool', 'Slice']) await fixture.addTask(title)
  const screen = openScreen(fixture, { columns, rows, ...(commands ? { commands: () => Promise.resolve(commands(fixture)) } : {}) })
  onTestFinished(async () => {
    await screen.close()
    fixture.close()
  })
  await screen.shows('Slice')
  return { fixture, screen }
}

/** The screen's text with its line breaks as spaces. */
const read = (screen: Screen): string => screen.text().replace(/\s+/g, ' ')
const rowOf = (screen: Screen, words: string): number =>
  screen
    .text()
    .split('\n')
    .findIndex((line) => line.includes(words))

test.each([
  [80, 24],
  [60, 15],
])('at %i×%i what is wrong with a filter is read whole, and neither the rows nor what is typed move for it', async (columns, rows) => {
  const { screen } = await open(columns, rows)
  const [row, bottom] = [rowOf(screen, 'Slice'), rows - 3]
  await screen.press('/', ...'stat:x')
  await screen.shows("'stat:x': there is no key 'stat'")
  expect(read(screen)).toContain("'stat:x': there is no key 'stat', but state, persona, agent, worktree, session, is, blocked, id, priority, attempt, age or time;")
  expect([rowOf(screen, 'Slice'), rowOf(screen, ' / stat:x')]).toEqual([row, bottom])
  await screen.press('\u0015')
  await screen.lacks('there is no key')
  expect(screen.text()).toContain('╰')
})

test('of a filter that is longer than the line the end is seen, where one types', async () => {
  const { screen } = await open(60, 15)
  await screen.press('/', ...'persona:implementer -"nothing of this kind" Sli')
  await screen.shows(/ \/ ….*this kind" Sli +1 task/)
})

test('a refusal is read whole on a narrow screen, and takes its lines back with the next key', async () => {
  const { screen } = await open(60, 15)
  const row = rowOf(screen, 'Bake')
  await screen.press('3', 'S')
  await screen.shows('goes to a list.')
  expect(read(screen)).toContain('! A log stands in the order in which it was written; 1, 2 or 4 goes to a list.')
  await screen.press('1')
  await screen.lacks('goes to a list.')
  expect(rowOf(screen, 'Bake')).toBe(row)
})

test('a click meets what is seen also where all panes give way to a refusal', async () => {
  const { fixture, screen } = await open(70, 20)
  await fixture.addWorktree('greet')
  await screen.shows('greet')
  await screen.press('3', 'S')
  await screen.shows('! A log stands')
  await screen.press(`\u001b[<0;20;${rowOf(screen, '4 Worktrees') + 1}M`)
  await screen.lacks('! A log stands')
  expect(screen.text()).toContain('[4 Worktrees]')
})

test('a receipt that holds a title in wide characters is read whole', () => {
  const title = safeText('東京の天気を毎朝しらべて画面に出す')
  expect(noticeLines(title, 30, 3).map((line) => widthOf(line) <= 27)).toEqual([true, true])
  expect(noticeLines(title, 30, 3).join('')).toBe(title)
})

test('the line that does the same as a form stands there whole, in as many rows as it takes', async () => {
  const { screen } = await open(60, 24, (given) => commandsForConsole(given.connection, { version: '0' } as never, {}))
  await screen.press(':', 'task add', '\r')
  await screen.shows('[task add]')
  await screen.press('Write down what was decided about the tokens', '\t', '\t', 'All of it')
  await screen.shows("'All of it'")
  expect(read(screen).replaceAll('│ │ ', '')).toContain("$ aiswarm task add --persona implementer --description 'All of it' 'Write down what was decided about the tokens'")
  expect(screen.text()).toMatch(/▸--description +All of it/)
})
