import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** Words that are not plain technical English, or that name a thing by another term than the screen and the documents. */
const struck = [
  'anew',
  'anybody',
  'behind',
  'besides',
  'brings? about',
  'burn(s|ed|t)?',
  'collides?',
  'g(ave|ives?|iven) up',
  'go(es)? on',
  'had best',
  '(?<!there )(is|are) no(?! longer)',
  'let(s|ting)? (\\S+ )?in',
  'lies?',
  'mends?',
  'nobody',
  'of ours',
  'overtaken',
  'put(s)? on the board',
  'somebody',
  'stands?',
  'take(s|n)? (away|back)',
  'tells?',
  'told',
  'turn(s|ed)? down',
  'turns? round',
  'whoever',
  'works? off',
]

/** Struck words that are right in one place: the name or comment, and the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'a worktree is shown with its commits ahead and behind, its dirty files and its lines':
    'Git calls these commits ahead and behind.',
}

/** First words of a sentence without a subject: conjunctions, relatives and verbs. */
const withoutSubject = new Set(
  [
    'and but nor or so that what where which who whom whose',
    'are be can cannot could did do does had has have is may must should was were will would',
    'accepts adds allows answers asks changes checks closes contains counts creates deletes draws ends fails finds gets gives ignores keeps',
    'knows leaves lists loses makes moves names needs opens prints puts reads refuses removes reports returns runs says sees sends shows',
    'starts stays stops takes uses waits wants works writes',
  ].flatMap((words) => words.split(' ')),
)

const parsed = (path: string, text: string): ts.SourceFile =>
  ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.Latest,
    true,
    path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  )

/** `describe` of `describe.each(…)`, `it` of `it.concurrent.for(…)`; undefined for any other call. */
const calledAs = (node: ts.Expression): string | undefined => {
  if (ts.isIdentifier(node)) return ['describe', 'it', 'test'].includes(node.text) ? node.text : undefined
  if (ts.isPropertyAccessExpression(node)) return node.name.text === 'expect' ? undefined : calledAs(node.expression)
  return ts.isCallExpression(node) ? calledAs(node.expression) : undefined
}

/** The title of a block or test, with `…` for each value of a template; undefined for `it.each(…)`, which only gets its table. */
const titleOf = (call: ts.CallExpression): string | undefined => {
  const [title, body] = call.arguments
  const givesTable =
    ts.isPropertyAccessExpression(call.expression) &&
    ['each', 'for', 'runIf', 'skipIf'].includes(call.expression.name.text)
  if (title === undefined || body === undefined || givesTable || calledAs(call.expression) === undefined)
    return undefined
  if (ts.isStringLiteral(title) || ts.isNoSubstitutionTemplateLiteral(title)) return title.text
  return ts.isTemplateExpression(title)
    ? [title.head.text, ...title.templateSpans.map(({ literal }) => literal.text)].join('…')
    : '…'
}

/** The full name of every test in a file: all its blocks and its title. */
const namesIn = (path: string, text: string): readonly string[] => {
  const found: string[] = []
  const visit = (node: ts.Node, blocks: readonly string[]): void => {
    const title = ts.isCallExpression(node) ? titleOf(node) : undefined
    const within = title === undefined ? blocks : [...blocks, title]
    if (title !== undefined && calledAs((node as ts.CallExpression).expression) !== 'describe')
      found.push(within.join(' '))
    ts.forEachChild(node, (child) => visit(child, within))
  }
  visit(parsed(path, text), [])
  return found
}

const commentsIn = (path: string, text: string): readonly string[] => {
  const found = new Map<number, string>()
  const visit = (node: ts.Node): void => {
    const ranges = ts.isJsxText(node)
      ? []
      : [
          ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
          ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
        ]
    for (const { pos, end } of ranges) found.set(pos, text.slice(pos, end).replace(/\s*\n\s*(\*(?!\/)|\/\/)? ?/g, ' '))
    node.getChildren().forEach(visit)
  }
  visit(parsed(path, text))
  return [...found.values()].filter((comment) => !/oxlint-disable/.test(comment))
}

const whyPoetic = (words: string): string | undefined => {
  if (words in exceptions) return undefined
  const found = new RegExp(`(?<![\\p{L}\\p{N}‘’'-])(${struck.join('|')})(?![\\p{L}\\p{N}’'-])`, 'iu').exec(
    words.replace(/`[^`]*`/g, '…'),
  )
  return found === null ? undefined : `“${found[0]}” in: ${words}`
}

const whyNoSentence = (name: string): string | undefined => {
  const [first = ''] = name.split(' ')
  if (withoutSubject.has(first.toLowerCase())) return `no subject: ${name}`
  return name.split(' ').length < 3 ? `no sentence: ${name}` : undefined
}

/** Every file of the tests and of the bench, except this one, whose cases are wrong on purpose. */
const files = ['test', 'bench']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name).split(sep).join('/'),
    ),
  )
  .filter((path) => /\.tsx?$/.test(path) && path !== 'test/words-of-tests.test.ts')
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return { path, names: namesIn(path, text), comments: commentsIn(path, text) }
  })

const complaints = (parts: 'names' | 'comments', why: (part: string) => string | undefined): readonly string[] =>
  files.flatMap((file) =>
    file[parts].flatMap((part) => why(part) ?? []).map((complaint) => `${file.path}: ${complaint}`),
  )

describe('the full name of a test', () => {
  it('is a sentence with a subject', () => {
    expect(complaints('names', whyNoSentence)).toEqual([])
  })

  it('has no struck word', () => {
    expect(complaints('names', whyPoetic)).toEqual([])
  })

  it('is read from all its blocks, tables and templates', () => {
    const code =
      "describe.each(t)('a %s', () => { test('runs', f); it.concurrent.for(t)(`ends ${n} times`, o, f) }); it.each(t)('that is lost', f); each.test('x', f)"
    expect(namesIn('x.ts', code)).toEqual(['a %s runs', 'a %s ends … times', 'that is lost'])
  })
})

describe('a comment of a test', () => {
  it('has no struck word', () => {
    expect(complaints('comments', whyPoetic)).toEqual([])
  })

  it('begins with its subject', () => {
    expect(complaints('comments', (comment) => (/^(\/\*\*?|\/\/) What\b/.test(comment) ? comment : undefined))).toEqual(
      [],
    )
  })

  it('is read over all its lines', () => {
    expect(commentsIn('x.ts', '// one\nconst a = 1 // two\n/**\n * three\n * four\n */\nconst b = "// five"')).toEqual([
      '// one',
      '// two',
      '/** three four */',
    ])
  })
})

describe('the words of tests', () => {
  it.each([
    ['a lock that nobody holds', true],
    ['an answer of ours', true],
    ['this is no agent', true],
    ['an agent goes on', true],
    ['a task let in again', true],
    ['the folder is no longer there', false],
    ['the bytes of `git tell`', false],
    ['an outlier', false],
    ['standing orders', false],
  ])('include a struck word in “%s”: %s', (words, isStruck) => {
    expect(whyPoetic(words) !== undefined).toBe(isStruck)
  })

  it.each([
    ['that is lost', true],
    ['which runs', true],
    ['Refuses a second claim', true],
    ['usage', true],
    ['claim_task refuses a second claim by the holder', false],
  ])('lack a subject in “%s”: %s', (name, isWrong) => {
    expect(whyNoSentence(name) !== undefined).toBe(isWrong)
  })

  it('have only exceptions that a test or a comment needs', () => {
    const all = new Set(files.flatMap(({ names, comments }) => [...names, ...comments]))
    expect(Object.keys(exceptions).filter((words) => !all.has(words))).toEqual([])
  })
})
