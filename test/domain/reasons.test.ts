import { describe, expect, it } from 'vitest'
import { agentReason, agentSince, type ReasonedAgent } from '../../src/domain/agent/status.ts'
import { type AroundTask, type ReasonedTask, taskReason, taskSince } from '../../src/domain/task/status.ts'
import { clockTime, coarse, duration, later } from '../../src/domain/words/time.ts'
import { type ReasonedWorktree, worktreeReason } from '../../src/domain/worktree/status.ts'
import { whyNotItsTurn } from '../../src/domain/task/contention.ts'

const now = '2026-01-30T14:02:33.000Z'
const ago = (seconds: number) => later(now, -seconds * 1000)
const hour = (at: string) => clockTime(at).slice(0, 5)

const task: ReasonedTask = {
  id: 7,
  status: 'pending',
  changedAt: ago(60),
  unblockedAt: null,
  claimedAt: null,
  startedAt: null,
  completedAt: null,
  blockedBy: [],
  notBefore: null,
  sleep: null,
  progressedAt: null,
  leaseExpiresAt: null,
  assignedAgentId: null,
  wantedAgentId: null,
  targetWorktree: null,
  personaId: 'implementer',
  command: null,
  commandAllowed: true,
  createdBy: null,
  attempt: 0,
  errorMessage: null,
}
const around: AroundTask = { now, stalledAfter: 300_000 }
const why = (change: Partial<ReasonedTask>, more: Partial<AroundTask> = {}) =>
  taskReason({ ...task, ...change }, { ...around, ...more })

describe('a pending task', () => {
  it.each<[string, Partial<ReasonedTask>, Partial<AroundTask>]>([
    ['ready to start', {}, {}],
    ['ready for agent backend-1', { wantedAgentId: 'backend-1' }, {}],
    ['blocked by task 3', { blockedBy: [3] }, {}],
    ['blocked by task 3; it failed', { blockedBy: [3] }, { stateOf: () => 'failed' }],
    [
      'blocked by tasks 3, 4; task 4 was cancelled',
      { blockedBy: [3, 4] },
      { stateOf: (id) => (id === 4 ? 'cancelled' : 'pending') },
    ],
    ['blocked by tasks 1, 2, 3, 4 and 2 more', { blockedBy: [1, 2, 3, 4, 5, 6] }, {}],
    ['retries in 25s, attempt 2 failed: red', { notBefore: later(now, 25_000), attempt: 2, errorMessage: 'red' }, {}],
    [
      'waiting for your approval: its command comes from planner-1',
      { command: 'make', commandAllowed: false, createdBy: 'planner-1' },
      {},
    ],
    ['cannot start: no agent kind is configured', {}, { held: 'no agent kind is configured' }],
    ['waiting for worktree auth to be created', { targetWorktree: 'auth' }, { folder: 'building' }],
    ['waiting: the session is paused', {}, { paused: true }],
    [
      'waiting: another command runs in auth: task 5',
      {},
      { inUse: 'another command runs in auth: task 5', running: 0, most: 3 },
    ],
    ['waiting for a free slot: 3 of at most 3 agents are running', {}, { running: 3, most: 3 }],
    ['ready to start', {}, { running: 2, most: 3 }],
    ['waiting: only 80M of memory is available', {}, { hold: 'only 80M of memory is available' }],
    ['waiting: not supervised; the console or aiswarm run starts it', {}, { supervised: false }],
  ])('gives its reason: %s', (sentence, change, more) => expect(why(change, more)).toBe(sentence))

  it('says until when it sleeps because of a quota', () => {
    const until = later(now, 3_600_000)
    expect(why({ sleep: { kind: 'claude', until } })).toBe(
      `asleep until ${hour(until)}: the quota of claude is used up`,
    )
    // The same time of day a week later is shown with its day.
    const nextWeek = later(until, 5 * 86_400_000)
    expect(why({ sleep: { kind: 'claude', until: nextWeek } })).toBe(
      `asleep until ${new Date(nextWeek).getDate()} Feb ${hour(nextWeek)}: the quota of claude is used up`,
    )
  })
})

describe('a pending task that could start', () => {
  const agent = {
    id: 'a-1',
    kind: 'command',
    personaId: 'implementer',
    status: 'active',
    process: 'started',
    assignedWorktree: null,
    taskId: 5,
  } as const
  const turn = (
    change: Partial<Parameters<typeof whyNotItsTurn>[0]>,
    ...agents: readonly Parameters<typeof whyNotItsTurn>[1][number][]
  ) =>
    whyNotItsTurn(
      { command: null, targetWorktree: null, wantedAgentId: null, personaId: 'implementer', ...change },
      agents,
      { writers: 1, readers: ['reviewer'] },
    )

  it('waits while another command runs in its worktree', () => {
    expect(turn({ command: 'make' }, agent)).toBe('another command is running in the repository root: task 5')
    expect(
      turn(
        { command: 'make', targetWorktree: 'auth' },
        { ...agent, assignedWorktree: 'auth', process: 'wanted', taskId: null },
      ),
    ).toBe('worktree busy: a-1')
    expect([
      turn({}, agent),
      turn({ command: 'make', targetWorktree: 'auth' }, agent),
      turn({ command: 'make' }, { ...agent, process: 'ended' }),
      turn({ command: 'make' }, { ...agent, kind: 'claude' }),
    ]).toEqual([undefined, undefined, undefined, undefined])
  })

  it('waits while another agent that may write works in its worktree', () => {
    const inside = { ...agent, kind: 'claude', assignedWorktree: 'auth' }
    expect(turn({ targetWorktree: 'auth' }, inside)).toBe('worktree busy: a-1')
    expect([
      turn({ targetWorktree: 'auth', personaId: 'reviewer' }, inside),
      turn({ targetWorktree: 'auth' }, { ...inside, personaId: 'reviewer' }),
    ]).toEqual([undefined, undefined])
    expect(turn({ targetWorktree: 'auth', personaId: 'reviewer', command: 'make' }, inside)).toBe('worktree busy: a-1')
  })

  it('waits while its agent is at work or has not claimed it', () => {
    expect(turn({ wantedAgentId: 'a-1' }, agent)).toBe('agent a-1 is working on task 5')
    expect(turn({ wantedAgentId: 'a-1' }, { ...agent, process: 'none', taskId: null })).toBe(
      'agent a-1 registered itself and must claim it',
    )
    expect([
      turn({ wantedAgentId: 'a-1' }, { ...agent, process: 'waiting' }),
      turn({ wantedAgentId: 'a-2' }, agent),
      turn({ wantedAgentId: 'a-1' }, { ...agent, status: 'terminated', process: 'none' }),
    ]).toEqual([undefined, undefined, undefined])
  })
})

describe('a claimed task', () => {
  const working = { status: 'in_progress', startedAt: ago(500), assignedAgentId: 'backend-1' } as const

  it('is stalled as long as it makes no progress, whatever its process does', () => {
    const process = { cpu: 0.2, lastOutput: ago(60) }
    expect(why({ ...working, progressedAt: ago(370) }, { process })).toBe(
      `stalled: no progress for 6m10, process alive, CPU 0%, last output ${hour(ago(60))}`,
    )
    expect(why({ ...working, progressedAt: ago(370) }, { process: null })).toBe(
      'stalled: no progress for 6m10, no process',
    )
    expect(why({ ...working, progressedAt: ago(300) }, {})).toBe('working: last progress 5m00 ago')
  })

  it('says that its agent asks, before it says that it makes no progress', () => {
    expect(why(working, { asked: { kind: 'permission', tool: 'Bash', subject: 'npm test', askedAt: ago(9) } })).toBe(
      `waiting for your answer since ${clockTime(ago(9))}: Bash npm test`,
    )
  })

  it('says that its agent asks even before it is started', () => {
    const claimed = { status: 'claimed', claimedAt: ago(20), assignedAgentId: 'backend-1' } as const
    expect(why(claimed)).toBe('claimed by backend-1 and not started for 20s')
    expect(why({ ...claimed, claimedAt: ago(301) })).toBe('stalled: claimed by backend-1 and not started for 5m01')
    expect(why(claimed, { asked: { kind: 'question', tool: null, subject: 'Which colour?', askedAt: ago(9) } })).toBe(
      `waiting for your answer since ${clockTime(ago(9))}: Which colour?`,
    )
    expect(why(claimed, { pausedAt: ago(7) })).toBe(`paused since ${clockTime(ago(7))}: its budget needs your answer`)
  })

  it('says when its lease has expired', () => {
    expect(why({ ...working, progressedAt: ago(10), leaseExpiresAt: ago(5) })).toContain('its lease expired 5s ago')
    expect(why({ ...working, progressedAt: ago(10), leaseExpiresAt: later(now, 5) })).not.toContain('lease')
  })

  it('shows no terminal sequence in its reason, from any author', () => {
    expect(
      why({ status: 'failed', attempt: 1, errorMessage: 'red\u001b]52;c;eA==\u0007\u001b[2Jer\n\u202eknab' }),
    ).toBe(`failed at ${clockTime(ago(60))} after one attempt: reder ⟨202E⟩knab`)
  })
})

describe("the age of a task's state", () => {
  const told = (change: Partial<ReasonedTask>, more: Partial<AroundTask> = {}) =>
    why(change, { since: ago(500), ...more })
  const working = { status: 'in_progress', startedAt: ago(500), assignedAgentId: 'backend-1' } as const

  it('is at the end of the reason', () => {
    expect(told({})).toBe('ready to start (for 8m20)')
    expect(told({ ...working, progressedAt: ago(5) })).toBe('working: last progress 5s ago (for 8m20)')
    expect(told({ status: 'failed', errorMessage: 'it took for 1m20', attempt: 1 })).toMatch(
      /: it took for 1m20 \(8m20 ago\)$/,
    )
  })

  it('is not repeated, and is left out if a later state has its own age', () => {
    expect(told({ ...working, progressedAt: ago(370) }, { process: null })).toBe(
      'stalled: no progress for 6m10, no process',
    )
    expect(told({ status: 'claimed', claimedAt: ago(20), assignedAgentId: 'backend-1' }, { since: ago(20) })).toBe(
      'claimed by backend-1 and not started for 20s',
    )
    expect(told(working, { asked: { kind: 'question', tool: null, subject: 'Which colour?', askedAt: ago(9) } })).toBe(
      `waiting for your answer since ${clockTime(ago(9))}: Which colour?`,
    )
    expect(told(working, { pausedAt: ago(7) })).toBe(`paused since ${clockTime(ago(7))}: its budget needs your answer`)
  })
})

describe('the time in a state', () => {
  it('counts from the event that started it', () => {
    expect(taskSince({ ...task, status: 'claimed', claimedAt: ago(5) }, now)).toBe(ago(5))
    expect(taskSince({ ...task, status: 'in_progress', claimedAt: ago(5), startedAt: ago(3) }, now)).toBe(ago(5))
    expect(taskSince(task, now)).toBe(task.changedAt)
    expect(taskSince({ ...task, unblockedAt: ago(12), notBefore: ago(40) }, now)).toBe(ago(12))
    expect(taskSince({ ...task, unblockedAt: ago(90), notBefore: ago(4) }, now)).toBe(ago(4))
    expect(taskSince({ ...task, notBefore: later(now, 4000) }, now)).toBe(task.changedAt)
    const agent = {
      status: 'active',
      registeredAt: ago(100),
      lastHeartbeat: ago(1),
      stopRequestedAt: null,
      endedAt: null,
    } as const
    expect([
      agentSince(agent, ago(9)),
      agentSince(agent, null, ago(20)),
      agentSince(agent, null),
      agentSince({ ...agent, status: 'offline' }, ago(9)),
    ]).toEqual([ago(9), ago(20), ago(100), ago(1)])
  })

  it('is shown in minutes while nothing moves', () => {
    expect([59_000, 60_000, 370_000, 7_500_000].map((ms) => coarse(ms, duration))).toEqual(['<1m', '1m', '6m', '2h05'])
  })
})

const agent: ReasonedAgent = {
  status: 'active',
  process: 'started',
  registeredAt: ago(100),
  lastHeartbeat: ago(4),
  stopRequestedAt: null,
  endedAt: null,
  taskId: 3,
  exitCode: null,
  launchError: null,
  stopReason: null,
  pausedAt: null,
}

describe('a listed agent', () => {
  it.each<[string, Partial<ReasonedAgent>]>([
    ['working on task 3 for 1m10, process alive, CPU 12%, no output yet', {}],
    ['no task, last heartbeat 4s ago, process alive, CPU 12%, no output yet', { taskId: null }],
    ['waiting for its next task, no process', { process: 'waiting' }],
    ['stopping for 4s: enough', { stopRequestedAt: ago(4), stopReason: 'enough' }],
    ['start failed: no such file', { launchError: 'no such file' }],
    [`ended at ${clockTime(ago(4))} with exit code 1`, { status: 'terminated', endedAt: ago(4), exitCode: 1 }],
    ['offline: no heartbeat for 4s', { status: 'offline', process: 'none' }],
  ])('gives its reason: %s', (sentence, change) =>
    expect(
      agentReason({ ...agent, ...change }, { now, busySince: ago(70), process: { cpu: 12, lastOutput: null } }),
    ).toBe(sentence),
  )
})

describe("the age of an agent's state", () => {
  it.each<[string, Partial<ReasonedAgent>]>([
    ['working on task 3 for 1m10', {}],
    ['no task, last heartbeat 4s ago (for 1m10)', { taskId: null }],
    ['waiting for its next task, no process (for 1m10)', { process: 'waiting' }],
    ['starting for 4s', { process: 'wanted' }],
    ['stopping for 5s', { stopRequestedAt: ago(5) }],
    ['offline: no heartbeat for 4s', { status: 'offline' }],
    [`paused since ${clockTime(ago(6))}: the budget of its task needs your answer`, { pausedAt: ago(6) }],
  ])('is shown: %s', (sentence, change) =>
    expect(agentReason({ ...agent, ...change }, { now, since: ago(70), busySince: ago(70) })).toBe(sentence),
  )

  it('counts from the question of an agent that asks', () => {
    const asked = { kind: 'question', tool: null, subject: 'Which colour?', askedAt: ago(9) } as const
    expect(agentReason(agent, { now, since: ago(70), busySince: ago(70), asked })).toBe(
      'waiting 9s for your answer: Which colour?',
    )
  })
})

describe('a listed worktree', () => {
  const integration = {
    status: 'ready',
    requestedAt: ago(90),
    approvedAt: null,
    endedAt: null,
    target: 'main',
    problem: null,
    conflicts: [],
    verification: { command: 'npm test', exitCode: 0, endedAt: ago(70) },
  } as const
  const worktree: ReasonedWorktree = {
    name: 'auth',
    status: 'active',
    folder: 'ready',
    createdAt: ago(100),
    discardReason: null,
    integration: null,
  }
  it.each<[string, Partial<ReasonedWorktree>]>([
    ['unfinished tasks: 1, 2', {}],
    ['creating for 1m40', { folder: 'building' }],
    ['discarded: no longer needed', { status: 'discarded', discardReason: 'no longer needed' }],
    ['waiting 1m10 for your approval, npm test passed', { integration }],
    [
      `blocked: the git remote has not answered host b since ${clockTime(ago(60))}`,
      { integration: { ...integration, status: 'approved' }, remoteSilent: { host: 'b', since: ago(60) } },
    ],
    ['blocked: main moved', { integration: { ...integration, problem: 'main moved' } }],
    [
      'npm test failed with exit code 2; fix it on the branch, then request the integration again',
      {
        integration: {
          ...integration,
          status: 'unverified',
          verification: { command: 'npm test', exitCode: 2, endedAt: ago(70) },
        },
      },
    ],
  ])('gives its reason: %s', (sentence, change) =>
    expect(worktreeReason({ ...worktree, ...change }, { now, unfinished: [1, 2] })).toBe(sentence),
  )

  it('shows the age of its state once', () => {
    const told = (change: Partial<ReasonedWorktree>) =>
      worktreeReason({ ...worktree, ...change }, { now, since: ago(70), unfinished: [1] })
    expect(told({})).toBe('unfinished task: 1 (for 1m10)')
    expect(told({ integration })).toBe('waiting 1m10 for your approval, npm test passed')
    expect(told({ integration: { ...integration, status: 'integrated', endedAt: ago(70) } })).toBe(
      `merged into main at ${clockTime(ago(70))}`,
    )
    expect(told({ integration: { ...integration, problem: 'main moved' } })).toBe('blocked: main moved (for 1m10)')
    const remoteSilent = { host: 'b', since: ago(60) }
    expect(told({ integration: { ...integration, status: 'approved' }, remoteSilent })).toBe(
      `blocked: the git remote has not answered host b since ${clockTime(ago(60))}`,
    )
  })

  it('does not report a conflict that no longer exists', () => {
    const conflicted = {
      ...worktree,
      integration: { ...integration, status: 'conflicted', verification: null, conflicts: ['a.ts', 'b.ts'] },
    } as const
    expect(worktreeReason(conflicted, { now })).toBe(
      'conflicts with main in a.ts, b.ts; resolve it on the branch, then request the integration again',
    )
    expect(worktreeReason(conflicted, { now, clear: true })).toBe(
      'conflicted with main in a.ts, b.ts; the radar finds no conflict any more, so request the integration again',
    )
  })

  it('says that its host is away, since its last commits may be there only', () => {
    const away = 'host b was declared lost'
    const told = (change: Partial<NonNullable<ReasonedWorktree['integration']>>) =>
      worktreeReason({ ...worktree, integration: { ...integration, ...change } }, { now, away })
    expect(told({ status: 'requested' })).toMatch(/^waiting \S+ for the push of its branch: host b was declared lost$/)
    expect(told({})).toMatch(
      /^waiting \S+ for your approval, npm test passed; host b was declared lost: this is what it had pushed$/,
    )
  })

  it('says that a changed configuration blocks it', () => {
    expect(
      worktreeReason(
        { ...worktree, integration: { ...integration, status: 'approved' } },
        { now, configurationChanged: true },
      ),
    ).toContain('blocked until you accept the changed configuration')
  })
})
