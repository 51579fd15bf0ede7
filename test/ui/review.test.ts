import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { person } from '../../src/domain/actor.ts'
import { spelledOut } from '../../src/domain/safe-text.ts'
import { indexDiff } from '../../src/domain/unified-diff.ts'
import { listTasks } from '../../src/operations/list-tasks.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import type { ReviewFile } from '../../src/operations/kernel/review.ts'
import { resized, sheetHeight } from '../../src/ui/movement.ts'
import { reviewArrived } from '../../src/ui/review/arrivals.ts'
import { approvalIn, reviewDocument, windowOf } from '../../src/ui/review/window.ts'
import type { Line } from '../../components/Lines.tsx'
import { widthOf } from '../../components/fit.ts'
import { eventually } from '../support/eventually.ts'
import { processorTime } from '../support/processor-time.ts'
import { fileOf, reviewOfFiles } from '../support/review.ts'
import { openDesk, type TestDesk } from './desk.ts'
import { type Fixture, openFixture } from './fixture.ts'

const login = '@@ -1,3 +1,4 @@\n import x\n-return false\n+return user === undefined\n+// why\n done\n@@ -20,2 +21,2 @@\n same\n-old name\n+new name\n'

let fixture: Fixture
let desk: TestDesk
beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  await fixture.makeReady('user-auth')
  desk = await openDesk(fixture)
})
afterEach(() => fixture.close())

/** Opens the approval of a review of these files. */
const read = (files: readonly ReviewFile[], columns = 100, rows = 40): void => {
  desk.change(resized(columns, rows))
  desk.press('4', 'i')
  desk.change(reviewArrived(reviewOfFiles(files)))
}

const overlay = () => approvalIn(desk.state().view.overlay)!
const rowsOf = (): Line[] => {
  const document = reviewDocument(desk.state(), overlay())!
  return Array.from({ length: document.total }, (_, row) => document.line(row))
}
const shown = (lines = rowsOf()): string[] => lines.map(({ lead = '', text }) => `${lead}${text}`.trimEnd())
/** The row under the cursor. */
const here = (): string => {
  const document = reviewDocument(desk.state(), overlay())!
  const { lead = '', text } = document.line(document.rowOf(overlay().at))
  return `${lead}${text}`.trim()
}

describe('a review', () => {
  it('shows the totals first, then the files by what is risky about them, then their lines', () => {
    read([fileOf('src/login.ts', login), fileOf('.github/workflows/ci.yml', '@@ -1 +1 @@\n-a\n+b\n', { elsewhere: ['cart'] })])
    const text = shown().join('\n')
    const order = [
      '⚑ approve?',
      '2 files  +4 −3  1 commit',
      '1 file worth a look: 1 build server, 1 worked on elsewhere',
      'aaaaaaaa (target) + bbbbbbbb (branch) → cccccccc',
      'Files (2)',
      '.github/workflows/ci.yml',
      '! build server: it runs on the build servers',
      '⚠ worked on elsewhere: cart touches it too',
      'src/login.ts',
      'Verified ✓',
      'Commits (1)',
      'Uncommitted in the worktree: would not go in (1)',
      '\nDiff',
      '▾ .github/workflows/ci.yml   +1 −1',
      '▾ src/login.ts   +3 −2',
      '  2 -return false',
      '  2 +return user === undefined',
    ]
    let at = -1
    for (const words of order) {
      const next = text.indexOf(words, at + 1)
      expect([words, next > at]).toEqual([words, true])
      at = next
    }
  })

  it('marks the words that changed, and only in lines that have a counterpart', () => {
    read([fileOf('a.ts', '@@ -1,3 +1,4 @@\n-const value = one\n+const value = two\n c\n-gone for good\n c\n+come with a space \n')])
    const marked = rowsOf().flatMap(({ text, marks = [] }) => marks.map(([from, to]) => text.slice(from, to)))
    expect(marked).toEqual(['one', 'two', ' '])
  })

  it('says what of its words the facts contradict', () => {
    desk.change(resized(100, 40))
    desk.press('4', 'i')
    const task = {
      id: 3,
      title: 'x',
      status: 'completed',
      said: [{ where: 'the result of task 3', text: 'Added docs/x.md.' }],
      criteria: [],
      artifacts: [],
      missing: [],
      lastExit: null,
    }
    desk.change(reviewArrived(reviewOfFiles([fileOf('src/login.ts', login)], { tasks: [task] })))
    expect(shown()).toEqual(expect.arrayContaining(['Said, and found', '✗ task 3: the result of task 3 says “Added docs/x.md.”', '    docs/x.md is not changed']))
  })

  it('tells what cannot be shown, and why', () => {
    read([
      fileOf('logo.png', 'Binary files differ\n', { content: 'binary', added: null, removed: null, size: 70_000 }),
      fileOf('run.sh', '', { newMode: '100755' }),
      fileOf('huge.txt', '', { content: 'unread', diff: null, added: null, removed: null, size: 90_000_000 }),
    ])
    const text = shown().join('\n')
    for (const words of [
      '3 files  +0 −0  1 commit  2 without lines',
      'Binary: dddddddddddd → eeeeeeeeeeee, 68K.',
      'mode 100644 → 100755',
      'None of its lines changes.',
      'It is large, so it was not read yet; enter reads it.',
    ])
      expect(text).toContain(words)
  })
})

describe('the keys of a review', () => {
  beforeEach(() => read([fileOf('src/login.ts', login), fileOf('src/other.ts', '@@ -5 +5 @@\n-five\n+5\n')]))

  it('go from file to file and from place to place', () => {
    const seen = ['g', ']', '}', '}', '}', ']', '[', '[', '{', ']', '{', 'G'].map((key) => {
      desk.press(key)
      return here()
    })
    expect(seen).toEqual([
      '⚑ approve?',
      '▾ src/login.ts   +3 −2',
      '@@ -1,3 +1,4 @@',
      '@@ -20,2 +21,2 @@',
      '@@ -5 +5 @@',
      '@@ -5 +5 @@',
      '▾ src/other.ts   +1 −1',
      '▾ src/login.ts   +3 −2',
      '▾ src/login.ts   +3 −2',
      '▾ src/other.ts   +1 −1',
      '@@ -20,2 +21,2 @@',
      '5 +5',
    ])
  })

  it('keep the cursor in sight, whatever is pressed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('j', 'k', 'g', 'G', 'page-down', 'page-up', ']', '[', '}', '{', 'enter', '>', '<'), { maxLength: 40 }),
        fc.integer({ min: 1, max: 40 }),
        (keys, height) => {
          desk.press(...keys)
          const window = windowOf(desk.state(), overlay(), height)!
          expect(window.lines.filter(({ cursor }) => cursor)).toHaveLength(1)
          expect(window.lines.length).toBe(Math.min(height, window.total))
        },
      ),
    )
  })

  it('fold a file and open it again, also from the list of files', () => {
    desk.press(']', 'j', 'j', 'enter')
    expect(shown().filter((line) => line.startsWith('▸'))).toEqual(['▸ src/login.ts   +3 −2   folded'])
    expect(shown().join('\n')).not.toContain('return false')
    expect(here()).toBe('▸ src/login.ts   +3 −2   folded')
    desk.press(' ')
    expect(shown().join('\n')).toContain('return false')
    desk.press('g')
    while (!here().includes('src/other.ts')) desk.press('j')
    desk.press('enter')
    expect(here()).toBe('▾ src/other.ts   +1 −1')
  })

  it('look for words, in lines and names, forwards and back', () => {
    const find = (...keys: string[]): string => {
      desk.press(...keys)
      return here()
    }
    desk.press('g')
    expect(find('/', ...'NAME', 'enter')).toBe('21 -old name')
    expect(find('>')).toBe('22 +new name')
    expect(find('<')).toBe('21 -old name')
    expect(find('g', '/', ...'other', 'enter')).toBe('▾ src/other.ts   +1 −1')
    desk.press('/', ...'nowhere', 'enter')
    expect(desk.notice()).toBe('“nowhere” is not found from here on.')
    desk.press('/', 'x', 'escape')
    expect(desk.mode()).toBe('approval')
  })

  it('read a large file when it is asked for, and say what failed', async () => {
    read([fileOf('huge.txt', '', { content: 'unread', diff: null, added: null, removed: null })])
    fixture.world.readReviewFile = async () => indexDiff('@@ -0,0 +1 @@\n+enormous\n')
    desk.press(']', 'enter')
    expect(shown()).toContain('  It is being read…')
    await eventually(() => expect(shown()).toContain('  1 +enormous'))
  })
})

describe('comments', () => {
  beforeEach(() => read([fileOf('src/login.ts', login)]))
  const say = (text: string): void => desk.press('c', ...text, 'enter')

  it('hang on the line under the cursor, are listed, and can be taken back', () => {
    desk.press(']', '}', 'j', 'j')
    expect(here()).toBe('2 -return false')
    say('Keep this')
    desk.press('j')
    expect(here()).toBe('✎ Keep this')
    desk.press('j')
    say('Say why')
    desk.press('[')
    say('Split it')
    const text = shown()
    expect(text).toEqual(
      expect.arrayContaining(['Your comments (3): S sends them, x takes one back', '✎ src/login.ts:2  Keep this', '✎ src/login.ts:2  Say why', '✎ src/login.ts  Split it']),
    )
    expect(text.slice(text.indexOf('  2 -return false'), text.indexOf('  3 +// why'))).toEqual([
      '  2 -return false',
      '     ✎ Keep this',
      '  2 +return user === undefined',
      '     ✎ Say why',
    ])
    desk.press('g')
    while (here() !== '✎ src/login.ts:2  Say why') desk.press('j')
    desk.press('x')
    expect(desk.notice()).toBe('The comment is taken back.')
    expect(shown().filter((line) => line.includes('Say why'))).toEqual([])
  })

  it('are seen once they are noted, also below the last line of the screen', () => {
    read([fileOf('src/login.ts', login)], 60, 20)
    const height = sheetHeight(desk.state())
    const seen = () => shown([...windowOf(desk.state(), overlay(), height)!.lines])
    desk.press(']', '}')
    while (!seen().at(-1)!.includes(here())) desk.press('j')
    const before = here()
    expect(seen().at(-1)).toContain(before)
    say(`Say ${'why '.repeat(20)}it does`)
    expect(seen().at(-1)).toContain('it does')
    expect([here(), seen().some((line) => line.includes(before))]).toEqual([before, true])
    // One that is seen anyway moves nothing.
    const { top } = windowOf(desk.state(), overlay(), height)!
    desk.press('k')
    say('No')
    expect([windowOf(desk.state(), overlay(), height)!.top, seen().join()]).toEqual([top + 1, expect.stringContaining('No')])
  })

  it('need a place and words', () => {
    desk.press('g', 'c')
    expect(desk.notice()).toContain('Go to a line of the diff')
    desk.press(']', 'c', 'enter')
    expect(desk.notice()).toBe('A comment needs words.')
    desk.press('escape')
    desk.press('S')
    expect(desk.notice()).toBe('There is no comment to send; c writes one.')
    desk.press('x')
    expect(desk.notice()).toContain('Go to one of your comments')
  })

  it('outlast the closing of the view', () => {
    desk.press(']')
    say('Later')
    desk.press('escape', 'i')
    expect(shown().join('\n')).toContain('✎ src/login.ts  Later')
  })

  it('are sent back as one task after a question, and gone when they are sent', async () => {
    desk.press(']', '}', 'j', 'j')
    say('Keep this')
    desk.press('j', 'j')
    say('Say why')
    desk.press('S')
    expect(desk.mode()).toBe('confirm')
    const { overlay: asked } = desk.state().view
    expect(asked?.kind === 'confirm' && asked.lines).toEqual([
      'Puts one task with your 2 comments on the board for worktree user-auth and rejects its integration into main:',
      'src/login.ts:2 (removed) Keep this',
      'src/login.ts:2 Say why',
    ])
    desk.press('y')
    await eventually(() => expect(desk.notice()).toBe('Task 1 asks implementer for the changes in user-auth.'))
    const [task] = await perform(fixture.core, listTasks, {}, person)
    expect(task).toMatchObject({ title: 'Review of user-auth: 2 comments', targetWorktree: 'user-auth' })
    expect(task!.description).toContain('1. src/login.ts:2 (a line that the branch removes)\n\n```diff\n@@ -1,3 +1,4 @@\n import x\n-return false\n+return user === undefined')
    expect(desk.state().comments['user-auth']).toEqual([])
  })
})

describe('nothing is hidden', () => {
  it('every character of an added line stands in the rows, in its order, at any width', () => {
    const line = fc
      .string({
        unit: fc.oneof(
          fc.constantFrom('\u001b[31m', '\u202e', '\u200b', '\u0007', '\r', '\t', ' ', '日', 'é', '👩‍💻', '\u0000', '⟨001B⟩', 'Binary files a and b differ', '@@'),
          fc.string({ minLength: 1, maxLength: 3, unit: 'binary' }),
        ),
        maxLength: 60,
      })
      .map((text) => text.replaceAll('\n', ''))
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), fc.integer({ min: 40, max: 140 }), (lines, columns) => {
        read([fileOf('a.txt', `@@ -0,0 +1,${lines.length} @@\n${lines.map((one) => `+${one}\n`).join('')}`)], columns)
        const rows = rowsOf()
        const first = rows.findIndex(({ text }) => text.startsWith('@@ -0,0'))
        const added = rows.slice(first + 1).filter(({ lead }) => lead?.endsWith('+'))
        expect(added.map(({ text }) => text).join('')).toBe(lines.map((one) => spelledOut(one)[0]).join(''))
        for (const { lead = '', text } of rows.slice(first)) expect(widthOf(`${lead}${text}`)).toBeLessThanOrEqual(columns - 4)
        // eslint-disable-next-line no-control-regex -- control characters are what must not be there
        for (const { text } of rows) expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b]/)
      }),
      { numRuns: 300 },
    )
  })

  it('a name is shown whole, with all that is in it', () => {
    const path = `${'deep/'.repeat(40)}a\nb\u001b[31m\u202e.ts`
    read([fileOf(path, login)], 60)
    const text = shown()
    expect(text.join('').replace(/ /g, '')).toContain(`${'deep/'.repeat(40)}a⟨000A⟩b⟨001B⟩[31m⟨202E⟩.ts`)
  })
})

describe('large diffs', () => {
  const pages = (): void => {
    for (let n = 0; n < 20; n++) {
      desk.press(n === 10 ? 'G' : 'page-down')
      windowOf(desk.state(), overlay(), 40)
    }
  }

  it('of 100,000 lines, a line of 10 MB and 50,000 lines in Chinese are paged without delay', () => {
    read([
      fileOf('many.txt', `@@ -0,0 +1,100000 @@\n${Array.from({ length: 100_000 }, (_, n) => `+line ${n}\n`).join('')}`),
      fileOf('long.js', `@@ -1 +1 @@\n-${'y'.repeat(10_000_000)}\n+${'xyz日'.repeat(2_500_000)}\n`),
      fileOf('wide.txt', `@@ -0,0 +1,50000 @@\n${Array.from({ length: 50_000 }, (_, n) => `+第${n}行\t的文字\n`).join('')}`),
    ])
    windowOf(desk.state(), overlay(), 40)
    expect(processorTime(pages)).toBeLessThan(2000)
    desk.press('g', ']')
    expect(here()).toBe('▾ long.js   +1 −1')
    expect(processorTime(pages)).toBeLessThan(2000)
  })
})

it('another merge of the same worktree is read from its top, and old comments stay in the list', () => {
  read([fileOf('src/login.ts', login)])
  desk.press(']', '}', 'j', 'c', ...'Why', 'enter')
  desk.change(reviewArrived({ ...reviewOfFiles([fileOf('src/login.ts', login)]), to: 'f'.repeat(40) }))
  expect(overlay().at).toEqual({ file: -1, line: 0, piece: 0 })
  expect(desk.notice()).toBe('The merge of user-auth was made anew; read it again.')
  expect(shown()).toContain('✎ src/login.ts:1 (on an earlier merge)  Why')
})

it('the whole output of the verification is opened, folded to the width', async () => {
  read([fileOf('src/login.ts', login)], 60)
  fixture.world.verification = `first\n\u001b[31m${'x'.repeat(100)}\u001b[0m\nlast\n`
  desk.press('L')
  expect(desk.mode()).toBe('verification')
  await eventually(() => expect(desk.state().output?.lines).toHaveLength(3))
  desk.press('G', 'escape')
  expect(desk.mode()).toBe('approval')
})
