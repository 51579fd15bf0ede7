import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import type { Figures } from './proof.ts'

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
