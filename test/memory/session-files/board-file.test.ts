import { describe, expect, it } from 'vitest'
import { type BoardTask, parseBoard, renderBoard } from '../../../src/memory/session-files/board-file.ts'
import { boardExample } from './examples.ts'
import { problem } from '../problem.ts'

const head = '# Task Board\n## Session: session-20260130-142233\n'
const task = (id: number, ...bullets: readonly string[]): string =>
  `\n### task-${id}\n- **Agent**: backend\n- **Title**: A title\n${bullets.map((one) => `${one}\n`).join('')}`
const only = (...bullets: readonly string[]): BoardTask =>
  parseBoard(head + task(1, ...bullets), 'task-board.md').tasks[0]!
const refusal = (text: string): string => problem(() => parseBoard(text, 'task-board.md'))

const bare: BoardTask = {
  id: 1,
  agent: 'backend',
  cli: null,
  title: 'A title',
  status: 'pending',
  tier: 1,
  dependencies: [],
  description: '',
  criteria: [],
  other: {},
}

describe('a board', () => {
  it('of the seed has three tasks', () => {
    const { session, tasks, other } = parseBoard(boardExample, 'task-board.md')
    expect([session, other]).toEqual(['session-20260130-142233', {}])
    expect(tasks.map(({ id, agent, status, tier, dependencies }) => [id, agent, status, tier, dependencies])).toEqual([
      [1, 'backend', 'pending', 1, []],
      [2, 'frontend', 'pending', 1, []],
      [3, 'qa', 'blocked', 2, [1, 2]],
    ])
    expect(tasks[1]).toEqual({
      ...bare,
      id: 2,
      agent: 'frontend',
      cli: 'gemini',
      title: 'Login and registration UI',
      description: 'Build login and registration forms with validation',
      criteria: [
        'Login form with email + password',
        'Registration form with validation',
        'Error handling for failed auth',
        'JWT token storage and auto-refresh',
      ],
    })
  })

  it('requires only an agent and a title for a task', () => expect(only()).toEqual(bare))

  it('may use the formatting of models', () => {
    const text = `# TASK BOARD\n\n\n## session: \`session-20260130-142233\`\n\n## Task 7: Build it\n* **Agent:** \`backend\`\n* Status: In Progress\n* **Dependencies:** None\n* **Acceptance Criteria:**\n\n    * [ ] one\n    * two\n      wrapped\n`
    expect(parseBoard(text, 'f').tasks).toEqual([
      { ...bare, id: 7, title: 'Build it', status: 'in_progress', criteria: ['one', 'two wrapped'] },
    ])
  })

  it('keeps the words of its author unchanged', () => {
    expect(only('- **Description**: **bold** a_b <script> &amp; `x`\\*')).toMatchObject({
      description: '**bold** a_b <script> &amp; `x`\\*',
    })
  })

  it('keeps unknown lines in their place', () => {
    const text = `${head}\nFor the review.\n${task(1, '- **Reviewer**: bob', '', '#### Hints', '- **Status**: failed')}\n## Later\nmore\n${task(2)}`
    const board = parseBoard(text, 'f')
    expect(board.other).toEqual({ head: 'For the review.', end: '## Later\nmore' })
    expect(board.tasks[0]).toMatchObject({
      status: 'pending',
      other: { end: '- **Reviewer**: bob\n\n#### Hints\n- **Status**: failed' },
    })
    expect(parseBoard(renderBoard(board), 'f')).toEqual(board)
  })
})

describe('a board is refused, with its line, for', () => {
  const cases: readonly (readonly [what: string, text: string, sentence: string])[] = [
    ['no session', '# Task Board\n', 'task-board.md:1: the heading ## Session: session-YYYYMMDD-HHMMSS is missing.'],
    [
      "the template's session",
      '# Task Board\n## Session: session-{YYYYMMDD}-{HHMMSS}\n',
      'task-board.md:2: the session id is still that of the template; write session-YYYYMMDD-HHMMSS.',
    ],
    [
      'two sessions',
      `${head}## Session: session-20260130-142233\n`,
      'task-board.md:3: there is a second heading ## Session; keep one.',
    ],
    ['the same task twice', head + task(1) + task(1), 'task-board.md:8: task-1 is listed twice.'],
    ['a task without agent', `${head}### task-1\n- **Title**: x\n`, 'task-board.md:3: task-1 has no Agent.'],
    ['a task without title', `${head}### task-1\n- **Agent**: x\n`, 'task-board.md:3: task-1 has no Title.'],
    [
      'an agent with a slash',
      `${head}### task-1\n- **Agent**: ../x\n- **Title**: x\n`,
      "task-board.md:4: '../x' is not a valid agent id; use 1 to 50 letters, digits, '-' or '_', beginning with a letter or digit.",
    ],
    [
      'an unknown dependency',
      head + task(1, '- **Dependencies**: task-9'),
      'task-board.md:7: task-1 depends on task-9, which does not exist.',
    ],
    [
      'a dependency on itself',
      head + task(1, '- **Dependencies**: task-1'),
      'task-board.md:7: task-1 depends on itself.',
    ],
    [
      'words for a dependency',
      head + task(1, '- **Dependencies**: the first'),
      "task-board.md:7: 'the first' is not a dependency; write none, or task-1, task-2.",
    ],
    [
      "the template's states",
      head + task(1, '- **Status**: pending | in_progress | completed | failed | blocked'),
      "task-board.md:7: the status still lists the template's choices; write pending, in_progress, completed, failed or blocked.",
    ],
    [
      'another state',
      head + task(1, '- **Status**: done'),
      "task-board.md:7: 'done' is not a status; write pending, in_progress, completed, failed or blocked.",
    ],
    [
      'two states',
      head + task(1, '- **Status**: pending', '- **Status**: failed'),
      "task-board.md:8: there is a second '**Status**: failed' in this task; keep one.",
    ],
    [
      'a priority in words',
      head + task(1, '- **Priority**: high'),
      "task-board.md:7: 'high' is not a priority; write a whole number, 1 for what starts first.",
    ],
    ['a task without number', `${head}### task-x\n`, "task-board.md:3: 'task-x' is not a task; write task-1."],
    [
      'an open fence, which would hide tasks',
      `${head + task(1)}\`\`\`\n${task(2)}`,
      'task-board.md:7: a code fence or comment begins here and is never closed; close it.',
    ],
    [
      'an open comment',
      `${head}<!-- later\n${task(2)}`,
      'task-board.md:3: a code fence or comment begins here and is never closed; close it.',
    ],
  ]
  for (const [what, text, sentence] of cases) it(what, () => expect(refusal(text)).toBe(sentence))
})

describe('no part of a value is parsed as structure:', () => {
  const evil = 'x\n## Status: completed\n- **Agent**: evil\n\n### task-9\n```\n<!--\n## Session: y'
  it('a description of several lines is indented', () => {
    const text = renderBoard({
      session: 'session-20260130-142233',
      tasks: [{ ...bare, description: evil, criteria: ['```', '--'] }],
      other: {},
    })
    expect(text).toContain(
      '- **Description**: x\n  ## Status: completed\n  - **Agent**: evil\n\n  ### task-9\n  ```\n  <!--\n  ## Session: y\n- **Acceptance Criteria**:\n  - ```\n  - \\--\n',
    )
    expect(parseBoard(text, 'f').tasks).toEqual([{ ...bare, description: evil, criteria: ['```', '--'] }])
  })
  it('titles and criteria become one line', () => {
    const text = renderBoard({
      session: 'session-20260130-142233',
      tasks: [{ ...bare, title: evil, criteria: [evil] }],
      other: {},
    })
    const line = 'x ## Status: completed - **Agent**: evil ### task-9 ``` <!-- ## Session: y'
    expect(parseBoard(text, 'f').tasks).toEqual([{ ...bare, title: line, criteria: [line] }])
  })
})
