import { describe, expect, it, test } from 'vitest'
import { step } from '../../../src/domain/rules/state-machine.ts'
import {
  afterFailure,
  isHeld,
  isOver,
  LOST_ATTEMPTS_LIMIT,
  retryDelay,
  type TaskFacts,
  taskMachine,
  taskStates,
  type TaskVerb,
  whyBlocked,
  whyNot,
  whyNotDue,
} from '../../../src/domain/task/task.ts'

const facts = (change: Partial<TaskFacts> = {}): TaskFacts => ({
  id: 7,
  status: 'pending',
  assignedAgentId: null,
  blockedBy: [],
  notBefore: null,
  ...change,
})

/** The lifecycle of seed 004: the next state for each verb and state, or null for a refusal. */
const lifecycle = {
  claim: { pending: 'claimed', claimed: null, in_progress: null, completed: null, failed: null, cancelled: null },
  start: { pending: null, claimed: 'in_progress', in_progress: null, completed: null, failed: null, cancelled: null },
  progress: {
    pending: null,
    claimed: 'in_progress',
    in_progress: 'in_progress',
    completed: null,
    failed: null,
    cancelled: null,
  },
  complete: {
    pending: null,
    claimed: 'completed',
    in_progress: 'completed',
    completed: null,
    failed: null,
    cancelled: null,
  },
  fail: { pending: null, claimed: 'failed', in_progress: 'failed', completed: null, failed: null, cancelled: null },
  retry: { pending: null, claimed: null, in_progress: null, completed: null, failed: 'pending', cancelled: null },
  release: {
    pending: null,
    claimed: 'pending',
    in_progress: 'pending',
    completed: null,
    failed: null,
    cancelled: null,
  },
  cancel: {
    pending: 'cancelled',
    claimed: 'cancelled',
    in_progress: 'cancelled',
    completed: null,
    failed: 'cancelled',
    cancelled: null,
  },
} as const

describe('the life of a task', () => {
  for (const [verb, row] of Object.entries(lifecycle)) {
    for (const [status, to] of Object.entries(row)) {
      const task = facts({
        status: status as TaskFacts['status'],
        assignedAgentId: status === 'pending' ? null : 'a-1',
      })
      it(`${verb} from ${status} ${to === null ? 'is refused' : `leads to ${to}`}`, () => {
        expect(step(taskMachine, verb as TaskVerb, task.status) ?? null).toBe(to)
        expect(whyNot(verb as TaskVerb, task) === undefined).toBe(to !== null)
      })
    }
  }

  it('has exactly the six states of seed 004', () => {
    expect(taskStates).toEqual(['pending', 'claimed', 'in_progress', 'completed', 'failed', 'cancelled'])
    expect(Object.keys(taskMachine)).toEqual(Object.keys(lifecycle))
  })

  it('is held while claimed or in progress, and ended when completed, failed or cancelled', () => {
    expect(taskStates.filter(isHeld)).toEqual(['claimed', 'in_progress'])
    expect(taskStates.filter(isOver)).toEqual(['completed', 'failed', 'cancelled'])
  })
})

describe('a refused step', () => {
  it('names the agent that holds the task', () => {
    expect(whyNot('claim', facts({ status: 'claimed', assignedAgentId: 'b-1' }))).toBe(
      'Task 7 is claimed by b-1; only a pending task can be claimed.',
    )
    expect(whyNot('claim', facts({ status: 'in_progress', assignedAgentId: 'b-1' }))).toBe(
      'Task 7 is in progress with b-1; only a pending task can be claimed.',
    )
  })

  it('names the state of the task', () => {
    expect(whyNot('complete', facts())).toBe('Task 7 is pending; only a claimed task can be completed.')
    expect(whyNot('cancel', facts({ status: 'completed' }))).toBe(
      'Task 7 is completed; only an unfinished or failed task can be cancelled.',
    )
    expect(whyNot('start', facts({ status: 'failed' }))).toBe('Task 7 has failed; only a claimed task can be started.')
    expect(whyNot('retry', facts({ status: 'cancelled' }))).toBe(
      'Task 7 is cancelled; only a failed task can be retried.',
    )
  })

  it('names the tasks that block it', () => {
    expect(whyNot('claim', facts({ blockedBy: [3] }))).toBe(
      'Task 7 is blocked by task 3; it can be claimed when it is completed.',
    )
    expect(whyBlocked(facts({ blockedBy: [3, 4, 5] }))).toBe(
      'Task 7 is blocked by tasks 3, 4 and 5; it can be claimed when they are completed.',
    )
    expect(whyBlocked(facts())).toBeUndefined()
  })

  test('does not include the cancellation of a blocked task', () => {
    expect(whyNot('cancel', facts({ blockedBy: [3] }))).toBeUndefined()
  })
})

test('a task waits for its retry until exactly that instant', () => {
  const waiting = facts({ notBefore: '2026-01-30T14:23:00.000Z' })
  expect(whyNotDue(waiting, '2026-01-30T14:22:30.000Z')).toBe(
    "Task 7 retries in 30s. 'aiswarm task retry 7' retries it now.",
  )
  expect(whyNotDue(waiting, '2026-01-30T14:22:59.999Z')).toBeDefined()
  expect(whyNotDue(waiting, '2026-01-30T14:23:00.000Z')).toBeUndefined()
  expect(whyNotDue(facts(), '2026-01-30T14:23:00.000Z')).toBeUndefined()
})

test('the first retry comes after 30 s, and all later ones after 60 s', () => {
  expect([1, 2, 3, 10].map(retryDelay)).toEqual([30_000, 60_000, 60_000, 60_000])
})

test('a task fails after two retries', () => {
  expect(afterFailure(0, 2)).toEqual({ retry: true, retryCount: 1, delay: 30_000 })
  expect(afterFailure(1, 2)).toEqual({ retry: true, retryCount: 2, delay: 60_000 })
  expect(afterFailure(2, 2)).toEqual({ retry: false })
})

test('a task without retries fails at once', () => {
  expect(afterFailure(0, 0)).toEqual({ retry: false })
})

test('a task that a person retried beyond the limit gets no further automatic retry', () => {
  expect(afterFailure(5, 2)).toEqual({ retry: false })
})

test('a task fails after five lost attempts', () => {
  expect(LOST_ATTEMPTS_LIMIT).toBe(5)
})
