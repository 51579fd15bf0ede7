import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const folders = ['src', 'components', 'bench', 'test'] as const

/** Words that hide the actor or replace the field's verb, each with the better one. Text in backticks is not checked. */
const struck: readonly (readonly [words: RegExp, better: string])[] = [
  [/^what\b/i, 'begin with the subject or with "Because"'],
  [/\bbehind\b/i, 'after, below'],
  [/\btold\b/i, 'reported, shown'],
  [/\b(?:whoever|nobody|somebody|anybody)\b/i, 'the actor: the person, the agent, the process, no process'],
  [/\bof ours\b/i, 'our, of aiswarm'],
  [/(?<!\bthere )\bis no (?!longer\b)/i, 'is not a'],
  [/\bhad best\b/i, 'should'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix, repair'],
  [/\bbesides\b/i, 'also, in addition to'],
  [/\b(?:give|gives|gave|given|giving) up\b/i, 'discard, abandon, stop'],
  [/\bturn(?:s|ed|ing)? down\b/i, 'reject'],
  [/\b(?:take|takes|took|taken|taking) back\b/i, 'revert, undo, restore'],
  [/\b(?:let|lets|letting) (?:it |them |a \w+ )?in\b/i, 'merge, approve'],
  [/\bwork(?:s|ed|ing)? (?:it |the board )?off\b/i, 'run'],
  [/\bbr(?:ing|ings|inging|ought) about\b/i, 'cause'],
  [/\bsigns? of life\b/i, 'heartbeat'],
  [/\bon the board\b.*\bput\b|\bput(?:s|ting)?\b.*\bon the board\b/i, 'create a task'],
  [/\btick(?:ed|ing) (?:criteri|off)|\bcriteri\w+ .{0,20}\bticked\b/i, 'acceptance criteria met'],
  [/\bovertaken\b/i, 'stale, outdated'],
]

/** Comments that need a struck word, by the path of the file and a part of the comment, each with the reason. */
const exceptions: readonly (readonly [path: string, part: string, why: string])[] = []

const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name).split(sep).join('/'))

interface Comment {
  readonly line: number
  /** The words of the comment in one line, without its signs. */
  readonly words: string
}

/** The comments of a file; `//` lines that follow each other are one comment. */
const commentsIn = (path: string, text: string): readonly Comment[] => {
  const file = ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.Latest,
    true,
    path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  )
  const ranges = new Map<number, ts.CommentRange>()
  const visit = (node: ts.Node): void => {
    const children = node.getChildren()
    if (children.length === 0 && node.kind !== ts.SyntaxKind.JsxText) {
      for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) ranges.set(range.pos, range)
      for (const range of ts.getTrailingCommentRanges(text, node.getEnd()) ?? []) ranges.set(range.pos, range)
    }
    children.forEach(visit)
  }
  visit(file)
  const comments: { line: number; last: number; words: string }[] = []
  for (const { pos, end } of [...ranges.values()].sort((a, b) => a.pos - b.pos)) {
    const words = wordsOf(text.slice(pos, end))
    const [line, last] = [lineOf(file, pos), lineOf(file, end)]
    const before = comments.at(-1)
    if (before && before.last === line - 1 && text.startsWith('//', pos) && isAlone(text, pos))
      Object.assign(before, { last, words: `${before.words} ${words}` })
    else comments.push({ line, last, words })
  }
  return comments
}

const lineOf = (file: ts.SourceFile, pos: number): number => file.getLineAndCharacterOfPosition(pos).line + 1

const isAlone = (text: string, pos: number): boolean =>
  text.slice(text.lastIndexOf('\n', pos - 1) + 1, pos).trim() === ''

const wordsOf = (comment: string): string =>
  comment
    .replace(/^\/\*+|\*\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\/\/|\*)?/, '').trim())
    .join(' ')
    .trim()

/** True if a text may contain a struck word in a comment. Parsing every file would take 15 s. */
const mayHaveProblems = (text: string): boolean => {
  const candidates = (text.match(/\/\*[\s\S]*?\*\/|\/\/.*/g) ?? []).map(wordsOf)
  return struck.some(
    ([pattern]) => pattern.test(candidates.join(' ')) || candidates.some((words) => pattern.test(words)),
  )
}

const problemsIn = (path: string, text: string): readonly string[] =>
  (mayHaveProblems(text) ? commentsIn(path, text) : []).flatMap(({ line, words }) =>
    exceptions.some(([of, part]) => of === path && words.includes(part))
      ? []
      : struck
          .filter(([pattern]) => pattern.test(words.replace(/`[^`]*`|"[^"]*"/g, '…')))
          .map(([pattern, better]) => `${path}:${line} ${pattern.source} (better: ${better}): ${words}`),
  )

describe('the comments', () => {
  it.each(folders)('of %s use the words of the field', (folder) => {
    const problems = filesIn(folder)
      .filter((path) => path !== 'test/comments.test.ts')
      .flatMap((path) => problemsIn(path, readFileSync(join(root, path), 'utf8')))
    expect(problems).toEqual([])
  })

  it('need every exception that is listed', () => {
    const needless = exceptions.filter(([path, part]) => {
      const text = readFileSync(join(root, path), 'utf8')
      return !commentsIn(path, text).some(
        ({ words }) => words.includes(part) && struck.some(([pattern]) => pattern.test(words)),
      )
    })
    expect(needless).toEqual([])
  })
})

describe('a struck word', () => {
  it.each([
    ['/** What the agent was told. */', 2],
    ['// Waits\n// behind the lock.', 1],
    ['const a = 1 // Nobody reads it.', 1],
    ['/**\n * Whoever calls,\n * gives up the lease.\n */\nconst a = 1', 2],
    ['/** It is no file. */', 1],
    ['/** There is no file, and the old one is no longer here. */', 0],
    ['/** Esc returns to `behind`. */', 0],
    ["const text = 'What nobody told' // The sentence.", 0],
    ['const a = `// What nobody told`', 0],
    ['/* They let a worktree in. */', 1],
  ])('is found in %j: %i', (code, count) => {
    expect(problemsIn('x.ts', code)).toHaveLength(count)
  })

  it('is found between the tags of a component, but not in their text', () => {
    expect(
      problemsIn('x.tsx', 'const X = () => <Text>{/* What is told */}What nobody told // here</Text>'),
    ).toHaveLength(2)
  })
})
