import { expect, onTestFinished, test } from 'vitest'
import { widthOf } from '../../../components/base/fit.ts'
import { noticeLines } from '../../../components/lines/notice.ts'
import { commandsForConsole } from '../../../src/cli/run/for-console.ts'
import { safeText } from '../../../src/domain/words/safe-text.ts'
import type { ConsoleCommand } from '../../../src/contracts/console.ts'
import { type Fixture, openFixture } from '../fixture.ts'
import { openScreen, type Screen } from '../screen.ts'

const open = async (
  columns: number,
  rows: number,
  commands?: (fixture: Fixture) => readonly ConsoleCommand[],
): Promise<{ fixture: Fixture; screen: Screen }> => {
  const fixture = await openFixture()
  for (const title of ['Bake', 'Cool', 'Slice']) await fixture.addTask(title)
  const screen = openScreen(fixture, {
    columns,
    rows,
    ...(commands ? { commands: () => Promise.resolve(commands(fixture)) } : {}),
  })
  onTestFinished(async () => {
    await screen.close()
    fixture.close()
  })
  await screen.shows('Slice')
  return { fixture, screen }
}

/** The screen's text with spaces in place of line breaks. */
const read = (screen: Screen): string => screen.text().replace(/\s+/g, ' ')
const rowOf = (screen: Screen, words: string): number =>
  screen
    .text()
    .split('\n')
    .findIndex((line) => line.includes(words))

test.each([
  [80, 24],
  [60, 15],
])("a filter's error is fully visible at %i×%i, and neither the rows nor the input move", async (columns, rows) => {
  const { screen } = await open(columns, rows)
  const [row, bottom] = [rowOf(screen, 'Slice'), rows - 3]
  await screen.press('/', ...'stat:x')
  await screen.shows("'stat:x': 'stat' is not a key")
  expect(read(screen)).toContain(
    "'stat:x': 'stat' is not a key. Use state, persona, agent, worktree, session, is, blocked, id, priority, attempt, age or time,",
  )
  expect([rowOf(screen, 'Slice'), rowOf(screen, ' / stat:x')]).toEqual([row, bottom])
  await screen.press('\u0015')
  await screen.lacks('is not a key')
  expect(screen.text()).toContain('╰')
})

test('a filter longer than its line shows its end, where the cursor is', async () => {
  const { screen } = await open(60, 15)
  await screen.press('/', ...'persona:implementer -"nothing of this kind" Sli')
  await screen.shows(/ \/ ….*this kind" Sli +1 task/)
})

test('a refusal is fully visible on a narrow screen, and releases its lines with the next key', async () => {
  const { screen } = await open(60, 15)
  const row = rowOf(screen, 'Bake')
  await screen.press('3', 'S')
  await screen.shows('Focus a list')
  expect(read(screen)).toContain('! A log is not sorted. Focus a list with 1, 2 or 4.')
  await screen.press('1')
  await screen.lacks('Focus a list')
  expect(rowOf(screen, 'Bake')).toBe(row)
})

test('a click hits what is visible even if all panes make room for a refusal', async () => {
  const { fixture, screen } = await open(70, 20)
  await fixture.addWorktree('greet')
  await screen.shows('greet')
  await screen.press('3', 'S')
  await screen.shows('! A log is not sorted')
  await screen.press(`\u001b[<0;20;${rowOf(screen, '4 Worktrees') + 1}M`)
  await screen.lacks('! A log is not sorted')
  expect(screen.text()).toContain('[4 Worktrees]')
})

test('a receipt with a title in wide characters is fully visible', () => {
  const title = safeText('東京の天気を毎朝しらべて画面に出す')
  expect(noticeLines(title, 30, 3).map((line) => widthOf(line) <= 27)).toEqual([true, true])
  expect(noticeLines(title, 30, 3).join('')).toBe(title)
})

test('the command line of a form is fully visible, in as many rows as it needs', async () => {
  const { screen } = await open(60, 24, (given) => commandsForConsole(given.connection, { version: '0' } as never, {}))
  await screen.press(':', 'task add', '\r')
  await screen.shows('[task add]')
  await screen.press('Write down what was decided about the tokens', '\t', '\t', 'All of it')
  await screen.shows("'All of it'")
  expect(read(screen).replaceAll('│ │ ', '')).toContain(
    "$ aiswarm task add --persona implementer --description 'All of it' 'Write down what was decided about the tokens'",
  )
  expect(screen.text()).toMatch(/▸--description +All of it/)
})

test('a report of the loops about a problem is marked as one, and one that it is over is not', async () => {
  const fixture = await openFixture()
  let told: (sentence: string, isGood?: boolean) => void = () => {}
  const screen = openScreen(fixture, { columns: 80, rows: 24, reports: (listener) => (told = listener) })
  onTestFinished(async () => {
    await screen.close()
    fixture.close()
  })
  await screen.shows('Board')
  told('The board takes no writes.')
  await screen.shows('✗ The board takes no writes.')
  told('The board takes writes again.', true)
  await screen.shows('· The board takes writes again.')
})
