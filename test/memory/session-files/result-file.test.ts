import { describe, expect, it } from 'vitest'
import { parseResult, renderResult, type ResultFile } from '../../../src/memory/session-files/result-file.ts'
import { failedExample, resultExample } from './examples.ts'
import { problem } from '../problem.ts'

const read = (text: string): ResultFile => parseResult(text, 'result-backend.md')
const refusal = (text: string, file = 'result-backend.md'): string => problem(() => parseResult(text, file))
const completed = (more: string): ResultFile => read(`# Result: backend\n## Status: completed\n${more}`)

describe('a result file', () => {
  it('of the seed is completed, with files and criteria', () => {
    const { files, criteria, summary, ...rest } = read(resultExample)
    expect(rest).toEqual({
      agent: 'backend',
      task: 1,
      status: 'completed',
      turnsUsed: 18,
      issues: [],
      notes: [
        'Access token expiry: 15 minutes',
        'Refresh token expiry: 7 days',
        'Rate limit: 5 requests/minute on login endpoint',
      ],
      other: {},
    })
    expect(summary).toBe(
      'Implemented JWT authentication API with user registration, login,\npassword hashing (bcrypt), and rate limiting.',
    )
    expect(files).toHaveLength(5)
    expect(files[0]).toEqual({ path: 'app/models/user.py', change: 'NEW', note: 'User model with password hashing' })
    expect(criteria.every(({ met, note }) => met && note === null)).toBe(true)
  })

  it('of the seed that failed keeps the unfinished work', () => {
    const { status, criteria, issues } = read(failedExample)
    expect(status).toBe('failed')
    expect(criteria.at(-1)).toEqual({ text: 'Rate limiting on auth endpoints', met: false, note: 'NOT DONE' })
    expect(issues).toHaveLength(3)
  })

  it('may use the formatting of models', () => {
    const text =
      'Here you go:\n\n# RESULT: `backend`\n## STATUS: **Completed**\n## Files Created / Modified:\n### New\n* src/a.ts (NEW): makes it\n* **`b c.ts`** – also\n* Makefile\n* rewrote the login\n\n## Acceptance criteria\n* [X] one\n* [x] two (not done)\n* three\n\n## Issues\nNone\n\n## Next steps\n- rest\n'
    expect(read(text)).toMatchObject({
      files: [
        { path: 'src/a.ts', change: 'NEW', note: 'makes it' },
        { path: 'b c.ts', change: null, note: 'also' },
        { path: 'Makefile', change: null, note: null },
      ],
      criteria: [
        { text: 'one', met: true, note: null },
        { text: 'two', met: false, note: 'not done' },
      ],
      issues: [],
      other: {
        head: 'Here you go:',
        files: '### New\n\n* rewrote the login',
        criteria: '* three',
        end: '## Next steps\n- rest',
      },
    })
  })

  it('is parsed despite an open code fence', () =>
    expect(completed('\n## Notes\n- a\n\n```\n## Status: failed\n')).toMatchObject({
      status: 'completed',
      notes: ['a'],
    }))

  it('belongs to the agent in its name if it names none', () =>
    expect(read('## Status: failed\n')).toMatchObject({ agent: 'backend', task: null }))

  it('keeps notes of several lines', () =>
    expect(completed('## Notes\n- a\n  - b\n\n  c\n').notes).toEqual(['a\n- b\n\nc']))

  it('has a summary in which no line is parsed as a heading', () => {
    const value: ResultFile = { ...completed(''), summary: 'a\n## Status: failed\n# Result: evil\n\\## x\n### ok' }
    expect(renderResult(value)).toContain('## Summary\na\n\\## Status: failed\n\\# Result: evil\n\\\\## x\n### ok\n')
    expect(read(renderResult(value))).toEqual(value)
  })

  it('closes a fence that its summary left open', () => {
    expect(read(renderResult({ ...completed(''), summary: '~~~~\nx', notes: ['n'] }))).toMatchObject({
      summary: '~~~~\nx\n~~~~',
      notes: ['n'],
    })
  })
})

describe('a result has only the status of its heading:', () => {
  const missing = 'result-backend.md:1: the heading ## Status: is missing; write it with completed or failed.'
  const cases: readonly (readonly [what: string, text: string, sentence: string])[] = [
    ['a bullet is none', '# Result: backend\n- Status: failed\n- **Status**: completed\n', missing],
    ['a deeper heading is none', '# Result: backend\n### Status: completed\n', missing],
    ['a heading in a block of code is none', '```\n## Status: completed\n```\n', missing],
    ['a heading in a quotation is none', '> ## Status: completed\n', missing],
    ['a heading below a bullet is none', '- a\n  ## Status: completed\n', missing],
    ['an underlined line is none', 'Status: completed\n---\n', missing],
    [
      'a line below the heading is none',
      '# Result: backend\n## Status\ncompleted\n',
      'result-backend.md:2: the status is missing; write completed or failed.',
    ],
    [
      'half a word is none',
      '## Status: complet',
      "result-backend.md:1: 'complet' is not a status; write completed or failed.",
    ],
    [
      'more than a word is none',
      '## Status: not completed\n',
      "result-backend.md:1: 'not completed' is not a status; write completed or failed.",
    ],
    [
      'the template is none',
      '## Status: completed | failed\n',
      "result-backend.md:1: the status still lists the template's choices; write completed or failed.",
    ],
    [
      'two are none',
      '## Status: completed\n## Status: failed\n',
      "result-backend.md:2: a second heading 'Status: failed' contradicts the first.",
    ],
  ]
  for (const [what, text, sentence] of cases) it(what, () => expect(refusal(text)).toBe(sentence))
  it('the same status twice counts once', () =>
    expect(read('## Status: failed\n\n## Status: failed\n').status).toBe('failed'))
})

describe('a result file is refused for', () => {
  it('an agent with a slash', () =>
    expect(refusal('# Result: a/b\n## Status: failed\n')).toBe(
      "result-backend.md:1: 'a/b' is not a valid agent id; write # Result: with the agent's id.",
    ))
  it('two tasks', () =>
    expect(refusal('## Status: failed\n## Task: task-1\n## Task: task-2\n')).toBe(
      "result-backend.md:3: a second heading 'Task: task-2' contradicts the first.",
    ))
})
