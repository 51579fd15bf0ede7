import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { phrasesOf, streamOf } from '../../../src/db/engine/full-text.ts'
import { openCore } from '../../support/core.ts'
import { connectionOf } from '../../support/store.ts'

/** Words that only one engine understands, or that the engines understand differently. */
const ownWords =
  /unixepoch|strftime|julianday|\bGLOB\b|\bLIKE\b|\biif\(|\bjson_\w+\(|\bMATCH\b|\bPRAGMA\b|\bINSERT OR\b|\browid\b(?!:)|total_changes|sqlite_|::\w+|\bextract\(|\bILIKE\b|\bgreatest\(|\bleast\(|\bto_tsvector|\bpg_\w+\(/

it('only the engines have words of their own', () => {
  const found = globSync(['src/db/*.ts', 'src/operations/**/*.ts', 'src/memory/**/*.ts']).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        /sql(<|`)|^\s+(?:select|SELECT|from|FROM|WHERE|where)\b/.test(line) && ownWords.test(line)
          ? [`${file}:${at + 1}`]
          : [],
      ),
  )
  // The full-text tables are named so on both engines; the copy knows both.
  expect(found.filter((place) => !/^src\/db\/(?:dual-memory|copy)\.ts:/.test(place))).toEqual([])
})

it('words are cut as the full-text tables of SQLite cut them', async () => {
  const { core } = await openCore()
  const connection = connectionOf(core.store)
  connection.exec(
    "CREATE VIRTUAL TABLE temp.cut USING fts5(text, tokenize = 'unicode61'); CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(cut, instance)",
  )
  const texts = [
    'A parser, token by token',
    'src/db/sqlite/open.ts:12 fails',
    "it's snake_case and kebab-case",
    'Grüße aus Zürich, ÆØÅ, naïve Ångström',
    'Ελληνικά ДОМА Йод ёлка 中文字 日本 が',
    '3.14 1e5 x²',
    '"quoted" (and) {bracketed} *starred*',
  ]
  for (const text of texts) {
    connection.exec('DELETE FROM temp.cut')
    connection.prepare('INSERT INTO temp.cut (text) VALUES (?)').run(text)
    const terms = connection.prepare<[], string>('SELECT term FROM temp.vocabulary ORDER BY "offset"').pluck().all()
    expect(streamOf(text)).toBe(terms.join(' '))
  }
})

it('a part of a query without letters and digits asks for nothing', () => {
  expect(phrasesOf(' a/b -- "c" * ')).toEqual(['a b', 'c'])
})
