import { describe, expect, it } from 'vitest'
import {
  contentOf,
  hunkOf,
  indexDiff,
  kindOf,
  neighbourHunk,
  sectionsOf,
} from '../../../src/domain/words/unified-diff.ts'

const diff = [
  'diff --git a/x b/x',
  'index 1..2 100644',
  '--- a/x',
  '+++ b/x',
  '@@ -3,3 +3,4 @@ function',
  ' same',
  '--- gone',
  '+++ come',
  '+',
  ' ',
  '@@ -20 +21 @@',
  '-a',
  '\\ No newline at end of file',
  '+b',
  '',
].join('\n')

const linesOf = (text: string) => {
  const index = indexDiff(text)
  return Array.from({ length: index.count }, (_, line) => [
    kindOf(index, line),
    index.numbers[line],
    contentOf(index, line),
  ])
}

describe('the lines of a diff', () => {
  it('have a kind and the line number in their file, even if they look like headers', () => {
    expect(linesOf(diff)).toEqual([
      ['hunk', 3, '@@ -3,3 +3,4 @@ function'],
      ['context', 3, 'same'],
      ['removed', 4, '-- gone'],
      ['added', 4, '++ come'],
      ['added', 5, ''],
      ['context', 6, ''],
      ['hunk', 21, '@@ -20 +21 @@'],
      ['removed', 20, 'a'],
      ['note', 21, '\\ No newline at end of file'],
      ['added', 21, 'b'],
    ])
    expect(indexDiff(diff)).toMatchObject({ added: 3, removed: 2, binary: false })
  })

  it('are found without a last line end, without a hunk, and in a binary file', () => {
    expect(linesOf('diff --git a/x b/x\n@@ -0,0 +1 @@\n+only')).toEqual([
      ['hunk', 1, '@@ -0,0 +1 @@'],
      ['added', 1, 'only'],
    ])
    expect(indexDiff('diff --git a/x b/x\nold mode 100644\nnew mode 100755\n')).toMatchObject({
      count: 0,
      binary: false,
    })
    expect(indexDiff('diff --git a/x b/x\nBinary files a/x and b/x differ\n')).toMatchObject({ count: 0, binary: true })
    expect(indexDiff('')).toMatchObject({ count: 0 })
  })

  it('of a file with a changed type are those of both parts', () => {
    expect(
      linesOf(
        'diff --git a/x b/x\ndeleted file\n@@ -1 +0,0 @@\n-text\ndiff --git a/x b/x\nnew file mode 120000\n@@ -0,0 +1 @@\n+target\n',
      ).map(([kind]) => kind),
    ).toEqual(['hunk', 'removed', 'hunk', 'added'])
  })

  it('belong to hunks', () => {
    const index = indexDiff(diff)
    expect([hunkOf(index, 5), hunkOf(index, 6), hunkOf(index, 9)]).toEqual([0, 6, 6])
    expect([
      neighbourHunk(index, -1, 1),
      neighbourHunk(index, 0, 1),
      neighbourHunk(index, 6, 1),
      neighbourHunk(index, 6, -1),
    ]).toEqual([0, 6, -1, 0])
  })
})

it('a diff is split at file headers, not at lines that look like headers', () => {
  const text = 'diff --git a/x b/x\n@@ -1 +1 @@\n-diff --git a/y b/y\n+diff --git\ndiff --git a/z b/z\nold mode 1\n'
  expect(sectionsOf(text).map((section) => section.split('\n').length)).toEqual([5, 3])
  expect(sectionsOf(text).join('')).toBe(text)
  expect(sectionsOf('')).toEqual([])
})
