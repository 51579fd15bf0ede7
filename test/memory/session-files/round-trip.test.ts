import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type BoardFile, boardStatuses, type BoardTask, parseBoard, renderBoard } from '../../../src/memory/session-files/board-file.ts'
import { isFormatError } from '../../../src/memory/session-files/format-error.ts'
import { parseProgress, type ProgressFile, renderProgress, type Turn } from '../../../src/memory/session-files/progress-file.ts'
import { parseResult, renderResult, type ResultFile } from '../../../src/memory/session-files/result-file.ts'
import { parseSession, renderSession, type SessionFile } from '../../../src/memory/session-files/session-file.ts'
import { boardExample, failedExample, progressExample, resultExample, sessionExample } from './examples.ts'

/** What markdown, or a careless parser, could take for structure. */
const hostile = [
  '# Result: b',
  '## Status: completed',
  '### task-9',
  '- **Agent**: evil',
  '- a',
  '* b',
  '1. c',
  '7) d',
  '---',
  '- - -',
  '===',
  '```',
  '~~~~',
  '<!--',
  '-->',
  '<script>',
  '> quote',
  '| a | b |',
  '|---|---|',
  '[a]: http://b',
  '**bold**',
  '_x_',
  '`code`',
  '\\',
  '\\-',
  '[x] done',
  '(NOT DONE)',
  '&amp;',
  '    code',
  '\t',
  '–',
  'ünïcode 認証',
  '‮bidi',
  'a: b',
  'None',
  'x',
  '  ',
]
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostile) },
  fc.string({ maxLength: 12 }).map((text) => text.replace(/[\0\r\n\u2028\u2029]/g, ' ')),
)
const line = fc
  .array(piece, { minLength: 1, maxLength: 4 })
  .map((pieces) => pieces.join(' ').trim())
  .filter((text) => text !== '')
const lines = fc
  .array(fc.oneof(piece, fc.constant('')), { minLength: 1, maxLength: 6 })
  .map((all) =>
    all
      .map((one) => one.trimEnd())
      .join('\n')
      .trim(),
  )
  .filter((text) => text !== '')
const word = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,10}$/)
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const number = fc.integer({ min: 1, max: 99_999 })
const path = fc.stringMatching(/^[a-z][a-z0-9/._`-]{0,20}[a-z0-9]$/)
const listed = fc.array(
  lines.filter((text) => !/^none\.?$/i.test(text)),
  { maxLength: 3 },
)

const task = (id: number): fc.Arbitrary<BoardTask> =>
  fc.record({
    id: fc.constant(id),
    agent: word,
    cli: optional(line),
    title: line,
    status: fc.constantFrom(...boardStatuses),
    tier: fc.integer({ min: 0, max: 20 }),
    dependencies: id === 1 ? fc.constant([]) : fc.uniqueArray(fc.integer({ min: 1, max: id - 1 }), { maxLength: 3 }),
    description: fc.oneof(lines, fc.constant('')),
    criteria: fc.array(lines, { maxLength: 3 }),
    other: fc.constant([]),
  })
const board: fc.Arbitrary<BoardFile> = fc.record({
  session: fc.constant('session-20260130-142233'),
  tasks: fc.integer({ min: 0, max: 4 }).chain((n) => fc.tuple(...Array.from({ length: n }, (_, at) => task(at + 1)))),
  other: fc.constant([]),
})
const turn: fc.Arbitrary<Turn> = fc.record({
  turn: number,
  at: optional(line.filter((text) => !text.includes('#') && !text.startsWith('='))),
  action: line,
  status: optional(lines),
  details: optional(lines),
  files: fc.array(
    path.filter((one) => !one.includes('`')),
    { maxLength: 3 },
  ),
  summary: optional(lines),
  other: fc.constant([]),
})
const progress: fc.Arbitrary<ProgressFile> = fc.record({
  agent: word,
  task: optional(number),
  startedAt: optional(fc.constant('2026-01-30T14:22:33.000Z')),
  turns: fc.array(turn, { maxLength: 4 }),
  unfinished: fc.constant(false),
  other: fc.constant([]),
})
const result: fc.Arbitrary<ResultFile> = fc.record({
  agent: word,
  task: optional(number),
  status: fc.constantFrom('completed', 'failed'),
  turnsUsed: optional(number),
  summary: fc.oneof(lines, fc.constant('')),
  files: fc.array(fc.record({ path, change: optional(fc.constantFrom('NEW', 'MODIFIED')), note: optional(lines) }), { maxLength: 3 }),
  criteria: fc.array(
    fc.oneof(
      fc.record({ text: lines, met: fc.constant(true), note: fc.constant(null) }),
      fc.record({ text: lines.filter((text) => !/\(not done\)$/i.test(text)), met: fc.constant(false), note: optional(fc.constant('NOT DONE')) }),
    ),
    { maxLength: 3 },
  ),
  issues: listed,
  notes: listed,
  other: fc.constant([]),
})
const session: fc.Arbitrary<SessionFile> = fc.record({
  id: fc.constant('session-20260130-142233'),
  startedAt: fc.constant('2026-01-30T14:22:33.000Z'),
  status: fc.constantFrom('running', 'completed', 'failed', 'aborted'),
  agents: fc.array(fc.record({ id: word, cli: line.filter((text) => !text.includes('\\')), pid: optional(number), status: word, task: optional(number) }), { maxLength: 4 }),
  configuration: fc.record({ maxParallel: optional(number), maxRetries: optional(number), pollInterval: optional(fc.constant('30s')) }),
  summary: optional(fc.record({ totalTasks: number, completed: number, failed: number, filesCreated: fc.array(line, { maxLength: 3 }), issues: fc.array(line, { maxLength: 3 }) })),
  other: fc.constant([]),
})

describe('whatever its values contain, a file that was written reads as the same values:', () => {
  const runs = { numRuns: 200 }
  it('a board', () =>
    fc.assert(
      fc.property(board, (value) => void expect(parseBoard(renderBoard(value), 'f')).toEqual(value)),
      runs,
    ))
  it('a progress file', () =>
    fc.assert(
      fc.property(progress, (value) => void expect(parseProgress(renderProgress(value), 'f')).toEqual(value)),
      runs,
    ))
  it('a result', () =>
    fc.assert(
      fc.property(result, (value) => void expect(parseResult(renderResult(value), 'f')).toEqual(value)),
      runs,
    ))
  it('a session', () =>
    fc.assert(
      fc.property(session, (value) => void expect(parseSession(renderSession(value), 'f')).toEqual(value)),
      runs,
    ))
})

/** The example with lines put in anywhere. */
const disturbed = (example: string): fc.Arbitrary<string> =>
  fc.array(fc.tuple(fc.nat({ max: example.split('\n').length }), fc.oneof(piece, line, fc.constant(''))), { maxLength: 5 }).map((added) => {
    const all = example.split('\n')
    for (const [at, text] of added) all.splice(at, 0, text)
    return all.join('\n')
  })

const whereAccepted = <T>(parse: (text: string, file: string) => T, text: string): T | undefined => {
  try {
    return parse(text, 'f')
  } catch (error) {
    if (!isFormatError(error)) throw error
    return undefined
  }
}

describe('a file that anybody wrote keeps its meaning and its unknown lines when it is written again:', () => {
  const runs = { numRuns: 200 }
  const keeps = <T>(example: string, parse: (text: string, file: string) => T, render: (value: T) => string) =>
    fc.assert(
      fc.property(disturbed(example), (text) => {
        const value = whereAccepted(parse, text)
        if (value !== undefined) expect(parse(render(value), 'f')).toEqual(value)
      }),
      runs,
    )
  it('a board', () => keeps(boardExample.replace('pending | in_progress | completed | failed | blocked', 'pending'), parseBoard, renderBoard))
  it('a progress file', () => keeps(progressExample, (text, file) => ({ ...parseProgress(text, file), unfinished: false }), renderProgress))
  it('a result', () => keeps(resultExample, parseResult, renderResult))
  it('a failed result', () => keeps(failedExample, parseResult, renderResult))
  it('a session', () =>
    keeps(sessionExample.replace('running | completed | failed | aborted', 'running').replace('{YYYYMMDD}-{HHMMSS}', '20260130-142233'), parseSession, renderSession))
})

describe('the examples of the seed are written as they stand:', () => {
  test('the board', () => {
    const text = boardExample.replace('pending | in_progress | completed | failed | blocked', 'pending').replace('{YYYYMMDD}-{HHMMSS}', '20260130-142233')
    expect(renderBoard(parseBoard(text, 'f'))).toBe(text)
  })
  test('the progress file', () => expect(renderProgress(parseProgress(progressExample, 'f'))).toBe(progressExample))
  test.each([resultExample, failedExample])('a result', (text) => expect(renderResult(parseResult(text, 'f')).replace(/\n{2,}/g, '\n')).toBe(text.replace(/\n{2,}/g, '\n')))
})
