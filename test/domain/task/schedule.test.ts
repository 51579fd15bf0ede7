import { describe, expect, it } from 'vitest'
import { plan } from '../../../src/domain/task/schedule.ts'
import type { LiveAgent } from '../../../src/domain/task/contention.ts'
import { kindOf, type Startable, whyCommandWaits } from '../../../src/domain/task/startable.ts'
import { settingsWith } from '../../support/core.ts'

const task = (id: number, change: Partial<Startable> = {}): Startable => ({
  id,
  personaId: 'implementer',
  worktree: null,
  worktreeEnded: false,
  command: null,
  commandAllowed: true,
  createdBy: 'human',
  kind: null,
  agentId: null,
  ...change,
})
const liveAgent = (id: string, change: Partial<LiveAgent> = {}): LiveAgent => ({
  id,
  personaId: 'implementer',
  kind: 'claude',
  worktree: null,
  standing: 'working',
  ...change,
})
const settings = settingsWith({})
const kinds = ['claude', 'command']

describe('the schedule', () => {
  it('holds a task whose worktree has ended', () => {
    expect(plan([task(1, { worktree: 'gone', worktreeEnded: true })], [], settings, kinds, 2).held).toEqual([
      { taskId: 1, why: 'its worktree gone has ended; cancel the task' },
    ])
  })

  it('starts tasks in order up to the limit of processes', () => {
    const { starts, held } = plan([task(3), task(1), task(2)], [], settings, kinds, 2)
    expect(starts.map((start) => start.taskId)).toEqual([3, 1])
    expect(held).toEqual([{ taskId: 2, why: '2 of at most 2 agents are running' }])
  })

  it('counts running processes, and not waiting agents', () => {
    expect(plan([task(1)], [liveAgent('a'), liveAgent('b')], settings, kinds, 2).starts).toEqual([])
    expect(
      plan([task(1)], [liveAgent('a'), liveAgent('b', { standing: 'waiting' })], settings, kinds, 2).starts,
    ).toHaveLength(1)
  })

  it('starts nothing if nothing may run', () => {
    expect(plan([task(1)], [], settings, kinds, 0).starts).toEqual([])
  })

  it('gives a task to a waiting agent of its persona, kind and worktree, and one task to each agent', () => {
    const waiting = [
      liveAgent('other-persona', { personaId: 'tester', standing: 'waiting' }),
      liveAgent('other-kind', { kind: 'codex', standing: 'waiting' }),
      liveAgent('other-worktree', { worktree: 'w', standing: 'waiting' }),
      liveAgent('mine', { standing: 'waiting' }),
    ]
    expect(plan([task(1), task(2)], waiting, settings, kinds, 9).starts).toEqual([
      {
        taskId: 1,
        agentId: 'mine',
        name: null,
        personaId: 'implementer',
        kind: 'claude',
        worktree: null,
        ownWorktree: false,
      },
      {
        taskId: 2,
        agentId: null,
        name: null,
        personaId: 'implementer',
        kind: 'claude',
        worktree: null,
        ownWorktree: false,
      },
    ])
  })

  it('runs one command at a time in a worktree', () => {
    const command = (id: number, worktree: string | null) => task(id, { command: 'true', worktree })
    const { starts, held } = plan(
      [command(1, 'w'), command(2, 'w'), command(3, 'v'), command(4, null)],
      [liveAgent('c', { kind: 'command' })],
      settings,
      kinds,
      9,
    )
    expect(starts.map((start) => start.taskId)).toEqual([1, 3])
    expect(held).toEqual([
      { taskId: 2, why: 'worktree busy: task 1' },
      { taskId: 4, why: 'another command is running in the repository root' },
    ])
  })

  it('makes a command wait for any agent that may write in its worktree', () => {
    const start = (agent: Partial<LiveAgent>) =>
      plan([task(1, { command: 'true', worktree: 'w' })], [liveAgent('a', agent)], settings, kinds, 3)
    expect(start({ worktree: 'w' }).held).toEqual([{ taskId: 1, why: 'worktree busy: a' }])
    expect(
      [
        start({ worktree: 'v' }),
        start({ worktree: 'w', personaId: 'reviewer' }),
        start({ worktree: 'w', standing: 'waiting' }),
      ].map(({ starts }) => starts.length),
    ).toEqual([1, 1, 1])
  })

  it('holds a command that an agent wrote until a person allows it', () => {
    const { starts, held } = plan(
      [task(1, { command: 'true', commandAllowed: false, createdBy: 'planner-1' })],
      [],
      settings,
      kinds,
      9,
    )
    expect(starts).toEqual([])
    expect(held).toEqual([{ taskId: 1, why: 'its command comes from agent planner-1 and needs a person to start it' }])
  })

  it('starts the next task in place of a held one', () => {
    expect(
      plan([task(1, { kind: 'nobody' }), task(2)], [], settings, kinds, 1).starts.map((start) => start.taskId),
    ).toEqual([2])
  })

  it('lists the known kinds if the requested kind is unknown', () => {
    expect(plan([task(1, { kind: 'gemini' })], [], settings, kinds, 9).held).toEqual([
      { taskId: 1, why: "agent kind 'gemini' is unknown; the known kinds are claude, command" },
    ])
  })

  it('says what to configure if no kind is configured', () => {
    expect(plan([task(1)], [], settingsWith({ agents: { default: null } }), kinds, 9).held).toEqual([
      {
        taskId: 1,
        why: "no agent kind is configured for persona implementer; set agents.default in .aiswarm/config.yaml, or install one that 'aiswarm doctor' lists",
      },
    ])
  })
})

it('a task with a command is run by the kind command, whatever kind it requests', () => {
  expect(kindOf(task(1, { command: 'true', kind: 'claude' }), settings)).toBe('command')
  expect(kindOf(task(1, { kind: 'codex' }), settings)).toBe('codex')
  expect(kindOf(task(1), settings)).toBe('claude')
})

it('a command waits only if no person allowed it', () => {
  expect(whyCommandWaits(task(1, { command: 'true' }))).toBeUndefined()
  expect(whyCommandWaits(task(1, { commandAllowed: false }))).toBeUndefined()
})
