import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import XMLBuilder from 'fast-xml-builder'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Result } from '../../operations/sessions/results.ts'
import { replaceFile } from '../files/replace-file.ts'

/** Refuses a path that cannot be written, before any task runs. */
export const refuseUnwritable = (path: string): void => {
  const there = statSync(path, { throwIfNoEntry: false })
  // A device or a pipe would be replaced by the file.
  if (there !== undefined && !there.isFile())
    throw new Refusal('not_writable', `${path} is not a regular file, so no report can be written to it; name another.`)
  const folder = dirname(path)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Refusal('not_writable', `There is no folder ${folder} for the report; create it first.`)
  try {
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new Refusal('not_writable', `The report cannot be written in ${folder}; check its permissions.`, {
      cause: error,
    })
  }
}

/** Writes the report atomically: a reader finds the previous one or this one. */
export const writeReport = (path: string, run: Run): void => {
  try {
    replaceFile(path, junitText(run))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Refusal('not_writable', `The report could not be written to ${path} (${code ?? message}).`, {
      cause: error,
    })
  }
}

interface Run {
  /** The name of the session. */
  readonly name: string
  readonly startedAt: string
  readonly results: readonly Result[]
  /** Why the tasks are not known at the end, which is an error of the run. */
  readonly unknown?: string
}

/** JUnit XML as CI systems read it: one test suite for the run, one test case per task. */
export const junitText = ({ name, startedAt, results, unknown }: Run): string => {
  const problems = unknown === undefined ? [] : [errorCase(unknown)]
  const figures = {
    '@tests': results.length + problems.length,
    '@failures': results.filter((result) => result.error !== null).length,
    '@errors': problems.length,
    '@skipped': results.filter((result) => result.without !== null).length,
    '@time': seconds(results.reduce((sum, result) => sum + result.seconds, 0)),
  }
  const titles = countTitles(results)
  const testcase = [...results.map((result) => testCase(result, (titles.get(result.title) ?? 0) > 1)), ...problems]
  const suite = { '@name': inline(name), '@timestamp': startedAt, ...figures, testcase }
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: { '@name': 'aiswarm', ...figures, testsuite: suite },
  })
}

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  format: true,
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
})

/**
 * CI systems follow a test by its class and name, so the name contains a number only if the title alone is ambiguous.
 */
const testCase = (result: Result, ambiguous: boolean): object => ({
  '@classname': inline(result.personaId),
  '@name': ambiguous ? `${inline(result.title)} (task ${result.id})` : inline(result.title),
  '@time': seconds(result.seconds),
  ...(result.error === null
    ? {}
    : {
        failure: {
          '@message': inline(result.error.trimStart().split('\n')[0]!),
          '@type': 'failed',
          '#text': block(result.error),
        },
      }),
  ...(result.without === null ? {} : { skipped: { '@message': inline(result.without) } }),
  ...(result.notes.length === 0
    ? {}
    : {
        'system-out': {
          '#text': block(
            result.notes
              .map(({ loggedAt, level, agentId, message }) => `${loggedAt} ${level} ${agentId}: ${message}`)
              .join('\n'),
          ),
        },
      }),
})

const errorCase = (why: string): object => ({
  '@classname': 'aiswarm',
  '@name': 'the board at the end of the run',
  '@time': seconds(0),
  error: { '@message': inline(why), '@type': 'unknown' },
})

const countTitles = (results: readonly Result[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { title } of results) counts.set(title, (counts.get(title) ?? 0) + 1)
  return counts
}

const seconds = (n: number): string => n.toFixed(3)

/** The most characters of one text of an agent in a report. */
const LONGEST = 32_768

/** XML 1.0 cannot represent most control characters, lone surrogates and two code points, escaped or not. */
const block = (text: string): string =>
  stripVTControlCharacters(text)
    .slice(0, LONGEST)
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')

/** For attributes, which do not preserve line breaks. */
const inline = (text: string): string => block(text).replace(/\s+/g, ' ').trim().slice(0, 1000).toWellFormed()
