import { expect, it } from 'vitest'
import { deliveryDelay, endedAmong, occurrencesOf } from '../../../src/domain/settings/hooks.ts'

const occurrences = (operation: string, details: unknown, worktree: string | null = null) =>
  occurrencesOf({ operation, worktree, details })

it('an operation names the tasks that it ended', () => {
  const ended = endedAmong([
    { id: 1, attempt: 1, status: 'completed' },
    { id: 2, attempt: 3, status: 'failed' },
    { id: 3, attempt: 1, status: 'pending' },
    { id: 4, attempt: 0, status: 'cancelled' },
  ])
  expect(occurrences('settle_run', { ended })).toEqual([
    { event: 'task.completed', taskId: 1, attempt: 1 },
    { event: 'task.failed', taskId: 2, attempt: 3 },
  ])
})

it('a move that did not merge is not reported as an integration', () => {
  expect(occurrences('record_move', { kind: 'landed' }, 'auth')).toEqual([
    { event: 'worktree.integrated', worktree: 'auth' },
  ])
  expect(occurrences('record_move', { kind: 'held', problem: 'x' }, 'auth')).toEqual([])
})

it('an event without details triggers no hook', () => {
  expect(occurrences('create_task', null)).toEqual([])
})

it('the delay of a hook grows from 30 s to an hour', () => {
  expect([1, 2, 3, 4, 7, 8, 100].map((tries) => deliveryDelay(tries) / 1000)).toEqual([
    30, 60, 120, 240, 1920, 3600, 3600,
  ])
})
