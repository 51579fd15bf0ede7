import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { longFiles } from '../long-tests.ts'
import { postgresPrograms } from '../support/postgres.ts'
import type { Figures, Proof } from './proof.ts'

// Proofs that are tests, in a larger dose or on another engine, and the figures of their runs.

/** The daily test with many more kills. */
export const kills: Proof = {
  name: 'kills',
  shows:
    'Whatever agent, supervisor, command, MCP server in a call or integration in its merge is killed: nothing acknowledged is lost, nothing is done twice at once, main is only ever at verified merges, nothing stays locked, and all comes to an end.',
  run: async (share) => {
    const folder = mkdtempSync(join(tmpdir(), 'aiswarm-prove-'))
    try {
      const file = join(folder, 'killed.json')
      const { violations } = figuresOfTests(['test/stories/kill-loop.test.ts'], {
        KILLS: String(share.of(2000)),
        KILLS_FILE: file,
      })
      const killed = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>) : {}
      return { counts: { kills: Object.values(killed).reduce((sum, count) => sum + count, 0), ...killed }, violations }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

const root = resolve(import.meta.dirname, '../..')

/**
 * The import of files that run a part of themselves per day (`test/support/dose.ts`); the files of the matrix import
 * it through `matrix.ts`.
 */
const PART_OF_THE_DAY = /from '[./]+\/(?:support\/dose|matrix|safety\/views|views)\.ts'/

/** Suites that run a smaller dose in `npm test`. A part of the files per day, each completely. */
const suites = (): readonly string[] => [
  ...readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => join('test', path))
    // The proof `kills` runs it with many more kills.
    .filter((path) => path !== 'test/stories/kill-loop.test.ts')
    .filter((path) => PART_OF_THE_DAY.test(readFileSync(join(root, path), 'utf8')))
    .sort(),
  'test/effects/archive/archive-property.test.ts',
  'test/ui/truth.test.ts',
]

const everything = { EVERY: '1', RUNS: '40', TRUTH_STEPS: '200' }

export const every: Proof = {
  name: 'every',
  shows:
    'Every shape of a repository under every operation, a kill before every step of archive, restore and landing, and longer random histories.',
  run: (share) => {
    const files = share.some(suites())
    const { counts, violations } = figuresOfTests(files, everything)
    return Promise.resolve({ counts: { suites: files.length, ...counts }, violations })
  },
}

export const long: Proof = {
  name: 'long',
  shows:
    'The tests that `npm test` leaves out because they take most of its time: torture, matrices, hostile screens, and the longer stories.',
  run: (share) => {
    // All of `every` and `kills` includes the larger dose of some of them.
    const elsewhere = share.divisor === 1 ? [...suites(), 'test/stories/kill-loop.test.ts'] : []
    const files = share.some(longFiles().filter((file) => !elsewhere.includes(file)))
    const { counts, violations } = figuresOfTests(files)
    return Promise.resolve({ counts: { files: files.length, ...counts }, violations })
  },
}

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

export const clock: Proof = {
  name: 'clock',
  shows:
    'Five ways to set the wall clock, against leases, signs of life, silence, roles, questions, retries and writers that wait: none ends early, none lasts longer.',
  run: async () =>
    figuresOfTests(['test/operations/supervision/clock.test.ts', 'test/db/waiting.test.ts', 'test/db/leases.test.ts']),
}

const here = resolve(import.meta.dirname, '../..')

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

interface Run {
  /** The folder of the tree whose tests run; by default this one. */
  readonly root?: string
  /** Stops at the first test that fails. */
  readonly bail?: boolean
  /** vitest's projects; by default those of the files on SQLite, or on PostgreSQL for tests of a server. */
  readonly project?: string
  /** A skipped test is counted, and not a violation. */
  readonly skips?: boolean
}

/**
 * Runs test files and counts their tests; a failed or skipped test is a violation. `failures` are the failed ones
 * among those that ran. `environment` makes them run more than they do daily.
 */
export const figuresOfTests = (
  files: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  { root = here, bail = false, project = projectOf(files), skips = false }: Run = {},
): Figures & { readonly failures: readonly string[]; readonly skippedIn: Readonly<Record<string, number>> } => {
  const folder = mkdtempSync(join(tmpdir(), 'aiswarm-prove-'))
  try {
    const output = join(folder, 'report.json')
    const args = [
      'run',
      `--project=${project}`,
      ...files,
      ...(bail ? ['--bail=1'] : []),
      '--reporter=json',
      `--outputFile=${output}`,
    ]
    const { stderr } = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      maxBuffer: 1024 ** 3,
    })
    const report = readReport(output)
    if (report === undefined)
      return {
        counts: { tests: 0 },
        failures: [],
        skippedIn: {},
        violations: [`vitest gave no report: ${stderr.trim().split('\n').at(-1) ?? ''}`],
      }
    const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
    const broken = report.testResults
      .filter(({ assertionResults, message }) => assertionResults.length === 0 && message !== '')
      .map(({ message }) => message)
    const lineOf = ({ fullName, status, failureMessages }: (typeof tests)[number]): string =>
      `${fullName}: ${reasonIn(failureMessages[0]) ?? status}`
    const failures = tests.filter(({ status }) => status === 'failed').map(lineOf)
    const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed').map(lineOf)
    const skippedIn = Object.fromEntries(
      report.testResults.flatMap(({ name, assertionResults }) => {
        const count = assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed').length
        return count === 0 ? [] : [[relative(root, name), count]]
      }),
    )
    return {
      skippedIn,
      counts: { tests: tests.length, ...(skips ? { skipped: skipped.length } : {}) },
      failures,
      violations: [...broken, ...failures, ...(skips ? [] : skipped)],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The beginning and the end of a failure's message, without its stack: the expectation is at the end. */
const reasonIn = (message: string | undefined): string | undefined => {
  const lines = message?.split(/\n +at /)[0]!.split('\n')
  return lines === undefined || lines.length < 2
    ? lines?.[0]
    : `${lines[0]!} … ${lines.slice(1).join(' ').slice(-1000)}`
}

/** The operations once more on other engines are a proof of their own; tests of a server need its project. */
const projectOf = (files: readonly string[]): string =>
  files.length > 0 && files.every((file) => file.startsWith('test/postgres/')) ? 'long on postgresql' : '!* on *'

const readReport = (path: string): Report | undefined => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report
  } catch {
    return undefined
  }
}
