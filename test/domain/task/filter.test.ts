import fc from 'fast-check'
import { expect, test } from 'vitest'
import { completionsOf, parseFilter } from '../../../src/domain/task/filter-parser.ts'
import { filterKeys, type Test } from '../../../src/domain/task/filter.ts'
import { filterText, type Looked, plainly } from '../../support/filters.ts'

const tests = (text: string): readonly (Test | readonly ['not', Test])[] => {
  const { terms, problem } = parseFilter(text)
  expect(problem).toBe(null)
  return terms.map(({ not, test }) => (not ? (['not', test] as const) : test))
}

test('a filter consists of words; quotes hold words together and a minus negates a term', () => {
  expect(tests('')).toEqual([])
  expect(tests('  login   form ')).toEqual([
    { kind: 'words', words: 'login' },
    { kind: 'words', words: 'form' },
  ])
  expect(tests('"login form" -draft')).toEqual([
    { kind: 'words', words: 'login form' },
    ['not', { kind: 'words', words: 'draft' }],
  ])
  expect(tests('-"say \\"so\\""')).toEqual([['not', { kind: 'words', words: 'say "so"' }]])
  expect(tests('"state:failed" - a-b a,b')).toEqual(
    ['state:failed', '-', 'a-b', 'a,b'].map((words) => ({ kind: 'words', words })),
  )
})

test('a filter has at most 50 terms, and a term at most 500 values', () => {
  const words = (n: number): string => Array.from({ length: n }, (_, at) => `a${at}`).join(' ')
  expect(tests(words(50))).toHaveLength(50)
  expect(parseFilter(words(60))).toEqual({ terms: [], problem: "'a50': a filter has at most 50 terms." })
  const ids = (n: number): string => `id:${Array.from({ length: n }, () => '1').join(',')}`
  expect(tests(ids(500))).toHaveLength(1)
  expect(parseFilter(ids(501)).problem).toContain('a term has at most 500 values.')
})

test('a filter accepts every key', () => {
  expect(tests('state:failed,Blocked')).toEqual([{ kind: 'state', states: ['failed', 'blocked'] }])
  expect(tests('state:working,Done')).toEqual([{ kind: 'state', states: ['in_progress', 'completed'] }])
  expect(tests('state:sleeps is:sleeping')).toEqual([
    { kind: 'state', states: ['sleeping'] },
    { kind: 'is', what: 'sleeping' },
  ])
  expect(tests('state:stalled,"over budget"')).toEqual([{ kind: 'state', states: ['stalled', 'over-budget'] }])
  expect(tests('persona:tester -agent:none worktree:"a b",w* session:"none"')).toEqual([
    { kind: 'name', key: 'persona', names: [{ name: 'tester', wild: false }] },
    ['not', { kind: 'name', key: 'agent', names: [null] }],
    {
      kind: 'name',
      key: 'worktree',
      names: [
        { name: 'a b', wild: false },
        { name: 'w*', wild: true },
      ],
    },
    { kind: 'name', key: 'session', names: [{ name: 'none', wild: false }] },
  ])
  expect(tests('id:3,10-20 id>7 priority>=50 attempt:2')).toEqual([
    {
      kind: 'id',
      ranges: [
        { from: 3, to: 3 },
        { from: 10, to: 20 },
      ],
    },
    { kind: 'number', key: 'id', compare: '>', value: 7 },
    { kind: 'number', key: 'priority', compare: '>=', value: 50 },
    { kind: 'number', key: 'attempt', compare: ':', value: 2 },
  ])
  expect(tests('age>10m time<=1.5h')).toEqual([
    { kind: 'span', key: 'age', compare: '>', ms: 600_000 },
    { kind: 'span', key: 'time', compare: '<=', ms: 5_400_000 },
  ])
  expect(tests('is:stalled blocked:no -blocked:no')).toEqual([
    { kind: 'is', what: 'stalled' },
    ['not', { kind: 'is', what: 'blocked' }],
    { kind: 'is', what: 'blocked' },
  ])
  for (const { example } of Object.values(filterKeys)) expect(parseFilter(example).problem).toBe(null)
})

test('an invalid filter term is named together with the expected one', () => {
  const problem = (text: string) => parseFilter(text).problem
  expect(problem('login state:faild')).toBe(
    "'state:faild': a state is one of pending, claimed, in_progress, completed, failed, cancelled, blocked, waiting, sleeping, stalled or over-budget.",
  )
  // As plain words it would match no task, which reads as if no task had failed.
  expect(problem('state=failed')).toBe(
    "'state=failed': '=' and '!=' are not operators; write state as in state:failed,blocked, and '-' in front negates it.",
  )
  expect(problem('priority!=3')).toContain("'=' and '!=' are not operators")
  expect([problem('a=b'), problem('"state=failed"')]).toEqual([null, null])
  expect(problem('state:')).toContain("'state:': a state is one of pending")
  expect(problem('colour:red')).toBe(
    "'colour:red': 'colour' is not a key. Use state, persona, agent, worktree, session, is, blocked, id, priority, attempt, age or time, or quotes to search for the text.",
  )
  expect(problem('constructor:x')).toContain("'constructor' is not a key")
  expect(problem('-age>ten')).toBe("'-age>ten': age takes > or < and a duration (s, m, h or d), as in age>10m.")
  expect(problem('age:10m')).toContain('age takes > or <')
  expect(problem('age>999999999999999d')).toContain('age takes')
  expect(problem('priority>=high')).toBe("'priority>=high': priority takes a whole number, as in priority>=50.")
  expect(problem('attempt>1,2')).toContain('attempt takes a whole number')
  expect(problem('persona>3')).toBe("'persona>3': persona takes ':' and a name, as in persona:tester.")
  expect(problem('agent:a,')).toContain("'agent:a,': agent takes ':' and a name")
  expect(problem('id:3-')).toBe("'id:3-': id takes task numbers, as in id:3,10-20.")
  expect(problem('is:tired')).toBe(
    "'is:tired': 'is' takes one of blocked, waiting, sleeping, stalled, over-budget, available, held or over.",
  )
  expect(problem('is:held,over')).toContain("'is' takes one word")
  expect(problem('blocked:maybe')).toBe("'blocked:maybe': blocked takes ':yes' or ':no'.")
  expect(problem('""')).toBe(`'""': the words to search for are missing.`)
})

test('any filter text is parsed without a crash, or refused in one line', () => {
  const typed = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'"\\-:,<>= *astend1m') }))
  fc.assert(
    fc.property(typed, (text) => {
      const { terms, problem } = parseFilter(text)
      if (problem === null) return
      expect(terms).toEqual([])
      expect(problem.endsWith('.')).toBe(true)
    }),
  )
})

test('filter terms are joined by and, and a minus gives the complement', () => {
  const task = fc.record<Looked>({
    id: fc.integer({ min: 1, max: 30 }),
    title: fc.constantFrom('Login form', '100% of it', 'a_b'),
    personaId: fc.constantFrom('implementer', 'tester'),
    status: fc.constantFrom('pending', 'claimed', 'in_progress', 'completed', 'failed', 'cancelled'),
    blockedBy: fc.constantFrom([], [1]),
    priority: fc.integer({ min: -2, max: 6 }),
    targetWorktree: fc.constantFrom(null, 'auth'),
    assignedAgentId: fc.constantFrom(null, 'smith'),
    attempt: fc.nat(3),
    sessionId: fc.constantFrom(null, 's1'),
    createdAt: fc.constant('2026-01-30T14:00:00.000Z'),
    changedAt: fc.constant('2026-01-30T14:10:00.000Z'),
    claimedAt: fc.constantFrom(null, '2026-01-30T14:05:00.000Z'),
    startedAt: fc.constant('2026-01-30T14:06:00.000Z'),
    completedAt: fc.constantFrom(null, '2026-01-30T14:09:00.000Z'),
    progressedAt: fc.constant(null),
    notBefore: fc.constantFrom(null, '2026-01-30T14:00:00.000Z', '2026-01-30T15:00:00.000Z'),
    unblockedAt: fc.constantFrom(null, '2026-01-30T14:10:00.000Z'),
    overBudget: fc.boolean(),
    sleep: fc.constantFrom(null, { kind: 'claude', until: '2026-01-30T15:00:00.000Z' }),
  })
  const now = '2026-01-30T14:10:30.000Z'
  const holds = (text: string, looked: Looked): boolean => plainly(parseFilter(text).terms, looked, now, 60_000)
  fc.assert(
    fc.property(filterText, filterText, task, (a, b, looked) => {
      expect(parseFilter(a).problem).toBe(null)
      expect(holds(`${a} ${b}`, looked)).toBe(holds(a, looked) && holds(b, looked))
      const [one] = parseFilter(a).terms
      if (one && !/\s/.test(a)) expect(holds(a.startsWith('-') ? a.slice(1) : `-${a}`, looked)).toBe(!holds(a, looked))
    }),
    { numRuns: 500 },
  )
})

test('tab completes keys, states and known names', () => {
  const known = { persona: ['tester', 'implementer'], worktree: ['user-auth', 'a b'], agent: ['tester-1'] }
  expect(completionsOf('', known)).toHaveLength(Object.keys(filterKeys).length)
  expect(completionsOf('login st', known)).toEqual(['login state:'])
  expect(completionsOf('-a', known)).toEqual(['-agent:', '-attempt>', '-age>'])
  expect(completionsOf('state:f', known)).toEqual(['state:failed'])
  expect(completionsOf('state:failed,c', known)).toEqual([
    'state:failed,claimed',
    'state:failed,completed',
    'state:failed,cancelled',
  ])
  expect(completionsOf('persona:', known)).toEqual(['persona:tester', 'persona:implementer'])
  expect(completionsOf('worktree:', known)).toEqual(['worktree:user-auth', 'worktree:"a b"', 'worktree:none'])
  expect(completionsOf('blocked:y', known)).toEqual(['blocked:yes'])
  expect(completionsOf('colour:', known)).toEqual([])
  expect(completionsOf('constructor:', known)).toEqual([])
  expect(completionsOf('state:failed', known)).toEqual([])
  expect(completionsOf('persona:"t', known)).toEqual([])
})

test('a completed filter is valid once its key has a value', () => {
  for (const start of ['state:', 'is:', 'persona:', 'worktree:', 'blocked:']) {
    for (const whole of completionsOf(start, { persona: ['a "b" \\', 'x'], worktree: ['*', 'a,b'] }))
      expect(parseFilter(whole).problem, whole).toBe(null)
  }
})
