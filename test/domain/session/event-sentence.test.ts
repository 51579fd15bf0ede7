import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { eventSentence } from '../../../src/domain/session/event-sentence.ts'
import type { PastEvent } from '../../../src/domain/session/past.ts'

const source = readFileSync(
  join(resolve(import.meta.dirname, '../../../src/domain/session'), 'event-sentence.ts'),
  'utf8',
)
const operations = [...source.matchAll(/^ {2}(\w+): \(/gm)].map(([, name]) => name!)

const event = (operation: string, about: Partial<PastEvent> = {}): PastEvent => ({
  id: 1,
  at: '2026-01-30T14:22:00.000Z',
  actor: 'human',
  operation,
  taskId: 3,
  agentId: 'ada',
  worktree: 'auth',
  details: {},
  ...about,
})
const sentenceOf = (operation: string, about: Partial<PastEvent> = {}): string =>
  eventSentence(event(operation, about), (id) => `task ${id}`)

it('every operation has a sentence without the underscores of its name, whatever its event lacks', () => {
  expect(operations.length).toBeGreaterThan(70)
  for (const operation of operations)
    for (const details of [{}, null, 'text', 7, { started: 'x', tasks: 3, offline: null }])
      expect(sentenceOf(operation, { details, agentId: null, worktree: null })).not.toContain('_')
})

it.each<[string, Partial<PastEvent>, string]>([
  ['create_task', {}, 'task 3 is created'],
  ['import_tasks', { details: { tasks: [1] } }, 'task 1 is created'],
  ['import_tasks', { details: { tasks: [1, 2] } }, 'tasks 1, 2 are created'],
  ['fail_task', { details: { status: 'pending' } }, 'ada fails task 3, which will be retried'],
  ['change_host', { details: { host: 'b', state: 'draining', to: 'drain' } }, 'human drains host b'],
  ['change_host', { details: { host: 'b', state: 'up', to: 'resume' } }, 'human resumes host b'],
  ['change_host', { details: { host: 'b', state: 'up' } }, 'human changes the settings of host b'],
  ['request_move', { details: { from: 'a', to: 'b' } }, 'human moves auth from host a to b'],
  [
    'request_move',
    { details: { from: 'a', to: 'a', stays: true, ended: 'auth-2' } },
    'human undoes the move of auth; it stays on host a',
  ],
  [
    'continue_stranded',
    {
      details: {
        continued: [{ worktree: 'v', successor: 'v-2', host: 'b' }],
        stayed: [{ worktree: 'w', ended: null }],
        placed: [{ worktree: 'x-2', host: 'c' }],
      },
    },
    'w stays where it is, since a host of its move is lost; host c builds x-2 now; v-2 continues v on host b',
  ],
  [
    'record_worktree',
    { details: { error: 'no make', rests: true } },
    'worktree auth could not be created: no make; a host builds it later, with its tasks',
  ],
  ['cancel_task', { details: { reason: 'too late' } }, 'task 3 is cancelled by human: too late'],
  [
    'edit_task',
    { details: { changes: [{ field: 'acceptanceCriteria' }, { field: 'priority' }] } },
    'task 3 is edited by human: acceptance criteria, priority',
  ],
  [
    'dispatch',
    { details: { started: [{ agentId: 'ada', taskId: 3 }], retired: ['bob'] } },
    'ada gets task 3; bob is not needed any more',
  ],
  [
    'sweep',
    { details: { offline: ['ada'], released: [3, 4], expired: [] } },
    'ada is offline; tasks 3, 4 are pending again',
  ],
  ['settle_run', { details: { verdict: 'completed', exitCode: 0 } }, 'ada ends task 3: completed (exit code 0)'],
  ['record_verification', { details: { exitCode: 1 } }, 'verification of auth failed: exit code 1'],
  ['record_move', { details: { kind: 'landed' } }, 'auth is integrated'],
  ['record_move', { details: { kind: 'refused', problem: 'main moved' } }, 'auth is not integrated: main moved'],
  [
    'record_target',
    { details: { target: 'main', to: '0123456789abcdef', recorded: 'moved', agents: ['ada'] } },
    'main was moved to 01234567 while ada ran, without an approval',
  ],
  ['request_permission', { details: { tool: 'Bash', status: 'open' } }, 'ada asks for a permission: Bash'],
  ['request_permission', { details: { tool: 'Bash', status: 'allowed' } }, 'ada may use Bash by a rule'],
])('the event %s with %o has its sentence', (operation, about, sentence) => {
  expect(sentenceOf(operation, about)).toBe(sentence)
})

it('an operation of a newer aiswarm is shown by its name', () => {
  expect(sentenceOf('move_to_host')).toBe('human move to host task 3 auth')
})

it('control characters of an agent do not reach the sentence', () => {
  const sentence = sentenceOf('cancel_task', { details: { reason: 'a\u001b[31mb\nc' } })
  expect([...sentence].filter((character) => character < ' ')).toEqual([])
})
