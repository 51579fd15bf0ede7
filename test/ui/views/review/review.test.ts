import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { person } from '../../../../src/domain/agent/actor.ts'
import { spelledOut } from '../../../../src/domain/words/safe-text.ts'
import { indexDiff } from '../../../../src/domain/words/unified-diff.ts'
import { listTasks } from '../../../../src/operations/tasks/list.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import type { Review, ReviewFile } from '../../../../src/contracts/review.ts'
import { resized, sheetHeight } from '../../../../src/ui/panes/movement.ts'
import { reviewArrived } from '../../../../src/ui/views/review/feed.ts'
import { approvalIn, reviewDocument, windowOf } from '../../../../src/ui/views/review/review.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { widthOf } from '../../../../components/base/fit.ts'
import { eventually } from '../../../support/eventually.ts'
import { processorTime } from '../../../support/processor-time.ts'
import { fileOf, reviewOfFiles } from '../../../support/review.ts'
import { openController, type TestController } from '../../controller.ts'
import { type Fixture, openFixture } from '../../fixture.ts'

const login =
  '@@ -1,3 +1,4 @@\n import x\n-return false\n+return user === undefined\n+// why\n done\n@@ -20,2 +21,2 @@\n same\n-old name\n+new name\n'

let fixture: Fixture
let controller: TestController
beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  await fixture.makeReady('user-auth')
  controller = await openController(fixture)
})
afterEach(() => fixture.close())

/** Opens the approval of a review of these files. */
const read = (files: readonly ReviewFile[], columns = 100, rows = 40, more: Partial<Review> = {}): void => {
  controller.change(resized(columns, rows))
  controller.press('4', 'i')
  controller.change(reviewArrived(reviewOfFiles(files, more)))
}

const overlay = () => approvalIn(controller.state().view.overlay)!
const rowsOf = (): Line[] => {
  const document = reviewDocument(controller.state(), overlay())!
  return Array.from({ length: document.total }, (_, row) => document.line(row))
}
const shown = (lines = rowsOf()): string[] => lines.map(({ lead = '', text }) => `${lead}${text}`.trimEnd())
/** The row under the cursor. */
const here = (): string => {
  const document = reviewDocument(controller.state(), overlay())!
  const { lead = '', text } = document.line(document.rowOf(overlay().at))
  return `${lead}${text}`.trim()
}

describe('a review', () => {
  it('shows the totals first, then the files by risk, then their lines', () => {
    read([
      fileOf('src/login.ts', login),
      fileOf('.github/workflows/ci.yml', '@@ -1 +1 @@\n-a\n+b\n', { elsewhere: ['cart'] }),
    ])
    const text = shown().join('\n')
    const order = [
      '⚑ ready',
      '2 files  +4 −3  1 commit',
      '1 file to check: 1 CI, 1 changed elsewhere',
      'aaaaaaaa (target) + bbbbbbbb (branch) → cccccccc',
      'Files (2)',
      '.github/workflows/ci.yml',
      '! CI: a CI server runs it, with the secrets of the project',
      '⚠ changed elsewhere: cart changes it too',
      'src/login.ts',
      'Verification passed ✓',
      'Commits (1)',
      'Uncommitted, not part of the merge (1)',
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

  it('has what only commits in between hold, and what was not read, before the files', () => {
    read([fileOf('src/login.ts', login)], 100, 40, {
      history: {
        files: [
          {
            path: '.github/workflows/x.yml',
            commits: ['a'.repeat(40), 'b'.repeat(40)],
            more: 0,
            risks: [{ kind: 'ci', reason: 'a CI server runs it' }],
          },
        ],
        unread: ['only the newest 5000 of 5002 commits were read one by one'],
      },
    })
    const text = shown().join('\n').replace(/\n */g, ' ')
    expect(text).toContain('1 file to check: 1 CI')
    expect(text).toContain('⚠ only the newest 5000 of 5002 commits were read one by one')
    expect(text).toMatch(
      /Only in commits in between, not in the diff \(1\).*x\.yml, only in commits aaaaaaaa, bbbbbbbb, not in the diff.*! CI: a CI server runs it.*Files \(1\)/,
    )
  })

  it('has many files with the same reasons as one entry, which leads to the first of them', () => {
    const many = Array.from({ length: 400 }, (_, n) => fileOf(`packages/p${n}/package.json`, '@@ -1 +1 @@\n-a\n+b\n'))
    read([...many, fileOf('CLAUDE.md', '@@ -1 +1 @@\n-a\n+b\n')])
    const head = shown([...reviewDocument(controller.state(), overlay())!.head])
    expect(head.length).toBeLessThan(40)
    expect(head.join(' ').replace(/ +/g, ' ')).toContain(
      '⚠ 400 files: packages/p0/package.json, packages/p1/package.json, packages/p10/package.json and 397 more',
    )
    expect(head.join('\n')).toContain('CLAUDE.md')
  })

  it('marks the changed words, only in lines with a counterpart', () => {
    read([
      fileOf(
        'a.ts',
        '@@ -1,3 +1,4 @@\n-const value = one\n+const value = two\n c\n-gone for good\n c\n+come with a space \n',
      ),
    ])
    const marked = rowsOf().flatMap(({ text, marks = [] }) => marks.map(([from, to]) => text.slice(from, to)))
    expect(marked).toEqual(['one', 'two', ' '])
  })

  it('shows which claims the facts contradict', () => {
    controller.change(resized(100, 40))
    controller.press('4', 'i')
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
    controller.change(reviewArrived(reviewOfFiles([fileOf('src/login.ts', login)], { tasks: [task] })))
    expect(shown()).toEqual(
      expect.arrayContaining([
        'Claims and findings',
        '✗ task 3: the result of task 3 says “Added docs/x.md.”',
        '    docs/x.md is not changed',
      ]),
    )
    expect(shown()).toContain(
      '✗ 1 claim contradicted by the facts: task 3: the result of task 3 says “Added docs/x.md.”, but',
    )
    expect(shown()).not.toContain('no file needs special attention')
  })

  it('reports what it cannot show, and why', () => {
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
      'No changed lines.',
      'Large file, not loaded. enter loads it.',
    ])
      expect(text).toContain(words)
  })
})

describe('the keys of a review', () => {
  beforeEach(() => read([fileOf('src/login.ts', login), fileOf('src/other.ts', '@@ -5 +5 @@\n-five\n+5\n')]))

  it('move between files and between hunks', () => {
    const seen = ['g', ']', '}', '}', '}', ']', '[', '[', '{', ']', '{', 'G'].map((key) => {
      controller.press(key)
      return here()
    })
    expect(seen).toEqual([
      '⚑ ready',
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

  it('keep the cursor visible, whatever is pressed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('j', 'k', 'g', 'G', 'page-down', 'page-up', ']', '[', '}', '{', 'enter', '>', '<'), {
          maxLength: 40,
        }),
        fc.integer({ min: 1, max: 40 }),
        (keys, height) => {
          controller.press(...keys)
          const window = windowOf(controller.state(), overlay(), height)!
          expect(window.lines.filter(({ cursor }) => cursor)).toHaveLength(1)
          expect(window.lines.length).toBe(Math.min(height, window.total))
        },
      ),
    )
  })

  it('fold and unfold a file, from the list of files as well', () => {
    controller.press(']', 'j', 'j', 'enter')
    expect(shown().filter((line) => line.startsWith('▸'))).toEqual(['▸ src/login.ts   +3 −2   folded'])
    expect(shown().join('\n')).not.toContain('return false')
    expect(here()).toBe('▸ src/login.ts   +3 −2   folded')
    controller.press(' ')
    expect(shown().join('\n')).toContain('return false')
    controller.press('g')
    while (!here().includes('other.ts')) controller.press('j')
    controller.press('enter')
    expect(here()).toBe('▾ src/other.ts   +1 −1')
  })

  it('search words in lines and names, forwards and backwards', () => {
    const find = (...keys: string[]): string => {
      controller.press(...keys)
      return here()
    }
    controller.press('g')
    expect(find('/', ...'NAME', 'enter')).toBe('21 -old name')
    expect(find('>')).toBe('22 +new name')
    expect(find('<')).toBe('21 -old name')
    expect(find('g', '/', ...'other', 'enter')).toBe('+1 −1       other.ts')
    expect(find('>')).toBe('▾ src/other.ts   +1 −1')
    expect(find('<')).toBe('+1 −1       other.ts')
    expect(find('/', ...'requested BY', 'enter')).toBe('+1 −1       other.ts')
    expect(find('<')).toBe('requested by  human')
    controller.press('/', ...'nowhere', 'enter')
    expect(controller.notice()).toBe('“nowhere” not found after this line.')
    controller.press('/', 'x', 'escape')
    expect(controller.mode()).toBe('approval')
  })

  it('read a large file on request, and report a failure', async () => {
    read([fileOf('huge.txt', '', { content: 'unread', diff: null, added: null, removed: null })])
    fixture.world.readReviewFile = async () => indexDiff('@@ -0,0 +1 @@\n+enormous\n')
    controller.press(']', 'enter')
    expect(shown()).toContain('  Reading…')
    await eventually(() => expect(shown()).toContain('  1 +enormous'))
  })
})

describe('the comments', () => {
  beforeEach(() => read([fileOf('src/login.ts', login)]))
  const say = (text: string): void => controller.press('c', ...text, 'enter')

  it('belong to the line under the cursor, are listed, and can be deleted', () => {
    controller.press(']', '}', 'j', 'j')
    expect(here()).toBe('2 -return false')
    say('Keep this')
    controller.press('j')
    expect(here()).toBe('✎ Keep this')
    controller.press('j')
    say('Say why')
    controller.press('[')
    say('Split it')
    const text = shown()
    expect(text).toEqual(
      expect.arrayContaining([
        'Your comments (3): S send, x delete',
        '✎ src/login.ts:2  Keep this',
        '✎ src/login.ts:2  Say why',
        '✎ src/login.ts  Split it',
      ]),
    )
    expect(text.slice(text.indexOf('  2 -return false'), text.indexOf('  3 +// why'))).toEqual([
      '  2 -return false',
      '     ✎ Keep this',
      '  2 +return user === undefined',
      '     ✎ Say why',
    ])
    controller.press('g')
    while (here() !== '✎ src/login.ts:2  Say why') controller.press('j')
    controller.press('x')
    expect(controller.notice()).toBe('Comment deleted.')
    expect(shown().filter((line) => line.includes('Say why'))).toEqual([])
  })

  it('are visible after they are added, even below the last line of the screen', () => {
    read([fileOf('src/login.ts', login)], 60, 20)
    const height = sheetHeight(controller.state())
    const seen = () => shown([...windowOf(controller.state(), overlay(), height)!.lines])
    controller.press(']', '}')
    while (!seen().at(-1)!.includes(here())) controller.press('j')
    const before = here()
    expect(seen().at(-1)).toContain(before)
    say(`Say ${'why '.repeat(20)}it does`)
    expect(seen().at(-1)).toContain('it does')
    expect([here(), seen().some((line) => line.includes(before))]).toEqual([before, true])
    // A comment that is visible anyway scrolls nothing.
    const { top } = windowOf(controller.state(), overlay(), height)!
    controller.press('k')
    say('No')
    expect([windowOf(controller.state(), overlay(), height)!.top, seen().join()]).toEqual([
      top + 1,
      expect.stringContaining('No'),
    ])
  })

  it('require a place and words', () => {
    controller.press('g', 'c')
    expect(controller.notice()).toContain('Select a line of the diff')
    controller.press(']', 'c', 'enter')
    expect(controller.notice()).toBe('The comment is empty. Enter a comment.')
    controller.press('escape')
    controller.press('S')
    expect(controller.notice()).toBe('No comments to send. c adds one.')
    controller.press('x')
    expect(controller.notice()).toContain('Select one of your comments')
  })

  it('remain after the view is closed', () => {
    controller.press(']')
    say('Later')
    controller.press('escape', 'i')
    expect(shown().join('\n')).toContain('✎ src/login.ts  Later')
  })

  it('are sent back as one task after a question, and disappear then', async () => {
    controller.press(']', '}', 'j', 'j')
    say('Keep this')
    controller.press('j', 'j')
    say('Say why')
    controller.press('S')
    expect(controller.mode()).toBe('confirm')
    const { overlay: asked } = controller.state().view
    expect(asked?.kind === 'confirm' && asked.lines).toEqual([
      'Creates one task with your 2 comments for worktree user-auth and rejects its integration into main:',
      'src/login.ts:2 (removed) Keep this',
      'src/login.ts:2 Say why',
    ])
    controller.press('y')
    await eventually(() => expect(controller.notice()).toBe('Created task 1 for implementer in user-auth.'))
    const [task] = await perform(fixture.core, listTasks, {}, person)
    expect(task).toMatchObject({ title: 'Review of user-auth: 2 comments', targetWorktree: 'user-auth' })
    expect(task!.description).toContain(
      '1. src/login.ts:2 (a line that the branch removes)\n\n```diff\n@@ -1,3 +1,4 @@\n import x\n-return false\n+return user === undefined',
    )
    expect(controller.state().comments['user-auth']).toEqual([])
  })
})

describe('a review hides nothing:', () => {
  it('every character of an added line is in the rows, in order, at any width', () => {
    const line = fc
      .string({
        unit: fc.oneof(
          fc.constantFrom(
            '\u001b[31m',
            '\u202e',
            '\u200b',
            '\u0007',
            '\r',
            '\t',
            ' ',
            '日',
            'é',
            '👩‍💻',
            '\u0000',
            '⟨001B⟩',
            'Binary files a and b differ',
            '@@',
          ),
          fc.string({ minLength: 1, maxLength: 3, unit: 'binary' }),
        ),
        maxLength: 60,
      })
      .map((text) => text.replaceAll('\n', ''))
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 40, max: 140 }),
        (lines, columns) => {
          read([fileOf('a.txt', `@@ -0,0 +1,${lines.length} @@\n${lines.map((one) => `+${one}\n`).join('')}`)], columns)
          const rows = rowsOf()
          const first = rows.findIndex(({ text }) => text.startsWith('@@ -0,0'))
          const added = rows.slice(first + 1).filter(({ lead }) => lead?.endsWith('+'))
          expect(added.map(({ text }) => text).join('')).toBe(lines.map((one) => spelledOut(one)[0]).join(''))
          for (const { lead = '', text } of rows.slice(first))
            expect(widthOf(`${lead}${text}`)).toBeLessThanOrEqual(columns - 4)
          for (const { text } of rows)
            // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
            expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b]/)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('a name is shown completely, with every character', () => {
    const path = `${'deep/'.repeat(40)}a\nb\u001b[31m\u202e.ts`
    read([fileOf(path, login)], 60)
    const text = shown()
    expect(text.join('').replace(/ /g, '')).toContain(`${'deep/'.repeat(40)}a⟨000A⟩b⟨001B⟩[31m⟨202E⟩.ts`)
  })
})

describe('the review of a large diff', () => {
  const pages = (): void => {
    for (let n = 0; n < 20; n++) {
      controller.press(n === 10 ? 'G' : 'page-down')
      windowOf(controller.state(), overlay(), 40)
    }
  }

  it('of 100,000 lines, a line of 10 MB and 50,000 lines in Chinese scrolls without delay', () => {
    read([
      fileOf('many.txt', `@@ -0,0 +1,100000 @@\n${Array.from({ length: 100_000 }, (_, n) => `+line ${n}\n`).join('')}`),
      fileOf('long.js', `@@ -1 +1 @@\n-${'y'.repeat(10_000_000)}\n+${'xyz日'.repeat(2_500_000)}\n`),
      fileOf(
        'wide.txt',
        `@@ -0,0 +1,50000 @@\n${Array.from({ length: 50_000 }, (_, n) => `+第${n}行\t的文字\n`).join('')}`,
      ),
    ])
    windowOf(controller.state(), overlay(), 40)
    expect(processorTime(pages)).toBeLessThan(2000)
    controller.press('g', ']')
    expect(here()).toBe('▾ long.js   +1 −1')
    expect(processorTime(pages)).toBeLessThan(2000)
  })
})

it('another merge of the same worktree is read from its top, and earlier comments stay in the list', () => {
  read([fileOf('src/login.ts', login)])
  controller.press(']', '}', 'j', 'c', ...'Why', 'enter')
  controller.change(reviewArrived({ ...reviewOfFiles([fileOf('src/login.ts', login)]), to: 'f'.repeat(40) }))
  expect(overlay().at).toEqual({ file: -1, line: 0, piece: 0 })
  expect(controller.notice()).toBe('The merge of user-auth was recreated. Review it again.')
  expect(shown()).toContain('✎ src/login.ts:1 (on an earlier merge)  Why')
})

it('the whole output of the verification is shown, wrapped to the width', async () => {
  read([fileOf('src/login.ts', login)], 60)
  fixture.world.verification = `first\n\u001b[31m${'x'.repeat(100)}\u001b[0m\nlast\n`
  controller.press('L')
  expect(controller.mode()).toBe('verification')
  await eventually(() => expect(controller.state().output?.lines).toHaveLength(3))
  controller.press('G', 'escape')
  expect(controller.mode()).toBe('approval')
})
