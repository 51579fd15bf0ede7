import { expect, test } from 'vitest'
import { makeCanvas } from '../../src/ui/terminal/canvas.ts'
import { tapOutput } from '../../src/ui/terminal/output.ts'
import { openTerminal } from './truth/terminal.ts'

const size = { columns: 20, rows: 6 }
const five = ['one', 'two', 'three', 'four', 'five']

const seen = async (terminal: ReturnType<typeof openTerminal>): Promise<string[]> => (await terminal.lines()).map(({ text }) => text.trimEnd())

/** A canvas whose clock one sets, and the terminal that is given its bytes. */
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

test('only the lines that differ are written, and none where nothing does', async () => {
  const { terminal, paint } = openCanvas()
  paint(...five)
  expect(await seen(terminal)).toEqual([...five, ''])
  const bytes = paint('one', 'two', '3', 'four', 'five')
  expect(bytes).toContain('3')
  expect(bytes).not.toMatch(/two|four/)
  expect(paint('one', 'two', '3', 'four', 'five')).toBe('')
  expect(await seen(terminal)).toEqual(['one', 'two', '3', 'four', 'five', ''])
})

test('a line that the terminal takes for wider than we do moves no other', async () => {
  const { terminal, paint } = openCanvas()
  paint(...five)
  paint('one', 'w'.repeat(25), 'three', 'four', '5')
  expect(await seen(terminal)).toEqual(['one', 'w'.repeat(20), 'three', 'four', '5', ''])
})

test('what others have written stays until somebody presses a key or asks for it, and no longer', async () => {
  const { terminal, canvas, paint, wait } = openCanvas()
  paint(...five)
  // As `wall` does: the screen scrolls, and every row stands one higher.
  terminal.scribble('Broadcast message\r\n\r\n')
  paint('one', 'two', 'three', 'four', '5')
  expect(await seen(terminal)).not.toEqual(['one', 'two', 'three', 'four', '5', ''])
  canvas.touch()
  expect(paint('one', 'two', 'three', 'four', '6')).not.toContain('two')
  wait(10_000)
  // A clock that nobody looks at costs no whole frame.
  expect(paint('one', 'two', 'three', 'four', '7')).not.toContain('two')
  canvas.touch()
  paint('one', 'two', 'three', 'four', '8')
  expect(await seen(terminal)).toEqual(['one', 'two', 'three', 'four', '8', ''])
  terminal.scribble('Broadcast message\r\n\r\n')
  canvas.forget()
  paint('one', 'two', 'three', 'four', '8')
  expect(await seen(terminal)).toEqual(['one', 'two', 'three', 'four', '8', ''])
})

test('fewer lines leave nothing of those before, and of too many the last are seen', async () => {
  const { terminal, paint } = openCanvas()
  paint(...five)
  paint('one')
  expect(await seen(terminal)).toEqual(['one', '', '', '', '', ''])
  paint('zero', ...five, 'six')
  expect(await seen(terminal)).toEqual([...five, 'six'])
})

/** As Ink writes a frame whose last one had as many lines. */
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

test('of the frames that a terminal has not read only the last one comes, and what is no frame comes all', async () => {
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

test('a size that is at once what it was before has cut off lines, and they come back', async () => {
  const { terminal, tap, show } = openTap()
  show(...five)
  expect(await seen(terminal)).toEqual([...five, ''])
  // tmux and its like cut off the upper lines where the cursor stands at the bottom; Node finds the size that it knows.
  terminal.scribble('\u001b[6;1H\n\n\n')
  process.emit('SIGWINCH', 'SIGWINCH')
  await expect.poll(() => seen(terminal)).toEqual([...five, ''])
  tap.end()
})

test('nothing is drawn over the screen of the shell', async () => {
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
