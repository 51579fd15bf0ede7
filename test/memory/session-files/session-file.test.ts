import { describe, expect, it } from 'vitest'
import { parseSession, renderSession, type SessionFile } from '../../../src/memory/session-files/session-file.ts'
import { sessionExample } from './examples.ts'
import { problem } from '../problem.ts'

const refusal = (from: string, to: string): string =>
  problem(() => parseSession(sessionExample.replace(from, to), 'orchestrator-session.md'))
const running = sessionExample.replace('Status: completed', 'Status: running')

describe('a session file', () => {
  it('of the seed has agents, configuration and summary', () => {
    expect(parseSession(sessionExample, 'f')).toEqual({
      id: 'session-20260130-142233',
      startedAt: '2026-01-30T14:22:33Z',
      status: 'completed',
      agents: [
        { id: 'backend', cli: 'gemini', pid: 12345, status: 'running', task: 1 },
        { id: 'frontend', cli: 'gemini', pid: 12346, status: 'completed', task: 2 },
        { id: 'mobile', cli: 'claude', pid: 12347, status: 'running', task: 3 },
      ],
      configuration: { maxParallel: 3, maxRetries: 2, pollInterval: '30s' },
      summary: {
        totalTasks: 3,
        completed: 2,
        failed: 1,
        filesCreated: ['app/models/user.py', 'app/api/auth.py'],
        issues: ['PostgreSQL refused on 5432, twice'],
      },
      other: {},
    } satisfies SessionFile)
  })

  it('has no summary if it contains the placeholder of the template, and then writes none', () => {
    const text = running.replace(
      /- Total Tasks[\s\S]*$/,
      '- Total Tasks: X\n- Completed: X\n- Failed: X\n- Files Created: [list]\n- Issues: [list]\n',
    )
    const session = parseSession(text, 'f')
    expect(session.summary).toBeNull()
    expect(renderSession(session)).not.toContain('Summary')
  })

  it('may have its lists in one line', () => {
    const text = sessionExample.replace(/- Files Created[\s\S]*$/, '- Files Created: [a.ts, b.ts]\n- Issues: none\n')
    expect(parseSession(text, 'f').summary).toMatchObject({ filesCreated: ['a.ts', 'b.ts'], issues: [] })
  })

  it('keeps a pipe in a cell', () => {
    const session = parseSession(sessionExample, 'f')
    const agents = [{ id: 'a', cli: 'x|y \\| z\\', pid: null, status: '|', task: null }]
    expect(renderSession({ ...session, agents })).toContain('\n| a        | x\\|y \\\\| z\\ | -   | \\|     | -    |\n')
    expect(parseSession(renderSession({ ...session, agents }), 'f').agents).toEqual(agents)
  })

  it('keeps unknown lines', () => {
    const text = sessionExample
      .replace('- MAX_RETRIES: 2', '- MAX_RETRIES: 2\n- COLOUR: red')
      .replace('## Agents', 'Hello.\n\n## Agents')
    const session = parseSession(`${text}\n## More\nx\n`, 'f')
    expect(session.other).toEqual({ head: 'Hello.', configuration: '- COLOUR: red', end: '## More\nx' })
    expect(parseSession(renderSession(session), 'f')).toEqual(session)
  })
})

describe('a session file is refused, with its line, for', () => {
  const cases: readonly (readonly [what: string, from: string, to: string, sentence: string])[] = [
    ['no id', '## ID: session-20260130-142233\n', '', '1: the heading ## ID: is missing.'],
    [
      "the template's id",
      '20260130-142233',
      '{YYYYMMDD}-{HHMMSS}',
      "2: the session id is still the template's; write session-YYYYMMDD-HHMMSS.",
    ],
    [
      'an id of another form',
      'session-20260130-142233',
      '../x',
      "2: '../x' is not a session id; write session-YYYYMMDD-HHMMSS.",
    ],
    [
      'no time',
      '2026-01-30T14:22:33Z',
      '{ISO timestamp}',
      "3: '{ISO timestamp}' is not a time; write one such as 2026-01-30T14:22:33Z.",
    ],
    [
      "the template's states",
      'Status: completed',
      'Status: running | completed | failed | aborted',
      "4: the status still lists the template's choices; write running, completed, failed or aborted.",
    ],
    [
      'a second state',
      '## Agents',
      '## Status: failed\n\n## Agents',
      "6: there is a second heading 'Status: failed'; keep one.",
    ],
    [
      'another table',
      '| PID |',
      '| Process |',
      '7: the columns of the agent table are not Agent ID, CLI, PID, Status, Task.',
    ],
    [
      'an agent with a slash',
      '| backend  |',
      '| a/b |',
      "9: 'a/b' is not a valid agent id; use 1 to 50 letters, digits, '-' or '_', beginning with a letter or digit.",
    ],
    ['a pid in words', '12345', 'many', "9: 'many' is not a PID; write a whole number or -."],
    ['a task in words', 'task-1 |', 'first |', "9: 'first' is not a task; write task-1 or -."],
    [
      'a number in words',
      'MAX_PARALLEL: 3',
      'MAX_PARALLEL: few',
      "14: 'few' is not a valid MAX_PARALLEL; write a whole number.",
    ],
    [
      'an open fence',
      '## Agents',
      '~~~\n\n## Agents',
      '6: a code fence or comment begins here and is never closed; close it.',
    ],
  ]
  for (const [what, from, to, sentence] of cases)
    it(what, () => expect(refusal(from, to)).toBe(`orchestrator-session.md:${sentence}`))
})
