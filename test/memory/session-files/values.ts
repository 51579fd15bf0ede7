import fc from 'fast-check'
import { type BoardFile, boardStatuses, type BoardTask } from '../../../src/memory/session-files/board-file.ts'
import type { ProgressFile, Turn } from '../../../src/memory/session-files/progress-file.ts'
import { proseOf, type ResultFile } from '../../../src/memory/session-files/result-file.ts'
import type { SessionFile } from '../../../src/memory/session-files/session-file.ts'
import { isNone, manyLines, oneLine } from '../../../src/memory/session-files/values.ts'

// Hostile values in their normal form: one line, or lines without blanks around them.

/** Text that markdown or a careless parser could take for structure. */
export const hostile = [
  ...[
    '# Result: b',
    '## Status: completed',
    '## Session: x',
    '### task-9',
    '### Turn 3',
    '- **Agent**: evil',
    '- a',
    '* b',
    '+',
    '1. c',
    '7) d',
    '> quote',
    '>>>>>>> branch',
  ],
  ...[
    '---',
    '- - -',
    '--',
    '===',
    '```',
    '~~~~',
    '``',
    '`',
    '<!--',
    '-->',
    '<script>',
    '<div>',
    '<?',
    '<![CDATA[',
    '| a | b |',
    '|---|---|',
    '[a]: http://b',
    '    code',
    '\t',
    '  ',
  ],
  ...[
    '**bold**',
    '**Key**:',
    '_x_',
    'a_b',
    '`code`',
    '\\',
    '\\-',
    '\\## x',
    '\\|',
    '[x] done',
    '[ ]',
    '(NOT DONE)',
    '(NEW) - x',
    '&amp;',
    '–',
    ':',
    ',',
    '#',
    '##',
    'None',
    'none',
    'x',
  ],
  ...[
    'ünïcode 認証',
    '\u202ebidi',
    '\u2028',
    '\u00a0',
    '\u0085',
    '\ufeff',
    '🦀',
    '\u001b[2J',
    '>'.repeat(300),
    '* + '.repeat(50),
  ],
]

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostile) },
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\0', ' ')),
)
const glued = (most: number) =>
  fc
    .array(piece, { minLength: 1, maxLength: most })
    .chain((pieces) => fc.constantFrom(pieces.join(' '), pieces.join('')))
export const line = glued(4)
  .map(oneLine)
  .filter((text) => text !== '' && !isNone(text))
export const lines = fc
  .array(fc.oneof(glued(2), fc.constant('')), { minLength: 1, maxLength: 6 })
  .map((all) => manyLines(all.join('\n')))
  .filter((text) => text !== '' && !isNone(text))

const agent = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,10}$/)
const number = fc.integer({ min: 1, max: 99_999 })
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const several = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { maxLength: 3 })
const nothing = fc.constant({})

const task = (id: number): fc.Arbitrary<BoardTask> =>
  fc.record(
    {
      id: fc.constant(id),
      agent,
      cli: optional(line),
      title: line,
      status: fc.constantFrom(...boardStatuses),
      tier: fc.integer({ min: 0, max: 20 }),
      dependencies: id === 1 ? fc.constant([]) : fc.uniqueArray(fc.integer({ min: 1, max: id - 1 }), { maxLength: 3 }),
      description: fc.oneof(lines, fc.constant('')),
      criteria: several(line),
      reason: line,
      other: nothing,
    },
    {
      requiredKeys: [
        'id',
        'agent',
        'cli',
        'title',
        'status',
        'tier',
        'dependencies',
        'description',
        'criteria',
        'other',
      ],
    },
  )

export const board: fc.Arbitrary<BoardFile> = fc.record({
  session: fc.constant('session-20260130-142233'),
  tasks: fc.integer({ min: 0, max: 4 }).chain((n) => fc.tuple(...Array.from({ length: n }, (_, at) => task(at + 1)))),
  other: nothing,
})

const turn: fc.Arbitrary<Turn> = fc.record({
  turn: number,
  at: optional(line),
  action: line,
  status: optional(line),
  details: optional(lines),
  files: several(line),
  summary: optional(lines),
  other: nothing,
})

export const progress: fc.Arbitrary<ProgressFile> = fc.record({
  agent,
  task: optional(number),
  startedAt: optional(line),
  turns: fc.uniqueArray(turn, { maxLength: 4, selector: (one) => JSON.stringify(one) }),
  other: nothing,
})

const path = fc.record({
  path: line,
  change: optional(line.map((text) => oneLine(text.replace(/[()]/g, ' '))).filter((text) => text !== '')),
  note: optional(lines),
})

const criterion = fc.oneof(
  fc.record({
    text: line.filter((text) => !/\(not done[^()]*\)$/i.test(text)),
    met: fc.boolean(),
    note: fc.constant(null),
  }),
  fc.record({ text: line, met: fc.constant(false), note: fc.constantFrom('NOT DONE', 'NOT DONE: no turns left') }),
)

export const result: fc.Arbitrary<ResultFile> = fc.record({
  agent,
  task: optional(number),
  status: fc.constantFrom('completed', 'failed'),
  turnsUsed: optional(number),
  summary: fc.oneof(lines, fc.constant('')).map(proseOf),
  files: several(path),
  criteria: several(criterion),
  issues: several(lines),
  notes: several(lines),
  other: nothing,
})

export const session: fc.Arbitrary<SessionFile> = fc.record({
  id: fc.constant('session-20260130-142233'),
  startedAt: fc.constant('2026-01-30T14:22:33.000Z'),
  status: fc.constantFrom('running', 'completed', 'failed', 'aborted'),
  agents: several(fc.record({ id: agent, cli: line, pid: optional(number), status: line, task: optional(number) })),
  configuration: fc.record({
    maxParallel: optional(number),
    maxRetries: optional(number),
    pollInterval: optional(line),
  }),
  summary: optional(
    fc.record({
      totalTasks: number,
      completed: number,
      failed: number,
      filesCreated: several(line),
      issues: several(line),
    }),
  ),
  other: nothing,
})

/** Lines of hostile pieces, indented or not, for any place in a file. */
export const mess: fc.Arbitrary<string> = fc
  .array(
    glued(3).chain((text) =>
      fc.constantFrom('', ` ${text}`, text, text, `  ${text}`, `   ${text}`, `    ${text}`, `- ${text}`, `\t${text}`),
    ),
    { maxLength: 8 },
  )
  .map((all) => all.join('\n'))
