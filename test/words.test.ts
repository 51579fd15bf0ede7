import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { keyText } from '../src/text/keys.ts'

const root = resolve(import.meta.dirname, '..')

/** A struck wording, and the wording of the glossary. */
const struck: readonly (readonly [RegExp, string])[] = [
  [/\b(let|lets|letting) in\b/i, 'merge'],
  [/\b(turn|turns|turned|turning) (it |the integration )?down\b/i, 'reject'],
  [/\b(give|gives|given|giving|gave) (it |a worktree |the worktree )?up\b/i, 'discard or cancel'],
  [/\b(take|takes|taken|taking) ((it|one|the [a-z]+( [a-z]+)*) )?back\b/i, 'undo, revert or delete'],
  [/\b(put|puts|goes|go|back) (it )?on the board\b|\bon the board again\b/i, 'create, retry or pending'],
  [/\bworks? off the board\b/i, 'run the tasks'],
  [/\bbeing (merged|verified|prepared)\b/i, 'merging, verifying'],
  [/\b(had best|whoever|nobody)\b/i, 'name the actor'],
  [/\bwaits? for (you|your word)\b/i, 'needs you'],
  [/\bby itself\b/i, 'automatically, or name the actor'],
  [/\b(is over(?! (budget|its))|have? landed|has landed)\b/i, 'ended, closed or merged'],
  [/\b(ticked|overtaken|collides?)\b/i, 'met, stale, conflicts'],
  [/\b(tried again|made anew|start anew|mend|mended|repair it)\b/i, 'retry, recreate, restart, fix'],
  [/\b(?:go|goes|going|went) on\b/i, 'continue'],
  [/\b(?:somebody|anybody)\b/i, 'the actor: the person, the agent, the process'],
  [/\bbesides\b/i, 'also, in addition to'],
  [/\b(?:lies|lie) (?:in|on|at|beside|below|above)\b/i, 'is in'],
  [/\btook (?:it |them )?back\b/i, 'undid, reverted or withdrew'],
  [/\bis no [a-z]+\.$/i, 'is not a …'],
]

/** Beginnings of texts that are not written for a person, with the reason. */
const kept: readonly (readonly [string, string])[] = [
  [
    'is moving this checkout; it finishes or goes back by itself',
    'A lock file holds it, and processes of other versions compare it.',
  ],
  ['nobody else', 'A value, which events hold.'],
  ["import assert from 'node:assert/strict'", 'A file of the demo.'],
]

/** The text of every string and template in a source, values as `…`. */
const textsIn = (source: string): readonly string[] => {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) found.push(node.text)
    if (ts.isTemplateExpression(node))
      found.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…'))
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('x.tsx', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX))
  return found
}

const struckIn = (text: string): readonly string[] =>
  kept.some(([begin]) => text.startsWith(begin))
    ? []
    : struck.flatMap(([wrong, right]) => (wrong.test(text) ? [`“${text}”: say ${right}`] : []))

/** Every file of a folder with such a name, by its path. */
const filesIn = (folder: string, name: RegExp): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path))
    .map((path) => join(folder, path))

const complaintsIn = (paths: readonly string[], texts: (source: string) => readonly string[]): readonly string[] =>
  paths.flatMap((path) =>
    texts(readFileSync(join(root, path), 'utf8'))
      .flatMap(struckIn)
      .map((complaint) => `${path}: ${complaint}`),
  )

describe('the words of the product', () => {
  it.each(['src', 'components'])('in %s follow the glossary', (folder) => {
    const paths = filesIn(folder, /\.tsx?$/)
    expect(paths.length).toBeGreaterThan(20)
    expect(complaintsIn(paths, (source) => textsIn(source).filter((text) => text.includes(' ')))).toEqual([])
  })

  it.each(['schemas', 'docs', '.'])('in the files of %s follow the glossary', (folder) => {
    const paths =
      folder === '.'
        ? ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
        : filesIn(folder, /\.(json|md)$/)
    expect(paths.length).toBeGreaterThan(3)
    expect(complaintsIn(paths, (source) => source.split('\n'))).toEqual([])
  })

  it.each([
    'Take the comment back',
    'Task … is on the board again.',
    'Nothing waits for you.',
    'The request is over; esc goes back.',
    'the agent decides by itself',
  ])('strike %s', (text) => expect(struckIn(text)).not.toEqual([]))

  it('describe each key in 60 columns, with a label of one to four words', () => {
    expect(Object.values(keyText).filter(({ help, label }) => help.length > 60 || label.split(' ').length > 4)).toEqual(
      [],
    )
  })
})
