import { expect, test } from 'vitest'
import { makeCanvas, tapOutput } from '../../../src/ui/terminal/output.ts'
import { openTerminal } from '../terminal.ts'

const size = { columns: 20, rows: 6 }
const five = ['one', 'two', 'three', 'four', 'five']

const seen = async (terminal: ReturnType<typeof openTerminal>): Promise<string[]> =>
  (await terminal.lines()).map(({ text }) => text.trimEnd())

/** A canvas with a settable clock, and the terminal that gets its bytes. */
const openCanvas = () => {
  const terminal = openTerminal(size)
  let now = 0
  const canvas = makeCanvas(() => now)
  const paint = (...lines: readonly string[]): string => {
    const bytes = canvas.paint(lines, size.rows)
    terminal.scribble(bytes)
    return bytes
  }
  return { terminal, canvas, paint, wait: (ms: number) => (now += ms) }
}

test('the canvas writes only the lines that differ, and nothing without a difference', async () => {
  const { terminal, paint } = openCanvas()
  paint(...five)
  expect(await seen(terminal)).toEqual([...five, ''])
  const bytes = paint('one', 'two', '3', 'four', 'five')
  expect(bytes).toContain('3')
  expect(bytes).not.toMatch(/two|four/)
  expect(paint('one', 'two', '3', 'four', 'five')).toBe('')
  expect(await seen(terminal)).toEqual(['one', 'two', '3', 'four', 'five', ''])
})

test('a line whose width the terminal overestimates moves no other line', async () => {
  const { terminal, paint } = openCanvas()
  paint(...five)
  paint('one', 'w'.repeat(25), 'three', 'four', '5')
  expect(await seen(terminal)).toEqual(['one', 'w'.repeat(20), 'three', 'four', '5', ''])
})

test('the canvas keeps foreign output until a key is pressed or a redraw is requested, and no longer', async () => {
  const { terminal, canvas, paint, wait } = openCanvas()
  paint(...five)
  // Like `wall`: the screen scrolls, and every row is one higher.
  terminal.scribble('Broadcast message\r\n\r\n')
  paint('one', 'two', 'three', 'four', '5')
  expect(await seen(terminal)).not.toEqual(['one', 'two', 'three', 'four', '5', ''])
  canvas.touch()
  expect(paint('one', 'two', 'three', 'four', '6')).not.toContain('two')
  wait(10_000)
  // A clock that is not visible costs no complete frame.
  expect(paint('one', 'two', 'three', 'four', '7')).not.toContain('two')
  canvas.touch()
  paint('one', 'two', 'three', 'four', '8')
  expect(await seen(terminal)).toEqual(['one', 'two', 'three', 'four', '8', ''])
  terminal.scribble('Broadcast message\r\n\r\n')
  canvas.forget()
  paint('one', 'two', 'three', 'four', '8')
  expect(await seen(terminal)).toEqual(['one', 'two', 'three', 'four', '8', ''])
})

test('a shorter frame leaves no line of the previous one, and the last lines of a tall frame are visible', async () => {
  const { terminal, paint } = openCanvas()
  paint(...five)
  paint('one')
  expect(await seen(terminal)).toEqual(['one', '', '', '', '', ''])
  paint('zero', ...five, 'six')
  expect(await seen(terminal)).toEqual([...five, 'six'])
})

/** A frame as Ink writes it, with the same number of lines as the previous one. */
const inkFrame = (lines: readonly string[], before = 0): readonly string[] => [
  '\u001b[?2026h',
  `${'\u001b[2K\u001b[1A'.repeat(before)}\u001b[G${lines.join('\n')}\n`,
  '\u001b[?2026l',
]

const openTap = () => {
  const terminal = openTerminal(size)
  const tap = tapOutput(terminal.stdout)
  const show = (...lines: readonly string[]): void => inkFrame(lines, 5).forEach((chunk) => tap.stdout.write(chunk))
  return { terminal, tap, show }
}

test('a slow terminal gets only the last of its unread frames, and all output that is not a frame', async () => {
  const { terminal, tap, show } = openTap()
  show(...five)
  terminal.reads(false)
  for (let n = 0; n < 50; n++) show('one', 'two', String(n), 'four', 'five')
  tap.stdout.write('\u001b]0;a title\u0007')
  expect(terminal.stdout.writableLength).toBeLessThan(200)
  terminal.reads(true)
  await expect.poll(() => seen(terminal)).toEqual(['one', 'two', '49', 'four', 'five', ''])
  tap.end()
})

test('a size that changes and returns at once cuts lines, and they are drawn again', async () => {
  const { terminal, tap, show } = openTap()
  show(...five)
  expect(await seen(terminal)).toEqual([...five, ''])
  // tmux and similar programs cut the upper lines if the cursor is at the bottom; Node reports the size that it knows.
  terminal.scribble('\u001b[6;1H\n\n\n')
  process.emit('SIGWINCH', 'SIGWINCH')
  await expect.poll(() => seen(terminal)).toEqual([...five, ''])
  tap.end()
})

test('the canvas draws nothing over the screen of the shell', async () => {
  const { terminal, tap, show } = openTap()
  show(...five)
  terminal.reads(false)
  show('one', 'two', 'three', 'four', 'six')
  tap.stdout.write('\u001b[?1049l\u001b[H\u001b[J$ ')
  terminal.reads(true)
  await expect.poll(() => seen(terminal)).toEqual(['$', '', '', '', '', ''])
  process.emit('SIGWINCH', 'SIGWINCH')
  await new Promise((turn) => setImmediate(() => setImmediate(turn)))
  expect(await seen(terminal)).toEqual(['$', '', '', '', '', ''])
  tap.end()
})
