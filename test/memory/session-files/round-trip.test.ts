import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBoard, renderBoard } from '../../../src/memory/session-files/board-file.ts'
import { isFormatError } from '../../../src/memory/format-error.ts'
import {
  parseProgress,
  type ProgressFile,
  type ReadProgress,
  renderProgress,
} from '../../../src/memory/session-files/progress-file.ts'
import { parseResult, renderResult } from '../../../src/memory/session-files/result-file.ts'
import { parseSession, renderSession } from '../../../src/memory/session-files/session-file.ts'
import { boardExample, failedExample, progressExample, resultExample, sessionExample } from './examples.ts'
import { board, mess, progress, result, session } from './values.ts'

const runs = { numRuns: 500 }

/** A progress file without the fields that only describe how it was read. */
const value = ({ unfinished: _, turns, ...file }: ReadProgress): ProgressFile => ({
  ...file,
  turns: turns.map(({ line: _line, ...turn }) => turn),
})
const readProgress = (text: string, file: string): ProgressFile => value(parseProgress(text, file))

describe('a written file reads back as the same values, whatever they contain:', () => {
  const keeps = <T>(
    values: fc.Arbitrary<T>,
    parse: (text: string, file: string) => T,
    render: (value: T) => string,
  ): void =>
    fc.assert(
      fc.property(values, (value) => {
        expect(parse(render(value), 'f')).toEqual(value)
      }),
      runs,
    )
  it('a board', () => keeps(board, parseBoard, renderBoard))
  it('a progress file', () => keeps(progress, readProgress, renderProgress))
  it('a result', () => keeps(result, parseResult, renderResult))
  it('a session', () => keeps(session, parseSession, renderSession))
})

/** The example with disorder in several places. */
const disturbed = (example: string): fc.Arbitrary<string> =>
  fc.array(fc.tuple(fc.nat({ max: example.split('\n').length }), mess), { maxLength: 4 }).map((added) => {
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

describe('a file by any writer reads the same after it is written back:', () => {
  const keeps = <T>(example: string, parse: (text: string, file: string) => T, render: (value: T) => string): void => {
    let accepted = 0
    fc.assert(
      fc.property(disturbed(example), (text) => {
        const once = whereAccepted(parse, text)
        if (once === undefined) return
        accepted++
        expect(parse(render(once), 'f')).toEqual(once)
      }),
      runs,
    )
    expect(accepted).toBeGreaterThan(50)
  }
  it('a board', () => keeps(boardExample, parseBoard, renderBoard))
  it('a progress file', () => keeps(progressExample, readProgress, renderProgress))
  it('a result', () => keeps(resultExample, parseResult, renderResult))
  it('a failed result', () => keeps(failedExample, parseResult, renderResult))
  it('a session', () => keeps(sessionExample, parseSession, renderSession))
})

describe('the examples of the seed are written back unchanged:', () => {
  it('the session', () => expect(renderSession(parseSession(sessionExample, 'f'))).toBe(sessionExample))
  it('the board', () => expect(renderBoard(parseBoard(boardExample, 'f'))).toBe(boardExample))
  it('the progress file', () => expect(renderProgress(parseProgress(progressExample, 'f'))).toBe(progressExample))
  it('the result', () => expect(renderResult(parseResult(resultExample, 'f'))).toBe(resultExample))
  it('the failed result', () => expect(renderResult(parseResult(failedExample, 'f'))).toBe(failedExample))
})
