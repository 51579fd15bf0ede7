import { describe, expect, it } from 'vitest'
import { integrationSaid, requestSaid, taskSaid } from '../../../src/domain/request/inbox-items.ts'
import {
  attentionKinds,
  byUrgency,
  nextBehind,
  type Waiting,
  waitingName,
  waitingPlace,
} from '../../../src/domain/request/inbox.ts'

const item = (kind: Waiting['kind'], minute: number, about: Partial<Waiting> = {}): Waiting => ({
  kind,
  taskId: null,
  worktree: null,
  agentId: null,
  requestId: null,
  since: `2026-01-30T14:${String(minute).padStart(2, '0')}:00.000Z`,
  ...about,
})

const asked = item('permission', 9, { requestId: 4, agentId: 'backend-1', taskId: 3 })
const older = item('question', 2, { requestId: 3, agentId: 'tester-1' })
const failed = item('failed', 1, { taskId: 7 })
const ready = item('approve', 5, { worktree: 'auth' })

describe('an inbox item', () => {
  it('is sorted by urgency, then by age', () => {
    expect(byUrgency([failed, ready, asked, older, item('configuration', 59)]).map(waitingName)).toEqual([
      'configuration',
      'request 3',
      'request 4',
      'approve auth',
      'failed 7',
    ])
  })

  it('keeps its name while other items come and go, and no two items share a name', () => {
    const items = [
      asked,
      older,
      failed,
      ready,
      item('budget', 1),
      item('budget', 1, { taskId: 7 }),
      item('stalled', 1, { taskId: 7 }),
    ]
    expect(new Set(items.map(waitingName)).size).toBe(items.length)
    expect(waitingName({ ...asked, since: failed.since })).toBe(waitingName(asked))
  })

  it('is selected after the answered one, and the first is selected after the last', () => {
    const place = waitingPlace(older)
    // The answered item is gone: the next one is the item after its place, not the first.
    expect(nextBehind([failed, ready, asked], place)).toBe(asked)
    expect(nextBehind([failed, ready], place)).toBe(ready)
    expect(nextBehind([failed, ready, older], waitingPlace(failed))).toBe(older)
    expect(nextBehind([failed, ready], null)).toBe(ready)
    expect(nextBehind([], place)).toBeUndefined()
  })

  it('has an urgency for every kind', () => {
    for (const kind of attentionKinds) expect(waitingPlace(item(kind, 1))).toMatch(/^\d 2026/)
  })
})

describe('the sentence of an inbox item', () => {
  it('says who asks for what, and by which rule similar requests are grouped', () => {
    const request = {
      kind: 'permission',
      agentId: 'backend-1',
      personaId: 'implementer',
      taskId: 3,
      tool: 'Bash',
      subject: 'npm test',
      rule: 'shell(npm test)',
      ended: false,
    } as const
    expect(requestSaid(request)).toEqual({
      text: 'backend-1 asks to use Bash: npm test',
      evidence: 'for task 3, implementer; it is blocked until you answer; always allows shell(npm test)',
      like: 'shell(npm test)',
    })
    expect(requestSaid({ ...request, rule: null }).like).toBe('Bash')
    expect(requestSaid({ ...request, kind: 'question' }).like).toBe('questions of implementer')
  })

  it('says whether an agent continued or ended after a denial of its CLI', () => {
    const denied = {
      kind: 'denial',
      agentId: 'backend-1',
      personaId: null,
      taskId: 3,
      tool: 'Bash',
      subject: 'npm publish',
      rule: null,
      ended: false,
    } as const
    expect(requestSaid(denied).evidence).toBe('for task 3; its CLI already denied it, and the agent has continued')
    expect(requestSaid({ ...denied, ended: true }).evidence).toBe(
      'for task 3; its CLI already denied it, and the agent has ended',
    )
  })

  it('says what was verified for an integration, and differs for each state', () => {
    const entering = {
      worktree: 'auth',
      target: 'main',
      problem: null,
      conflicts: [],
      branchOid: 'b'.repeat(40),
      targetOid: 'a'.repeat(40),
      verification: null,
    }
    expect(integrationSaid('approve', entering)).toEqual({
      text: 'auth is ready to merge into main',
      evidence: 'bbbbbbbb into main at aaaaaaaa; not verified: no command is configured',
      like: null,
    })
    const verification = { command: 'npm test', exitCode: 1, tail: 'ok 1\nnot ok 2 rejects\n\n' }
    expect(integrationSaid('unverified', { ...entering, verification }).evidence).toBe(
      'npm test: exit code 1; not ok 2 rejects',
    )
    expect(integrationSaid('conflict', { ...entering, conflicts: ['a.ts', 'b.ts'] })).toMatchObject({
      text: 'auth conflicted with main in a.ts, b.ts',
      evidence: 'bbbbbbbb into main at aaaaaaaa; 2 files: a.ts, b.ts',
    })
  })

  it('says how often a failed task was tried', () => {
    const task = {
      id: 7,
      title: 'Log in',
      personaId: 'tester',
      errorMessage: 'red',
      attempt: 3,
      retryCount: 2,
      assignedAgentId: null,
      command: null,
      createdBy: null,
    }
    expect(taskSaid('failed', task)).toEqual({
      text: 'task 7 failed: red',
      evidence: 'Log in; after 3 attempts; no retries left',
      like: 'failed tasks of tester',
    })
    expect(taskSaid('failed', task, { name: 'payments', status: 'integrated' })).toEqual({
      text: 'task 7 failed: red',
      evidence:
        'Log in; after 3 attempts; worktree payments is already integrated, so it cannot be retried; cancel it, and create another task for the rest',
      like: null,
    })
    expect(taskSaid('stalled', { ...task, assignedAgentId: 'backend-1' })).toMatchObject({
      evidence: 'Log in; claimed by backend-1, attempt 3',
      like: null,
    })
    expect(taskSaid('command', { ...task, command: 'npm run x', createdBy: 'planner-1' })).toMatchObject({
      evidence: 'created by planner-1: npm run x',
      like: null,
    })
  })
})
