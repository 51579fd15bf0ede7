import { describe, expect, it } from 'vitest'
import {
  filledIn,
  parseProgress,
  type ReadProgress,
  renderProgress,
} from '../../../src/memory/session-files/progress-file.ts'
import { progressExample } from './examples.ts'
import { problem } from '../problem.ts'

const head = '# Progress: backend\n## Task: task-1\n## Agent ID: backend\n## Started: 2026-01-30T14:22:33Z\n\n'
const read = (text: string): ReadProgress => parseProgress(text, 'progress-backend.md')
const turns = (text: string): readonly string[] => read(text).turns.map(({ turn, action }) => `${turn} ${action}`)
const refusal = (text: string, file = 'progress-backend.md'): string => problem(() => parseProgress(text, file))

describe('a progress file', () => {
  it('of the seed has four turns, each with its line', () => {
    const { turns, ...file } = read(progressExample)
    expect(file).toEqual({ agent: 'backend', task: 1, startedAt: '{ISO timestamp}', unfinished: false, other: {} })
    expect(turns.map(({ turn, status, line }) => [turn, status, line])).toEqual([
      [1, 'in_progress', 6],
      [5, 'in_progress', 11],
      [12, 'in_progress', 17],
      [18, 'completed', 22],
    ])
    expect(turns[1]).toEqual({
      turn: 5,
      at: '{ISO timestamp}',
      action: 'Created user model and auth endpoints',
      status: 'in_progress',
      details: 'Implemented POST /api/auth/register and /api/auth/login',
      files: ['app/models/user.py', 'app/api/auth.py'],
      summary: null,
      other: {},
      line: 11,
    })
  })

  it('has no values where the placeholders of the template remain', () => {
    const { startedAt, turns } = filledIn(read(progressExample))
    expect([startedAt, ...turns.map(({ at }) => at)]).toEqual([null, null, null, null, null])
    expect(filledIn(read('# Progress: backend\n## Started: 2026-01-30T14:22:33Z\n')).startedAt).toBe(
      '2026-01-30T14:22:33Z',
    )
  })

  it('may use the formatting of models', () => {
    const text =
      '# Progress Log: **backend**\n## task: Task-3\n\n## TURN 2: now\n* Action: did it\n* **Files:**\n  - `a, b.ts`\n  - c.ts\n* **Details**:\n  - one\n  - two\n'
    const { task, turns } = read(text)
    expect(task).toBe(3)
    expect(turns).toMatchObject([
      { turn: 2, at: 'now', action: 'did it', files: ['a, b.ts', 'c.ts'], details: '- one\n- two' },
    ])
  })

  it('keeps both of two turns with the same number and different words, and one of two equal turns', () => {
    const turn = (action: string): string => `### Turn 5\n- **Action**: ${action}\n\n`
    expect(turns(head + turn('a') + turn('b') + turn('a'))).toEqual(['5 a', '5 b'])
  })

  it('belongs to the agent in its name if it names none', () =>
    expect(read('### Turn 1\n- Action: a\n')).toMatchObject({ agent: 'backend', task: null, startedAt: null }))

  it('keeps the title of its task and unknown lines', () => {
    const file = read(
      `${head}Hello.\n\n### Turn 1\n- **Action**: a\n- **Mood**: good\n\ntext\n\n## Task: task-1 - Login\n`,
    )
    expect(file).toMatchObject({
      task: 1,
      other: { head: 'Hello.', end: '## Task: task-1 - Login' },
      turns: [{ other: { end: '- **Mood**: good\n\ntext' } }],
    })
    expect(renderProgress(file)).toBe(
      `${head}Hello.\n\n### Turn 1\n- **Action**: a\n\n- **Mood**: good\n\ntext\n\n## Task: task-1 - Login\n`,
    )
  })
})

describe('the last turn of a progress file is left out', () => {
  const first = `${head}### Turn 1\n- **Action**: a\n\n`
  const cases = {
    'while it has no action': '### Turn 2 - now\n',
    'while it has all but its action': '### Turn 2\n- **Status**: in_progress\n',
    'while its last line has no end': '### Turn 2\n- **Action**: b',
    'while a code fence in it is open': '### Turn 2\n- **Action**: b\n\n```\n### Turn 3\n- **Action**: c\n',
  }
  for (const [when, text] of Object.entries(cases)) {
    it(when, () => expect(read(first + text)).toMatchObject({ unfinished: true, turns: [{ turn: 1 }] }))
  }
  it('but only the last one', () =>
    expect(turns(`${first}### Turn 2\n\n### Turn 3\n- **Action**: c\n`)).toEqual(['1 a', '2 ', '3 c']))
  it('and an incomplete task number is not read', () =>
    expect(read('# Progress: backend\n## Task: task-1')).toMatchObject({ task: null, unfinished: true }))
})

describe('a progress file is refused, with its line, for', () => {
  it('an agent with a slash', () =>
    expect(refusal('# Progress: ../x\n')).toBe(
      "progress-backend.md:1: '../x' is not a valid agent id; write # Progress: with the agent's id.",
    ))
  it('two agents', () =>
    expect(refusal('# Progress: a\n## Agent ID: b\n')).toBe(
      "progress-backend.md:2: a second heading 'Agent ID: b' contradicts the first.",
    ))
  it('two tasks', () =>
    expect(refusal(`${head}## Task: task-2\n`)).toBe(
      "progress-backend.md:6: a second heading 'Task: task-2' contradicts the first.",
    ))
  it('no agent in its text or its name', () =>
    expect(refusal('hello\n', 'notes.md')).toBe("notes.md:1: the heading # Progress: with the agent's id is missing."))
})
