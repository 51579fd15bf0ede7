import fc from 'fast-check'
import { filterStates, standings } from '../../src/domain/task/filter.ts'

// Filters as people type them, most of them about names on a board of `somewhat`.

export const personas = ['implementer', 'tester', 'planner'] as const
export const worktrees = ['auth', 'w_x', 'a-b'] as const
export const agents = ['smith', 'jones-1', 'X_1'] as const
export const titles = [
  'Login form',
  '100% of it',
  'say "so"',
  'back\\slash',
  'Ünder',
  'a_b',
  'state:failed',
  '',
] as const

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

const names = (known: readonly string[]) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...known).map(quoted),
        fc.constantFrom(...known).map((name) => `${name.slice(0, 2).replace(/[\s"]/g, '')}*`),
        fc.constantFrom('none', '*', '[a-z]*', '?*', '*_*'),
      ),
      {
        minLength: 1,
        maxLength: 2,
      },
    )
    .map((list) => list.join(','))

const compare = fc.constantFrom('>', '>=', '<', '<=')

const term = fc.oneof(
  fc.constantFrom('login', 'L', '"of it"', '%', '_', '"say \\"so\\""', 'FAILED', 'ü', '"state:failed"', '\\'),
  fc
    .uniqueArray(fc.constantFrom(...filterStates), { minLength: 1, maxLength: 3 })
    .map((states) => `state:${states.join(',')}`),
  names(personas).map((list) => `persona:${list}`),
  names(agents).map((list) => `agent:${list}`),
  names(worktrees).map((list) => `worktree:${list}`),
  fc.constantFrom('session:none', 'session:*', 'session:s1', 'session:s*'),
  fc.constantFrom(...standings).map((what) => `is:${what}`),
  fc.constantFrom('blocked:yes', 'blocked:no'),
  fc.tuple(fc.nat(30), fc.nat(30)).map(([from, to]) => `id:${from}-${to}`),
  fc
    .tuple(fc.constantFrom('priority', 'attempt'), fc.oneof(compare, fc.constant(':')), fc.integer({ min: -2, max: 6 }))
    .map((parts) => parts.join('')),
  fc.tuple(fc.constant('id'), compare, fc.integer({ min: -2, max: 30 })).map((parts) => parts.join('')),
  fc
    .tuple(fc.constantFrom('age', 'time'), compare, fc.constantFrom('0s', '30s', '1m', '90s', '5m', '1h'))
    .map((parts) => parts.join('')),
)

export const filterText = fc
  .array(
    fc.tuple(fc.constantFrom('', '', '-'), term).map((parts) => parts.join('')),
    { maxLength: 3 },
  )
  .map((terms) => terms.join(' '))
