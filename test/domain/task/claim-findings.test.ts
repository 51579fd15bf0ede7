import { describe, expect, it } from 'vitest'
import { type ClaimedTask, claimsOf, type KnownFacts } from '../../../src/domain/task/claim-findings.ts'
import { processorTime } from '../../support/processor-time.ts'

const task = (more: Partial<ClaimedTask> = {}): ClaimedTask => ({
  id: 3,
  title: 'Login',
  status: 'completed',
  said: [],
  criteria: [],
  artifacts: [],
  missing: [],
  lastExit: 0,
  ...more,
})
const facts = (more: Partial<KnownFacts> = {}): KnownFacts => ({
  verification: { command: 'npm test', exitCode: 1 },
  paths: ['src/login.ts', 'test/login.test.ts'],
  uncommitted: [],
  ...more,
})
const saying = (text: string) => task({ said: [{ where: 'the result of task 3', text }] })
const found = (one: ClaimedTask, known = facts()) =>
  claimsOf([one], known).map(({ says, fact, agrees }) => [agrees, says, fact])

describe('the claim “tests pass”', () => {
  it('is compared with the result of the last run', () => {
    const says = 'the result of task 3 says “All tests pass.”'
    expect(found(saying('Did it. All tests pass.'))).toEqual([
      [false, says, 'the last run of npm test exited with code 1'],
    ])
    expect(found(saying('All tests pass.'), facts({ verification: { command: 'npm test', exitCode: 0 } }))).toEqual([
      [true, says, 'the last run of npm test exited with code 0'],
    ])
    expect(found(saying('All tests pass.'), facts({ verification: { command: 'npm test', exitCode: null } }))).toEqual([
      [false, says, 'the last run of npm test was killed by a signal'],
    ])
    expect(found(saying('All tests pass.'), facts({ verification: null }))).toEqual([
      [null, says, 'no verification ran'],
    ])
  })

  it('is recognized in many wordings', () => {
    for (const text of [
      'tests are green',
      'The test suite passes',
      '14/14 tests passed',
      '27 passing',
      'Checks passed successfully',
      'verification succeeded',
      'specs: ok',
    ])
      expect([text, found(saying(text)).length]).toEqual([text, 1])
  })

  it('is not recognized in a wish, a plan or a failure', () => {
    for (const text of [
      'Tests should pass after this',
      'the tests do not pass yet',
      '2 tests failed, 3 passed',
      'Run the tests until they pass',
      'pass the password to the service',
      'no tests pass',
    ])
      expect([text, found(saying(text)).length]).toEqual([text, 0])
  })
})

it('the claim of a clean build contradicts a failed run, and is not proven by a passed run', () => {
  expect(found(saying('The build passes'))).toMatchObject([
    [false, expect.anything(), 'the last run of npm test exited with code 1'],
  ])
  expect(found(saying('lint is clean'), facts({ verification: { command: 'npm test', exitCode: 0 } }))).toMatchObject([
    [null, expect.anything(), 'only npm test was run here'],
  ])
})

it('a completed task whose last process failed is reported', () => {
  expect(found(task({ lastExit: 2 }))).toEqual([[false, 'completed', 'its last process exited with code 2']])
  expect(found(task({ lastExit: null }))).toEqual([])
  expect(found(task({ status: 'failed', lastExit: 2 }))).toEqual([])
})

describe('an acceptance criterion', () => {
  it('about a test that passes is compared with the verification, not with the changed files', () => {
    const criteria = [{ text: 'node --test test/cart.test.js passes', met: true }]
    const says = 'criterion met: “node --test test/cart.test.js passes”'
    expect(found(task({ criteria }))).toEqual([[false, says, 'the last run of npm test exited with code 1']])
    expect(found(task({ criteria }), facts({ verification: null }))).toEqual([[null, says, 'no verification ran']])
  })

  it('is reported if it is met and names a file without a change', () => {
    const criteria = [{ text: 'docs/login.md explains it', met: true }]
    expect(found(task({ criteria }))).toEqual([
      [false, 'criterion met: “docs/login.md explains it”', 'docs/login.md is not changed'],
    ])
    expect(found(task({ criteria }), facts({ uncommitted: ['docs/login.md'] }))).toEqual([
      [
        false,
        'criterion met: “docs/login.md explains it”',
        'docs/login.md is not changed (its changes are uncommitted)',
      ],
    ])
    expect(found(task({ criteria: [{ text: 'login.ts handles upper case', met: true }] }))).toEqual([])
  })

  it('is reported if it is met and no file has changed', () => {
    expect(found(task({ criteria: [{ text: 'It is fast', met: true }] }), facts({ paths: [] }))).toEqual([
      [false, 'criterion met: “It is fast”', 'the merge changes no file'],
    ])
  })

  it('is reported if it is not met and its task is completed', () => {
    expect(found(task({ criteria: [{ text: 'It is fast', met: false }] }))).toEqual([
      [false, 'completed', 'a criterion is not met: “It is fast”'],
    ])
    expect(found(task({ status: 'in_progress', criteria: [{ text: 'It is fast', met: false }] }))).toEqual([])
  })
})

describe('a file', () => {
  it('is checked if the result names it as created', () => {
    expect(found(task({ artifacts: ['src/login.ts', 'src/other.ts', './test'] }))).toEqual([
      [false, 'it lists src/other.ts as an artifact', 'the merge does not change it'],
      [true, 'it lists src/login.ts as an artifact', 'the merge changes it'],
      [true, 'it lists ./test as an artifact', 'the merge changes it'],
    ])
  })

  it('is reported if the result names it as created and it did not exist', () => {
    expect(found(task({ missing: ['src/never.ts'] }))).toEqual([
      [false, 'it lists src/never.ts as an artifact', 'the file did not exist when the task ended'],
    ])
  })

  it('is checked if a sentence says that it has changed', () => {
    expect(
      found(
        saying(
          'Added `docs/login.md` and updated src/login.ts:12. See https://example.com/x.html and Node.js, e.g. version 2.0.1',
        ),
      ),
    ).toEqual([[false, expect.stringContaining('Added `docs/login.md`'), 'docs/login.md is not changed']])
    expect(found(saying('Look at docs/login.md'))).toEqual([])
  })
})

it('contradictions come first, and each occurs once', () => {
  const one = task({
    said: [
      { where: 'a note', text: 'All tests pass' },
      { where: 'a note', text: 'All tests pass' },
    ],
    artifacts: ['src/login.ts'],
  })
  expect(found(one).map(([agrees]) => agrees)).toEqual([false, true])
})

it('a text as long as a book is checked in less than a second', () => {
  const book = [
    saying('the tests '.repeat(200_000)),
    saying('a/'.repeat(200_000)),
    saying('passed passed '.repeat(100_000)),
  ]
  expect(processorTime(() => void claimsOf(book, facts()))).toBeLessThan(1000)
})
