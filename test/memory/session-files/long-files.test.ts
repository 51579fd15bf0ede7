import { describe, expect, it } from 'vitest'
import { parseBoard } from '../../../src/memory/session-files/board-file.ts'
import { parseProgress } from '../../../src/memory/session-files/progress-file.ts'
import { parseResult } from '../../../src/memory/session-files/result-file.ts'
import { ofDay } from '../../support/dose.ts'

const filled = (part: (at: number) => string): string => {
  const parts: string[] = []
  for (let length = 0, at = 1; length < 1_000_000; at++) length += parts[parts.push(part(at)) - 1]!.length
  return parts.join('')
}

// Some of these took a parser that is not linear minutes; the limit for a test is 30 s.
describe('a file of 1 MB is parsed in linear time', () => {
  it('with tasks', () => {
    const text = filled(
      (id) =>
        `\n### task-${id}\n- **Agent**: backend\n- **Title**: JWT\n- **Status**: pending\n- **Description**: foo\n- **Acceptance Criteria**:\n  - a\n  - b\n`,
    )
    expect(parseBoard(`## Session: session-20260130-142233\n${text}`, 'f').tasks.length).toBeGreaterThan(5000)
  })
  it('with turns', () =>
    expect(
      parseProgress(`# Progress: a\n${filled((turn) => `### Turn ${turn}\n- **Action**: b\n\n`)}`, 'f').turns.length,
    ).toBeGreaterThan(20_000))

  const parts = [
    '- a\n',
    '  - a\n',
    '- a\n  - b\n    - c\n',
    '* + ',
    '> ',
    '> a\n>> b\n',
    '[',
    '**',
    '`',
    '` `` ',
    '# ',
    '#',
    ' ',
    '\t',
    '\\',
    '<!--\n',
    '```\n~~~\n',
    '| a ',
    '|\n',
    '[a]: b\n',
    '(NOT DONE',
    '`a`, ',
    '-',
    '- ',
  ]
  for (const part of ofDay(parts, 4)) {
    it(`with only ${JSON.stringify(part)}`, () => {
      expect(parseResult(`# Result: a\n## Status: failed\n\n## Summary\n${filled(() => part)}x\n`, 'f').status).toBe(
        'failed',
      )
      expect(
        parseResult(`# Result: a\n## Status: failed\n\n## Acceptance Criteria\n- [ ] ${filled(() => part)}x\n`, 'f')
          .status,
      ).toBe('failed')
    })
  }
})
