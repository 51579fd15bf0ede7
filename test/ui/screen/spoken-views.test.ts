import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { inWords } from '../../../src/text/screen-reader.ts'
import { inAscii } from '../../../src/ui/terminal/ascii.ts'
import type { Fixture } from '../fixture.ts'
import { openConsole, views, visit } from '../safety/views.ts'
import { openHostile } from '../safety/sources.ts'

// Every text of others is a plain word here, so any sign that is read out is one of the console's own.
vi.mock('../safety/families.ts', async (original) => {
  const plain = (source: string): string => `evil-${source}.`
  return {
    ...(await original<object>()),
    hostile: plain,
    shortHostile: plain,
    agentName: plain,
    messageName: plain('message'),
  }
})

test.each([
  ['✓ done', 'done'],
  ['verified ✓', 'verified'],
  ['Verification failed ✗', 'Verification failed'],
  ['✗ unverified', 'unverified'],
  ['✓ the tests pass', 'ok the tests pass'],
  ['○ the tests pass', 'open the tests pass'],
  ['● working', 'working'],
  ['◌ blocked by 3', 'blocked by 3'],
  ['⚠ conflicts with main', 'warning conflicts with main'],
  ['3 files  +312 −20  2 commits', '3 files, 312 added, 20 removed, 2 commits'],
  ['src/app.ts     +3 −1      +++−', 'src/app.ts, 3 added, 1 removed'],
  ['mode 100644 → 100755', 'mode 100644 to 100755'],
  ['Read ×3, Edit', 'Read 3 times, Edit'],
  ['pay × login', 'pay and login'],
  ['40×10, this is 20×5', '40 by 10, this is 20 by 5'],
  [' l →        Go on by one event', 'l right, Go on by one event'],
  ['← → change a choice', 'left and right change a choice'],
  ['  └─ relates to    ✓ ADR-2  accepted  Use SQLite', 'relates to, ok ADR-2, accepted, Use SQLite'],
  ['· observation  the build is slow', 'observation, the build is slow'],
  ['Execution ✗ failed', 'Execution failed'],
  ['w next  : commands', 'w next, : commands'],
  ['TOKEN=••••••', 'TOKEN=masked'],
  ['  agent        backend-1  ', 'agent, backend-1'],
])('%j is read aloud as %j', (drawn, read) => {
  expect(inWords(drawn)).toBe(read)
})

/** The characters of a sentence: letters, digits and the signs of a keyboard or a book. */
const foreign = /[^\p{L}\p{N}\s!-/:-@[-`{-~–—…‘’“”]/u

/** The control sequences of a terminal; one starts each line of a frame. */
// oxlint-disable-next-line no-control-regex -- that is what they are
const sequences = /\u001b(?:\[[?>=\d;]*[A-Za-z]|\].*?(?:\u0007|\u001b\\))/g

describe('every view', () => {
  let fixture: Fixture
  beforeAll(async () => void (fixture = await openHostile()))
  afterAll(() => fixture.close())

  /** Everything that was written while the views were visited, line by line. */
  const written = async (
    environment: NodeJS.ProcessEnv,
    begun: string,
  ): Promise<readonly (readonly [view: string, line: string])[]> => {
    const screen = openConsole(fixture, { columns: 120, rows: 40, environment })
    await screen.shows(begun)
    const lines: (readonly [string, string])[] = []
    let looked = 0
    for (const view of views) {
      await visit(screen, view, () => screen.lacks(/reading[…~]/))
      const added = screen.written.slice(looked)
      looked += added.length
      for (const line of added.join('').split(sequences)) lines.push([view.name, line])
    }
    await screen.close()
    return lines
  }

  const holding = (lines: readonly (readonly [string, string])[], wrong: RegExp): readonly string[] => [
    ...new Set(lines.filter(([, line]) => wrong.test(line)).map(([view, line]) => `${view}: ${line}`)),
  ]

  /** The signs that appear only once the views exist, by view. */
  const titles: Readonly<Record<string, string>> = {
    help: 'Keys',
    palette: 'Commands',
    memory: 'Memory',
    'command question': 'Confirm',
    'new task': 'New task',
    question: 'Answer',
  }
  const titlesOfDay = views.flatMap(({ name }) => titles[name] ?? [])

  test('is read to a screen reader in words, without a sign that is only drawn', { timeout: 600_000 }, async () => {
    const lines = await written({ INK_SCREEN_READER: '1' }, 'Board, ')
    expect(holding(lines, foreign)).toEqual([])
    const all = lines.map(([, line]) => line).join('\n')
    for (const title of titlesOfDay) expect(all).toContain(title)
  })

  test("is drawn in ASCII if the terminal's locale requires it", { timeout: 600_000 }, async () => {
    const lines = await written({ LANG: 'C' }, '1 Board')
    expect(holding(lines, /[^\p{ASCII}]/u)).toEqual([])
    const all = lines.map(([, line]) => line).join('\n')
    for (const title of titlesOfDay) expect(all).toContain(title)
  })
})

test('a sign in ASCII has the same number of columns, and letters stay', () => {
  expect(inAscii('│▸ 3  ● working  10█░  café 日本… ↑3 −20 ✓ ⚑ ╮┤')).toBe(
    '|> 3  * working  10|.  café 日本~ ^3 -20 v ! ++',
  )
})
