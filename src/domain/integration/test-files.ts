import { someOf } from '../words/counts.ts'

// Files of tests and of CI: where a branch changes or deletes them, its own verification says less.

interface TestFiles {
  readonly what: string
  /** Globs of git (`**` matches any folders), in which upper and lower case are one. */
  readonly patterns: readonly string[]
}

/** Files that count as tests or as configuration of CI, unless `integration.tests` says otherwise. */
export const testFiles: readonly TestFiles[] = [
  {
    what: 'Folders of tests, with their snapshots and data',
    patterns: ['**/test/**', '**/tests/**', '**/__tests__/**', '**/spec/**', '**/__snapshots__/**', '**/testdata/**'],
  },
  {
    what: 'Files of tests by their names',
    patterns: [
      ...['**/*.test.*', '**/*.spec.*', '**/*_test.*', '**/*_spec.*', '**/test_*.py', '**/conftest.py'],
      ...['**/*Test.java', '**/*Tests.java', '**/*Test.kt', '**/*Tests.cs'],
    ],
  },
  {
    what: 'Settings of programs that run tests',
    patterns: [
      ...['**/vitest.config.*', '**/jest.config.*', '**/playwright.config.*', '**/karma.conf.*', '**/.mocharc*'],
      ...['**/pytest.ini', '**/tox.ini', '**/phpunit.xml*'],
    ],
  },
  {
    what: 'CI',
    patterns: [
      ...['.github/workflows/**', '.github/actions/**', '.gitlab-ci.yml', '.gitlab/ci/**', '.circleci/**', '.ci/**'],
      ...['.buildkite/**', '.travis.yml', 'azure-pipelines*.yml', 'Jenkinsfile', '.drone.yml', '.woodpecker/**'],
    ],
  },
]

/** The verification with the target's versions of the files of tests and CI that a branch changed or deleted. */
export interface TargetTests {
  readonly changed: number
  readonly deleted: number
  /** Their paths, at most 100. */
  readonly paths: readonly string[]
  /** Those of the paths that its output names, if it failed. */
  readonly named: readonly string[]
  /** Null if a signal ended it. */
  readonly exitCode: number | null
  readonly log: string
}

/** The most paths that a sentence names. */
const NAMED = 3

/** The fact for a person who reviews the branch, as a sentence. */
export const targetTestsWords = ({ changed, deleted, named, exitCode }: TargetTests): string => {
  const done = [...(changed > 0 ? [`changed ${changed}`] : []), ...(deleted > 0 ? [`deleted ${deleted}`] : [])]
  const files = changed + deleted === 1 ? 'file' : 'files'
  const head = `The branch ${done.join(' and ')} ${files} of tests and CI; with the target's versions the verification`
  if (exitCode === 0) return `${head} passes as well.`
  const failed = `${head} fails (${exitCode === null ? 'ended by a signal' : `exit code ${exitCode}`})`
  return named.length === 0 ? `${failed}.` : `${failed}; its output names ${someOf(named, NAMED)}.`
}
