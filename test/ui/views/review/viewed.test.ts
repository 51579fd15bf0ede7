import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ReviewFile } from '../../../../src/contracts/review.ts'
import { keptOf } from '../../../../src/ui/core/console-memory.ts'
import { resized } from '../../../../src/ui/panes/movement.ts'
import { firstError, outputSheet } from '../../../../src/ui/views/review/output.ts'
import { reviewArrived } from '../../../../src/ui/views/review/feed.ts'
import { approvalIn, reviewDocument } from '../../../../src/ui/views/review/review.ts'
import { fileOf, reviewOfFiles } from '../../../support/review.ts'
import { eventually } from '../../../support/eventually.ts'
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

const hunk = '@@ -1,2 +1,2 @@\n-a\n+b\n c\n@@ -9 +9 @@\n-x\n+y\n'
const file = (path: string, newOid = 'e'.repeat(40), more: Partial<ReviewFile> = {}): ReviewFile =>
  fileOf(path, hunk, { newOid, ...more })
const read = (...files: readonly ReviewFile[]): void => {
  controller.change(resized(100, 50))
  controller.press('4', 'i')
  controller.change(reviewArrived(reviewOfFiles(files)))
}
const overlay = () => approvalIn(controller.state().view.overlay)!
const document = () => reviewDocument(controller.state(), overlay())!
const shown = (): string[] =>
  Array.from({ length: document().total }, (_, row) => document().line(row)).map(({ lead = '', text }) =>
    `${lead}${text}`.trimEnd(),
  )
/** A line of the open output of a verification, so many below its first visible one. */
const outputAt = (below: number): string | undefined => {
  const { overlay: front } = controller.state().view
  if (front?.kind !== 'verification') throw new Error('no output is open')
  const { total, line } = outputSheet(controller.state(), front.worktree)
  return front.top + below < total ? line(front.top + below).text.trimEnd() : undefined
}
const here = (): string => {
  const { lead = '', text } = document().line(document().rowOf(overlay().at))
  return `${lead}${text}`.trim()
}

describe('a viewed file', () => {
  it('is marked and folded, and the cursor moves to the next one', () => {
    read(file('a.ts'), file('b.ts'), file('c.ts'))
    controller.press(']', 'v')
    expect(here()).toMatch(/^▾ b\.ts/)
    expect(shown()).toContain('1 of 3 files viewed')
    expect(shown()).toContain('▸ a.ts   +2 −2   ✓ viewed   folded')
    expect(shown()).toContain('✓       +2 −2     a.ts')
  })

  it('is not viewed any more when its content is another one, and the others stay viewed', () => {
    read(file('a.ts'), file('b.ts'), file('c.ts'))
    controller.press(']', 'v', 'v')
    controller.change(
      reviewArrived(reviewOfFiles([file('a.ts'), file('b.ts', 'f'.repeat(40)), file('c.ts')], { to: '2' })),
    )
    expect(shown()).toContain('1 of 3 files viewed; 1 of 3 changed since you viewed it')
    expect(shown()).toContain('▾ b.ts   +2 −2   ↻ changed since you viewed it')
    expect(shown()).toContain('↻       +2 −2     b.ts')
  })

  it('is not viewed any more when only its mode or its old version is another one', () => {
    read(file('a.ts'), file('b.ts'))
    controller.press(']', 'v', 'v')
    const files = [file('a.ts', undefined, { newMode: '100755' }), file('b.ts', undefined, { oldOid: '1'.repeat(40) })]
    controller.change(reviewArrived(reviewOfFiles(files, { to: '2' })))
    expect(shown()).toContain('0 of 2 files viewed; 2 of 2 changed since you viewed them')
  })

  it('is unread after the key is pressed again', () => {
    read(file('a.ts'), file('b.ts'))
    controller.press(']', 'v', '[', 'v')
    expect(shown().join('\n')).not.toContain('viewed')
    expect(here()).toMatch(/^▾ a\.ts/)
  })

  it('is kept for the next console, whatever else the file of the console holds', () => {
    const viewed = { 'user-auth': { 'a.ts': '1 2 100644' } }
    expect(keptOf({ viewed }).viewed).toEqual(viewed)
    expect(keptOf({ viewed: { 'user-auth': { 'a.ts': 3, 'b.ts': 'x' }, other: 7 } }).viewed).toEqual({
      'user-auth': { 'b.ts': 'x' },
      other: {},
    })
    expect(keptOf({ viewed: [] }).viewed).toEqual({})
  })

  it('may have any name', () => {
    read(file('__proto__'), file('constructor'), file('toString'))
    expect(shown().join('\n')).not.toContain('viewed')
    controller.press(']', 'v', 'v')
    expect(shown()).toContain('2 of 3 files viewed')
  })
})

describe('the tree of files', () => {
  it('has folders, their files by name, and a path in one line where there is nothing else', () => {
    read(
      file('src/b.ts'),
      file('src/a.ts'),
      file('src/deep/er/c.ts'),
      file('README.md'),
      file('lib/x/one.ts'),
      file('lib/x/two.ts'),
    )
    const lines = shown()
    const first = lines.indexOf('Files (6)') + 1
    expect(lines.slice(first, first + 8).map((line) => line.slice(18))).toEqual([
      'lib/x/',
      '  one.ts',
      '  two.ts',
      'src/',
      '  deep/er/c.ts',
      '  a.ts',
      '  b.ts',
      'README.md',
    ])
  })

  it('is reached from a diff by a key, at the same file, and left by it', () => {
    read(file('a.ts'), file('b.ts'), file('c.ts'))
    controller.press(']', ']', 'f')
    expect(here()).toMatch(/\+2 −2 {5}b\.ts$/)
    controller.press('j', 'f')
    expect(here()).toMatch(/^▾ c\.ts/)
  })
})

describe('a comment', () => {
  it('leads to its line, and the line leads back to it', () => {
    read(file('a.ts'), file('b.ts'))
    controller.press(']', ']', '}', 'j', 'j', 'c', ...'why', 'enter')
    controller.press('g', 'm')
    expect(here()).toBe('1 +b')
    controller.press('m')
    expect(here()).toBe('✎ b.ts:1  why')
    controller.press('m')
    expect(here()).toBe('1 +b')
  })

  it('is missing where the key says so', () => {
    read(file('a.ts'))
    controller.press('m')
    expect(controller.state().view.notice.text).toBe('No comments yet. c adds one.')
  })
})

describe('the hunk under the cursor', () => {
  it('is copied as a part of a diff', () => {
    read(file('a.ts'))
    controller.press(']', '}', 'j', 'C')
    expect(controller.copied).toEqual(['@@ -1,2 +1,2 @@\n-a\n+b\n c\n'])
    controller.press('}', 'C')
    expect(controller.copied.at(-1)).toBe('@@ -9 +9 @@\n-x\n+y\n')
  })
})

describe('the first error of an output', () => {
  it.each([
    [['> test', 'ok 1', 'src/a.ts(3,1): error TS2304: Cannot find name', 'done'], 2],
    [['0 errors', '12 passed, 0 failed', 'AssertionError: expected 1'], 2],
    [['running', 'not ok 3 - adds'], 1],
    [['Traceback (most recent call last):', '  File "x"'], 0],
    [['test a ... ok', "thread 'main' panicked at src/main.rs"], 1],
    [[' ✓ a', ' ✗ b'], 1],
    [['FAIL  test/a.test.ts'], 0],
    [['all is well', 'errors: 0'], -1],
    [[], -1],
  ] as const)('in %j is line %i', (lines, at) => {
    expect(firstError(lines)).toBe(at)
  })

  it('comes before everything else in the review, is the brightest, and the whole output opens there', async () => {
    const noise = Array.from({ length: 40 }, (_, n) => `step ${n}`)
    const tail = [...noise, 'src/a.ts:3 error: no such name', 'hint', ...noise.slice(0, 30)].join('\n')
    const state = controller.state()
    const [worktree] = state.board.worktrees
    const verification = { ...worktree!.integration!.verification!, exitCode: 1, tail }
    controller.change((now) => ({
      ...now,
      board: {
        ...now.board,
        worktrees: [{ ...worktree!, integration: { ...worktree!.integration!, status: 'unverified', verification } }],
      },
    }))
    read(file('a.ts'))
    const lines = shown()
    const at = lines.indexOf('src/a.ts:3 error: no such name')
    expect(at).toBeGreaterThan(0)
    expect(lines[at - 2]).toBe('step 38')
    expect(at).toBeLessThan(lines.findIndex((line) => line.startsWith('1 file ')))
    const rows = Array.from({ length: document().total }, (_, row) => document().line(row))
    expect(rows.filter(({ inverse }) => inverse)).toEqual([rows[at]])

    fixture.world.verification = `${tail}\n`
    controller.press('L')
    await eventually(() => expect(outputAt(0)).toBe('step 38'))
    expect(outputAt(2)).toBe('src/a.ts:3 error: no such name')
    expect(outputAt(72)).toBeUndefined()
  })
})
