import { it, type TestContext } from 'vitest'
import { foreignIn, hostile, shortHostile } from '../ui/safety/families.ts'
import { generous, openShop } from './pty.ts'

it.concurrent('the console without a terminal refuses with one sentence of advice', generous, async (test) => {
  const shop = openShop(test)
  const { code, out, err } = await shop.run('tui')
  test.expect(code).toBe(1)
  test.expect(out).toBe('')
  test.expect(err.trimEnd().split('\n')).toHaveLength(1)
  test.expect(err).toContain('status --watch')
  test.expect(err).toMatch(/\brun\b/)
})

/** Text for places that are not an argument list: no argument can contain a NUL or half a character. */
const asArgument = (text: string): string => text.replaceAll('\u0000', '').toWellFormed()

/** Every family of sequences; in a title as many as fit. */
const text = asArgument(hostile('text'))
const title = asArgument(shortHostile('title', 480))

/** Prints it, and bytes that are not text, and a line as long as a file. */
const prints = (what: string): string =>
  `node -e 'const [text] = process.argv.slice(1).map(JSON.parse); const out = (it) => process.stdout.write(it); out(text + "\\n"); out(Buffer.from([255, 254, 195, 40, 240, 40, 140, 40, 237, 160, 128, 10])); out("x".repeat(1e7)); out("e" + "\\u0301".repeat(1e6) + "\\n"); out(text + "\\n"); out("after the storm\\n")' '${JSON.stringify(what)}'`

const harmless = (test: TestContext, written: string): void => {
  test.expect(written).toContain('evil')
  test.expect(foreignIn(written)).toBe('')
}

it.concurrent(
  'text that an agent writes into titles, notes and output reaches the terminal only as text',
  generous,
  async (test) => {
    const shop = openShop(test)
    const screen = await shop.console({ columns: 200 })
    const begun = screen.written().length
    const printed = prints(hostile('output'))
    await shop.add(
      `Title ${title} end`,
      printed,
      '--description',
      `Description ${text} end`,
      '--criterion',
      `Criterion ${text} end`,
    )
    await screen.until(/▸ +1 .*✓ done .*Title/)
    await screen.until('after the storm')
    await shop.add('Broken', `(${printed}) >&2; exit 1`)
    await screen.until(/ 2 .*◔ retries in .*Broken/)
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
  },
)

it.concurrent(
  'commits, file names and diffs that a person reads before a merge reach the terminal only as text',
  generous,
  async (test) => {
    const shop = openShop(test)
    await shop.worktree('greet')
    const screen = await shop.console()
    const begun = screen.written().length
    // A name of bytes that are not text, a diff with a line of 10 MB, and a message with every family.
    const script = [
      'const { execFileSync } = require("node:child_process"); const [text] = process.argv.slice(1).map(JSON.parse)',
      'fs.writeFileSync("greeting " + text.replaceAll("/", "").replaceAll("\\u0000", "").slice(0, 90), text + "in the diff")',
      'fs.writeFileSync(Buffer.concat([Buffer.from("evil-bytes "), Buffer.from([255, 27, 155, 50, 74])]), Buffer.from([255, 254, 10]))',
      'fs.writeFileSync("long", "evil" + "x".repeat(1e7) + text)',
      'execFileSync("git", ["add", "-A"]); execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=a@example.com", "commit", "-q", "-F", "-"], { input: text.replaceAll("\\u0000", "") })',
    ].join('; ')
    await shop.add(`Greet ${title}`, `node -e '${script}' '${JSON.stringify(hostile('diff'))}'`, '--worktree', 'greet')
    await screen.until(/▸ +1 .*✓ done .*Greet/)
    screen.press('i')
    await screen.until('y approve exactly these commits')
    await screen.until(/Files \(3\)[^]*evil[^]*Commits \(\d\)[^]*evil/)
    // Through all files, to the end of the line of 10 MB.
    for (const _ of [1, 2, 3]) {
      screen.press(']')
      await screen.until(/evil/)
    }
    screen.press('G')
    await screen.until(/evil[^]*y approve exactly these commits/)
    harmless(test, screen.written().slice(begun))
    screen.press('y')
    await screen.until(/greet .*✓ integrated/)
    harmless(test, screen.written().slice(begun))
  },
)
