import { it, type TestContext } from 'vitest'
import { generous, openShop } from './pty.ts'

it.concurrent('without a terminal the console refuses with one sentence that says what to do instead', generous, async (test) => {
  const shop = openShop(test)
  const { code, out, err } = await shop.run('tui')
  test.expect(code).toBe(1)
  test.expect(out).toBe('')
  test.expect(err.trimEnd().split('\n')).toHaveLength(1)
  test.expect(err).toContain('status --watch')
  test.expect(err).toMatch(/\brun\b/)
})

/** Sets the clipboard and the title, clears screen and scrollback, leaves the alternate screen, moves the cursor, resets, reverses the text, hides it. */
const hostile = '\u001b]52;c;aGk=\u0007\u001b]0;owned\u001b\\\u001b[2J\u001b[3J\u001b[?1049l\u001b[1;1H\u001bc\u009b2J\u202Eevil\u202C\u200B\u0007'

/** What Ink writes by itself: colours, cursor movements, erasing to the end of lines, cursor visibility, synchronised output. */
// eslint-disable-next-line no-control-regex -- escape sequences are what this is about
const ours = /\u001b\[[0-9;]*[mABCDEFGKH]|\u001b\[\?(?:25|2026)[hl]|[\r\n]/g

/** The last piece may end in the middle of a sequence. */
// eslint-disable-next-line no-control-regex -- escape sequences are what this is about
const unfinished = /\u001b(?:\[[?0-9;]*)?$/

// eslint-disable-next-line no-control-regex -- control characters are what this is about
const control = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/

/** What is left without Ink's own sequences is text; where it is not, the words around it tell where it came from. */
const harmless = (test: TestContext, written: string): void => {
  test.expect(written).toContain('evil')
  test.expect(written).not.toContain('\u001b]52')
  test.expect(written).not.toContain('\u001b[2J')
  const text = written.replace(unfinished, '').replace(ours, '')
  const at = text.search(control)
  test.expect(at < 0 ? '' : JSON.stringify(text.slice(Math.max(0, at - 60), at + 60))).toBe('')
}

it.concurrent('what an agent writes into titles, notes and output never reaches the terminal as more than text', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console({ columns: 200 })
  const begun = screen.written().length
  const printed = `node -e 'console.log(JSON.parse(process.argv[1]) + "after the storm")' '${JSON.stringify(hostile)}'`
  await shop.add(`Title ${hostile} end`, printed, '--description', `Description ${hostile} end`, '--criterion', `Criterion ${hostile} end`)
  await screen.until(/▸ +1 .*✓ done .*Title/)
  await screen.until('after the storm')
  await shop.add('Broken', `${printed} >&2; exit 1`)
  await screen.until(/ 2 .*◔ retry in .*Broken/)
  screen.press('j')
  await screen.until(/▸⚑? +2/)
  await screen.until('after the storm')
  screen.press('\r')
  await screen.until('[Task 2]')
  screen.press('k')
  screen.press('\u001b')
  await screen.until('[1 Board]')
  screen.press('k\r')
  await screen.until('[Task 1]')
  await screen.until('Description')

  harmless(test, screen.written().slice(begun))
  screen.press('q')
  test.expect(await screen.ended()).toBe(0)
})

it.concurrent('neither do the commits, file names and diffs that a person reads before a merge', generous, async (test) => {
  const shop = openShop(test)
  await shop.worktree('greet')
  const screen = await shop.console()
  const begun = screen.written().length
  const script = 'const [text] = process.argv.slice(1).map(JSON.parse); fs.writeFileSync("greeting " + text.replaceAll("/", ""), text + "in the diff")'
  await shop.add(`Greet ${hostile}`, `node -e '${script}' '${JSON.stringify(hostile)}'`, '--worktree', 'greet')
  await screen.until(/▸ +1 .*✓ done .*Greet/)
  screen.press('i')
  await screen.until('y approves exactly these commits')
  await screen.until(/Files \(1\)[^]*evil[^]*Commits \(1\)[^]*evil[^]*in the diff/)
  harmless(test, screen.written().slice(begun))
  screen.press('y')
  await screen.until(/greet .*✓ integrated/)
  harmless(test, screen.written().slice(begun))
})
