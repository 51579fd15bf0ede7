import { describe, expect, it } from 'vitest'
import { indexDiff } from '../../../../src/domain/words/unified-diff.ts'
import { colourAround } from '../../../../src/ui/views/review/colours.ts'
import { languageOf, partsIn } from '../../../../src/ui/views/review/highlighter.ts'
import { partsOf } from '../../../../src/ui/views/review/diff-lines.ts'
import { spelt } from '../../../../src/ui/views/review/diff-layout.ts'

const coloured = (path: string, diff: string, at = 0): string[] => {
  const index = indexDiff(diff)
  colourAround(index, at, (lines) => partsIn(languageOf(path)!, lines))
  return Array.from({ length: index.count }, (_, line) =>
    partsOf(index, line)
      .map(([from, to, part]) => `${part} ${spelt(index, line).slice(from, to)}`)
      .join(', '),
  )
}

describe('the colours of code', () => {
  it.each([
    ['src/a.ts', 'typescript'],
    ['a.TSX', 'tsx'],
    ['x/b.mjs', 'mjs'],
    ['c.py', 'py'],
    ['d.rs', 'rs'],
    ['e.go', 'go'],
    ['Makefile', 'makefile'],
    ['Dockerfile', 'dockerfile'],
    ['Dockerfile.test', 'dockerfile'],
    ['ci.yml', 'yml'],
    ['a.toml', 'toml'],
    ['f.cs', 'cs'],
    ['App.vue', 'vue'],
    ['.bashrc', 'bashrc'],
  ])('of %s are found by its name', (path, language) => {
    expect([language, path.split('.').at(-1)!.toLowerCase()]).toContain(languageOf(path))
  })

  it.each(['notes', 'a.unknown', '.', '', 'toString', 'a.constructor', '日本語'])(
    'of %s are none, because it is in no known language',
    (path) => {
      expect(languageOf(path)).toBeUndefined()
    },
  )

  it('are those of the old version in removed lines and of the new one in the others', () => {
    expect(coloured('a.ts', '@@ -1,3 +1,3 @@\n-/* old\n+const a = 1\n let b\n-end */\n+// why\n')).toEqual([
      '',
      'comment /* old',
      'keyword const, number 1',
      'keyword let',
      'comment end */',
      'comment // why',
    ])
  })

  it('count tabs, hidden and wide characters as they are shown', () => {
    expect(coloured('a.py', '@@ -0,0 +1,2 @@\n+\tx = "世\u202e界" # y\n+return 1\n')).toEqual([
      '',
      'string "世⟨202E⟩界", comment # y',
      'keyword return, number 1',
    ])
  })

  it('end at a line that is too long to be code', () => {
    const long = `+const a = '${'x'.repeat(1000)}'\n`
    expect(coloured('a.js', `@@ -0,0 +1,2 @@\n${long}+const b = 2\n`)).toEqual(['', '', 'keyword const, number 2'])
  })

  it('of 100,000 lines are found for the lines around the visible one only', () => {
    const diff = `@@ -0,0 +1,100000 @@\n${'+const a = 1\n'.repeat(100_000)}`
    const parts = coloured('a.js', diff, 50_000)
    expect(parts.filter((line) => line !== '')).toHaveLength(200)
    expect(parts[50_000]).toBe('keyword const, number 1')
  })
})
