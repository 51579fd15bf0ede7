import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { postgresPrograms } from '../support/postgres.ts'
import { figuresOfTests } from './of-tests.ts'
import type { Figures, Proof } from './proof.ts'

const files = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: resolve(import.meta.dirname, '../..') }).sort()

/** A story that moves a board from SQLite to a server itself, and restores a file. */
const ofSqlite: readonly string[] = ['test/stories/documents.story.test.ts']

const countOf = ({ counts }: Figures, name: string): number => Number(counts[name] ?? 0)

/** The files whose tests were skipped, since a number does not say that a whole suite is missing on this machine. */
const skippedOf = (
  runs: readonly { readonly skippedIn: Readonly<Record<string, number>> }[],
): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = {}
  for (const { skippedIn } of runs)
    for (const [file, count] of Object.entries(skippedIn)) {
      const key = `skipped in ${file}`
      sums[key] = (sums[key] ?? 0) + count
    }
  return sums
}

export const stores: Proof = {
  name: 'stores',
  shows:
    'The operations give the same answers, refusals and rows on PostgreSQL and on PGlite as on SQLite, stories and the loop of kills pass on a board on a server, and a server that is cut off, killed or not ours loses nothing.',
  run: (share) => {
    if (postgresPrograms() === undefined)
      throw new Error('this machine has no PostgreSQL. Install it to run this proof.')
    const operations = share.some(files('test/operations/**/*.test.ts'))
    const server = share.some(files('test/postgres/**/*.test.ts'))
    // Tests that look into the file of SQLite are skipped on other engines, and counted.
    const onServer = figuresOfTests([...operations, ...server], {}, { project: 'long on postgresql', skips: true })
    // The engine in this process takes many times as long, so a part of the proof leaves it out.
    const inProcess =
      share.divisor === 1
        ? figuresOfTests(operations, {}, { project: 'long on pglite', skips: true })
        : { counts: {}, violations: [], skippedIn: {} }
    // Whole stories of the console, and the loop that kills every process, on a board on the server.
    const chosen = share
      .some([...files('test/stories/*.story.test.ts'), 'test/stories/kill-loop.test.ts'])
      .filter((file) => !ofSqlite.includes(file))
    const stories =
      chosen.length === 0
        ? { counts: {}, violations: [], skippedIn: {} }
        : figuresOfTests(chosen, {}, { project: 'long stories on postgresql', skips: true })
    return Promise.resolve({
      counts: {
        'tests on PostgreSQL': countOf(onServer, 'tests'),
        'tests on PGlite': countOf(inProcess, 'tests'),
        'stories on PostgreSQL': countOf(stories, 'tests'),
        skipped: countOf(onServer, 'skipped') + countOf(inProcess, 'skipped') + countOf(stories, 'skipped'),
        ...skippedOf([onServer, inProcess, stories]),
      },
      violations: [...onServer.violations, ...inProcess.violations, ...stories.violations],
    })
  },
}
