import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { spelledOut } from '../../../../src/domain/words/safe-text.ts'
import { contentOf, indexDiff, kindOf } from '../../../../src/domain/words/unified-diff.ts'
import type { ReviewFile } from '../../../../src/contracts/review.ts'
import { rowsOf } from '../../../../src/ui/views/review/diff-layout.ts'
import { roomFor, textLine } from '../../../../src/ui/views/review/diff-lines.ts'
import { resized } from '../../../../src/ui/panes/movement.ts'
import { reviewArrived } from '../../../../src/ui/views/review/feed.ts'
import { approvalIn, reviewDocument } from '../../../../src/ui/views/review/review.ts'
import { widthOf } from '../../../../components/base/fit.ts'
import { fileOf, reviewOfFiles } from '../../../support/review.ts'
import { openController, type TestController } from '../../controller.ts'
import { type Fixture, openFixture } from '../../fixture.ts'

let fixture: Fixture
let controller: TestController
beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  await fixture.makeReady('user-auth')
  controller = await openController(fixture)
})
afterEach(() => fixture.close())

const read = (files: readonly ReviewFile[], columns: number): void => {
  controller.change(resized(columns, 50))
  controller.press('4', 'i')
  controller.change(reviewArrived(reviewOfFiles(files)))
}
const overlay = () => approvalIn(controller.state().view.overlay)!
/** The rows of the diff, below its heading. */
const shown = (): string[] => {
  const document = reviewDocument(controller.state(), overlay())!
  const rows = Array.from({ length: document.total }, (_, row) => document.line(row))
  const lines = rows.map(({ lead = '', text }) => `${lead}${text}`.trimEnd())
  return lines.slice(lines.findLastIndex((line) => line.startsWith('▾')) + 1)
}
const beside = (line: string): string => line.replace(/ *│ */, ' │ ').trim()

const change = '@@ -5,4 +7,4 @@\n same\n-old one\n-old two\n+new one\n after\n'

describe('a diff beside its other version', () => {
  it('has old numbers at the left and new ones at the right, from 160 columns on', () => {
    read([fileOf('a.ts', change)], 160)
    expect(shown().slice(1).map(beside)).toEqual([
      '5  same │ 7  same',
      '6 -old one │ 8 +new one',
      '7 -old two │',
      '8  after │ 9  after',
    ])
    expect(shown()[1]!.indexOf('│')).toBe(77)
  })

  it('is one below the other on a narrower screen, and after the key', () => {
    read([fileOf('a.ts', change)], 159)
    expect(shown()).toContain('  6 -old one')
    controller.press('s')
    expect(controller.state().view.notice.text).toContain('from 160 columns on')
    controller.change(resized(160, 50))
    expect(shown()).not.toContain('  6 -old one')
    controller.press('s')
    expect(shown()).toContain('  6 -old one')
    controller.press('s')
    expect(shown()).not.toContain('  6 -old one')
  })

  it('is a single one if the file is new or deleted', () => {
    read([fileOf('a.ts', '@@ -0,0 +1 @@\n+only\n', { change: 'added' })], 200)
    expect(shown().slice(1)).toEqual(['  1 +only'])
  })

  it('gives a comment to the new line, and shows it below both', () => {
    read([fileOf('a.ts', change)], 160)
    controller.press(']', 'j', 'j', 'j', 'c', ...'why', 'enter')
    expect(controller.state().comments['user-auth']).toMatchObject([{ line: 8, side: 'new', text: 'why' }])
    expect(shown().map(beside)).toContain('✎ why')
  })
})

describe('white space', () => {
  const moved = '@@ -1,3 +1,4 @@\n-if (a) {\n-b()\n-gone\n+if  (a) {\n+\tb()\n+\tc()\n end\n'

  it('is ignored after the key: lines that differ in it only are unchanged', () => {
    read([fileOf('a.ts', moved)], 100)
    expect(shown()).toHaveLength(8)
    controller.press('b')
    expect(shown().slice(1)).toEqual(['  3 -gone', '  1  if  (a) {', '  2      b()', '  3 +    c()', '  4  end'])
    controller.press('b')
    expect(shown()).toHaveLength(8)
  })

  it('is ignored in both versions beside each other', () => {
    read([fileOf('a.ts', moved)], 160)
    controller.press('b')
    expect(shown().slice(1).map(beside)).toEqual([
      '1  if (a) { │ 1  if  (a) {',
      '2  b() │ 2      b()',
      '3 -gone │ 3 +    c()',
      '4  end │ 4  end',
    ])
  })
})

describe('a long line', () => {
  const words = Array.from({ length: 30 }, (_, n) => `word${n}`).join(' ')

  it('is wrapped at words, and cut off after the key', () => {
    read([fileOf('a.md', `@@ -0,0 +1 @@\n+${words}\n`)], 100)
    const rows = shown().slice(1)
    expect(rows.length).toBeGreaterThan(1)
    for (const row of rows) expect(row).toMatch(/word\d+$/)
    controller.press('w')
    expect(shown().slice(1)).toEqual([expect.stringMatching(/^ {2}1 \+word0 .*…$/)])
  })
})

/** Lines that a diff may have: blanks, tabs, carriage returns, control and wide characters, long ones. */
const hostile = fc.oneof(
  fc.string({
    maxLength: 40,
    unit: fc.constantFrom('a', ' ', '\t', '\r', '\u0007', '\u001b', '\u202e', '世', '👩‍👩‍👧', '\u0301', '.'),
  }),
  fc.integer({ min: 1, max: 4000 }).map((n) => 'word '.repeat(n / 5) + 'x'.repeat(n)),
)
const sign = fc.constantFrom(' ', '+', '-')

describe('a diff, however it is read,', () => {
  it('has every line in order on its side, in rows that fit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(sign, hostile), { maxLength: 12 }),
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 40, max: 120 }),
        (lines, isSplit, ignoresBlanks, width) => {
          const index = indexDiff(
            `@@ -1 +1 @@\n${lines.map(([kind, text]) => `${kind}${text}\n`).join('')}\\ No newline at end of file\n`,
          )
          const room = roomFor(5, width, isSplit)
          const rows = rowsOf(index, room, { isSplit, wraps: true, ignoresBlanks })
          const [old, next] = ['', '']
          const sides: [string, string] = [old, next]
          for (let row = 0; row < rows.total; row++) {
            const { line, piece } = rows.placeOf(row)
            expect(rows.rowOf(line, piece)).toBe(row)
            const { code = [], text, lead = '' } = textLine({ index, rows, lead: 5, room, wraps: true }, line, piece)
            expect(widthOf(`${lead}${text}`)).toBeLessThanOrEqual(width)
            if (code.length === 2) for (const [n, one] of code.entries()) sides[n] += one.text
            else if (code.length === 1) sides[kindOf(index, line) === 'removed' ? 0 : 1] += text
          }
          const side = (...kinds: string[]): string =>
            Array.from({ length: index.count }, (_, line) => line)
              .filter((line) => kinds.includes(kindOf(index, line)))
              .map((line) => spelledOut(contentOf(index, line))[0]!)
              .join('')
          if (isSplit) expect(sides).toEqual([side('removed', 'context'), side('added', 'context')])
          else if (!ignoresBlanks) expect(sides).toEqual([side('removed'), side('added', 'context')])
          else expect(sides[1]).toBe(side('added', 'context'))
        },
      ),
    )
  })
})
