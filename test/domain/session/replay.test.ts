import { describe, expect, it } from 'vitest'
import { nothingYet, type PastEvent } from '../../../src/domain/session/past.ts'
import { replay } from '../../../src/domain/session/replay.ts'

let id = 0
const event = (operation: string, about: Partial<PastEvent> = {}): PastEvent => {
  id++
  return {
    id,
    at: `2026-01-30T14:22:${String(id % 60).padStart(2, '0')}.000Z`,
    actor: 'human',
    operation,
    taskId: null,
    agentId: null,
    worktree: null,
    details: null,
    ...about,
  }
}
const after = (...events: readonly PastEvent[]) => replay(nothingYet, events)

describe('a replayed task', () => {
  it('is claimed, worked on, retried and completed', () => {
    const events = [
      event('create_task', { taskId: 1 }),
      event('claim_task', { taskId: 1, agentId: 'a' }),
      event('report_task_progress', { taskId: 1, agentId: 'a', details: { percent: 40 } }),
      event('fail_task', { taskId: 1, agentId: 'a', details: { status: 'pending' } }),
      event('claim_task', { taskId: 1, agentId: 'b' }),
      event('complete_task', { taskId: 1, agentId: 'b', details: { ended: [] } }),
    ]
    const states = events.map((_, n) => {
      const { status, agent, percent } = replay(nothingYet, events.slice(0, n + 1)).tasks.get(1)!
      return [status, agent, percent]
    })
    expect(states).toEqual([
      ['pending', null, null],
      ['claimed', 'a', null],
      ['in_progress', 'a', 40],
      ['pending', null, null],
      ['claimed', 'b', null],
      ['completed', 'b', null],
    ])
  })

  it('has the state that the end of its run gave it', () => {
    const launched = [
      event('create_task', { taskId: 1 }),
      event('dispatch', { details: { started: [{ taskId: 1, agentId: 'a' }], retired: [] } }),
      event('record_launch', { taskId: 1, agentId: 'a', details: { pid: 7 } }),
    ]
    expect(after(...launched).tasks.get(1)!.status).toBe('in_progress')
    const begun = (starts: boolean) =>
      after(...launched.slice(0, 2), event('record_launch', { taskId: 1, agentId: 'a', details: { pid: 7, starts } }))
    expect(
      [begun(true), begun(false)].map(({ tasks, agents }) => [tasks.get(1)!.status, agents.get('a')!.pid]),
    ).toEqual([
      ['in_progress', 7],
      ['claimed', 7],
    ])
    const again = after(
      ...launched,
      event('settle_run', { taskId: 1, agentId: 'a', details: { exitCode: 1, verdict: 'failed', ended: [] } }),
    )
    expect([again.tasks.get(1)!.status, again.agents.get('a')!.state]).toEqual(['pending', 'broken'])
    const done = after(
      ...launched,
      event('settle_run', {
        taskId: 1,
        agentId: 'a',
        details: { exitCode: 0, verdict: 'completed', ended: [{ taskId: 1, attempt: 1, status: 'completed' }] },
      }),
    )
    const both = after(
      ...launched,
      event('create_task', { taskId: 2 }),
      event('claim_task', { taskId: 2, agentId: 'a' }),
      event('settle_run', {
        taskId: 1,
        agentId: 'a',
        details: { exitCode: 0, verdict: 'completed', ended: [{ taskId: 1, attempt: 1, status: 'completed' }] },
      }),
    )
    expect([1, 2].map((id) => both.tasks.get(id)!.status)).toEqual(['completed', 'pending'])
    expect([done.tasks.get(1)!.status, done.agents.get('a')!.state, done.agents.get('a')!.task]).toEqual([
      'completed',
      'terminated',
      null,
    ])
  })

  it('has an unknown state without events, and is pending again if its agent was stopped', () => {
    const past = after(
      event('import_board', { details: { tasks: [4] } }),
      event('create_task', { taskId: 5 }),
      event('claim_task', { taskId: 5, agentId: 'a' }),
      event('record_stop', { agentId: 'a', details: { exitCode: null } }),
    )
    expect([...past.tasks].map(([id, { status }]) => [id, status])).toEqual([
      [4, 'unknown'],
      [5, 'pending'],
    ])
  })

  it('is pending again if its agent was lost', () => {
    const past = after(
      event('create_task', { taskId: 1 }),
      event('claim_task', { taskId: 1, agentId: 'a' }),
      event('sweep', { details: { offline: ['a'], released: [1], expired: [], ended: [] } }),
    )
    expect([past.tasks.get(1)!.status, past.tasks.get(1)!.agent, past.agents.get('a')!.state]).toEqual([
      'pending',
      null,
      'offline',
    ])
  })
})

it('a replayed agent is idle without a task, and stopping until its process has ended, which does not count as a failure', () => {
  const spawned = [event('spawn_agent', { agentId: 'a', details: { kind: 'claude' } })]
  const stopped = [
    event('create_task', { taskId: 1 }),
    event('dispatch', { details: { started: [{ taskId: 1, agentId: 'b' }], retired: [] } }),
    event('cancel_task', { taskId: 1 }),
    event('record_launch', { taskId: 1, agentId: 'b', details: { pid: 7 } }),
    event('settle_run', { taskId: 1, agentId: 'b', details: { exitCode: 1, verdict: 'failed', ended: [] } }),
  ]
  const external = [
    event('create_task', { taskId: 2 }),
    event('register_agent', { agentId: 'c' }),
    event('claim_task', { taskId: 2, agentId: 'c' }),
    event('cancel_task', { taskId: 2 }),
  ]
  expect([
    after(...spawned).agents.get('a')!.state,
    ...[2, 3, 4, 5].map((n) => after(...stopped.slice(0, n)).agents.get('b')!.state),
    after(...external).agents.get('c')!.state,
  ]).toEqual(['idle', 'active', 'stopping', 'stopping', 'terminated', 'active'])
})

it('a replayed worktree goes through its integration', () => {
  const events = [
    event('create_worktree', { worktree: 'w' }),
    event('record_worktree', { worktree: 'w', details: { error: null } }),
    event('integrate_worktree', { worktree: 'w', details: { target: 'main' } }),
    event('record_candidate', { worktree: 'w', details: { mergeOid: 'x' } }),
    event('record_verification', { worktree: 'w', details: { exitCode: 0 } }),
    event('approve_integration', { worktree: 'w' }),
    event('record_move', { worktree: 'w', details: { kind: 'landed' } }),
    event('record_removal', { worktree: 'w' }),
  ]
  expect(events.map((_, n) => replay(nothingYet, events.slice(0, n + 1)).worktrees.get('w')!.state)).toEqual([
    'building',
    'active',
    'requested',
    'verifying',
    'ready',
    'approved',
    'integrated',
    'integrated',
  ])
  expect(after(...events).worktrees.get('w')!.gone).toBe(true)
})

it('a replayed worktree stays where it is if the one that should have continued it could not be built', () => {
  const moved = [
    event('create_worktree', { worktree: 'w' }),
    event('record_worktree', { worktree: 'w', details: { error: null } }),
    event('move_worktree', { worktree: 'w', details: { successor: 'w-2', host: 'b', tasks: [1] } }),
    event('record_worktree', { worktree: 'w-2', details: { error: 'no', back: { worktree: 'w', tasks: [1] } } }),
  ]
  expect([3, 4].map((n) => after(...moved.slice(0, n)).worktrees.get('w')!.state)).toEqual(['discarded', 'active'])
  expect(after(...moved).worktrees.get('w-2')).toMatchObject({ state: 'discarded', gone: true })
})

it('a replayed worktree stays where it is if its move is undone, and the one that should have continued it ends', () => {
  const moved = [
    event('create_worktree', { worktree: 'w' }),
    event('record_worktree', { worktree: 'w', details: { error: null } }),
    event('move_worktree', { worktree: 'w', details: { successor: 'w-2', host: 'b', tasks: [1] } }),
  ]
  const byPerson = event('request_move', { worktree: 'w', details: { from: 'a', to: 'a', stays: true, ended: 'w-2' } })
  const byLoss = event('continue_stranded', { details: { continued: [], stayed: [{ worktree: 'w', ended: 'w-2' }] } })
  for (const back of [byPerson, byLoss]) {
    expect(after(...moved, back).worktrees.get('w')).toMatchObject({ state: 'active', gone: false })
    expect(after(...moved, back).worktrees.get('w-2')).toMatchObject({ state: 'discarded' })
  }
  const asked = event('request_move', { worktree: 'w', details: { from: 'a', to: 'b' } })
  expect(after(...moved.slice(0, 2), asked).worktrees.get('w')).toMatchObject({ state: 'active' })
})

it('a replayed worktree that is tried again on another host is still being built', () => {
  const failed = event('record_worktree', { worktree: 'w-2', details: { error: 'no', cancelled: [], rests: true } })
  expect(after(event('create_worktree', { worktree: 'w-2' }), failed).worktrees.get('w-2')).toMatchObject({
    state: 'building',
    gone: false,
  })
})

it('a replayed worktree that continues one of a lost host stays as it is when it gets more tasks of that', () => {
  const continues = event('continue_stranded', {
    details: { continued: [{ worktree: 'w', successor: 'w-2', host: 'b' }] },
  })
  const built = event('record_worktree', { worktree: 'w-2', details: { error: null } })
  const failed = event('record_worktree', {
    worktree: 'w-2',
    details: { error: 'no', back: { worktree: 'w', tasks: [] } },
  })
  const state = (...events: readonly PastEvent[]) => after(...events).worktrees.get('w-2')
  expect(state(continues, built, continues)).toMatchObject({ state: 'active', gone: false })
  expect(state(continues, failed, continues)).toMatchObject({ state: 'building', gone: false })
})

it('a replayed session pauses and resumes as people and budgets decide', () => {
  const events = [
    event('begin_session', { details: { session: 's' } }),
    event('pause_scheduling', { details: { paused: true } }),
    event('start_session', { details: { session: 's' } }),
    event('pause_scheduling', { details: { paused: false } }),
    event('answer_budget', { details: { answer: 'raise' } }),
    event('answer_budget', { details: { answer: 'stop' } }),
    event('end_session', { details: { session: 's', status: 'completed' } }),
    event('begin_session', { details: { session: 't' } }),
  ]
  expect(events.map((_, n) => replay(nothingYet, events.slice(0, n + 1)).session!.paused)).toEqual([
    false,
    true,
    true,
    false,
    false,
    true,
    false,
    false,
  ])
  const over = [
    event('create_task', { taskId: 1 }),
    event('dispatch', { details: { started: [{ taskId: 1, agentId: 'a' }], retired: [] } }),
    event('record_launch', { taskId: 1, agentId: 'a', details: { pid: 7 } }),
    event('record_pause', { taskId: 1, agentId: 'a', details: { paused: true } }),
  ]
  expect([after(...over).agents.get('a')!.state, after(...over).tasks.get(1)!.status]).toEqual([
    'paused',
    'in_progress',
  ])
  expect(
    after(...over, event('record_pause', { agentId: 'a', details: { paused: false } })).agents.get('a')!.state,
  ).toBe('active')
  expect(after(...over, event('answer_budget', { taskId: 1, details: { answer: 'stop' } })).tasks.get(1)!.status).toBe(
    'cancelled',
  )
})

it('a replay in pieces gives the same result as a replay at once', () => {
  const events = Array.from({ length: 50 }, (_, n) => event('create_task', { taskId: n + 1 }))
  const pieces = replay(replay(nothingYet, events.slice(0, 20)), events.slice(20))
  expect(pieces).toEqual(replay(nothingYet, events))
})

it('a replay ignores unknown events, whatever their details are', () => {
  for (const details of [null, 'text', 7, [], { started: 'x', ended: [null, 3], tasks: {}, released: 9 }]) {
    for (const operation of [
      'nonsense',
      'dispatch',
      'sweep',
      'settle_run',
      'import_tasks',
      'record_move',
      'record_candidate',
      'begin_session',
      'constructor',
    ]) {
      expect(() => after(event(operation, { details }))).not.toThrow()
    }
  }
})
