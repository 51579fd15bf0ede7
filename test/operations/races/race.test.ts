import { describe, expect, it } from 'vitest'
import { client, system } from '../../../src/domain/agent/actor.ts'
import { heartbeatAndGetTasks } from '../../../src/operations/agents/offers.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { answerBudget } from '../../../src/operations/tasks/budget-answers.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { readWishes } from '../../../src/operations/supervision/wishes.ts'
import { recordCandidate } from '../../../src/operations/integration/merge.ts'
import { recordCommits } from '../../../src/operations/runs/ends.ts'
import { recordLaunch } from '../../../src/operations/runs/processes.ts'
import { recordRunReport } from '../../../src/operations/runs/reports.ts'
import { recordVerification } from '../../../src/operations/integration/verification.ts'
import { recordWorktree } from '../../../src/operations/worktrees/building.ts'
import { pickRacer, stopRace } from '../../../src/operations/races/end.ts'
import { readRace } from '../../../src/operations/races/race.ts'
import { startRace } from '../../../src/operations/races/start.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask, completeTask, failTask } from '../../../src/operations/tasks/claims.ts'
import { listEvents } from '../../../src/operations/sessions/sessions.ts'
import { eventSentence } from '../../../src/domain/session/event-sentence.ts'
import { nothingYet } from '../../../src/domain/session/past.ts'
import { replay } from '../../../src/domain/session/replay.ts'
import { getTask } from '../../../src/operations/tasks/detail.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { discardWorktree } from '../../../src/operations/worktrees/discard.ts'
import { findBrokenInvariants } from '../../../src/db/invariants.ts'
import { minute, openCore, refusal, type World } from '../../support/core.ts'

const both = [{ kind: 'claude' }, { kind: 'codex' }]

/** A race of claude (task 2) and codex (task 3) over task 1, with their worktrees built. */
const racing = async (budget?: { costUsd: number }) => {
  const world = await openCore()
  await world.task({ title: 'Login form', description: 'As drawn', acceptanceCriteria: ['It works', 'It is fast'] })
  await world.perform(startRace, { taskId: 1, racers: both, ...(budget ? { budget } : {}) })
  for (const name of ['race-1-claude', 'race-1-codex']) await built(world, name)
  return world
}

const built = ({ perform }: World, name: string) =>
  perform(recordWorktree, { name, baseOid: 'a'.repeat(40), error: null }, system())

const send = async ({ perform }: World) => (await perform(dispatch, { maxParallel: 9 }, system())).started

const launched = ({ perform }: World, agentId: string) =>
  perform(recordLaunch, { agentId, run: 1, pid: 42, startedAt: '9', bootId: 'boot', startsTask: true }, system())

/** Starts the agents of both racers. */
const working = async (budget?: { costUsd: number }) => {
  const world = await racing(budget)
  const started = await send(world)
  for (const { agentId } of started) await launched(world, agentId)
  return { ...world, agents: started.map(({ agentId }) => agentId) }
}

const completes = async (world: World, taskId: number, agentId: string, commits = 1, criteriaMet: string[] = []) => {
  await world.perform(completeTask, { taskId, agentId, criteriaMet })
  const one = (n: number) => ({ oid: `${taskId}${n}`.padEnd(40, 'b'), author: 'a', at: world.now(), subject: 's' })
  await world.perform(
    recordCommits,
    { taskId, attempt: 1, branch: 'b', commits: Array.from({ length: commits }, (_, n) => one(n)) },
    system(),
  )
}

/** The merge of a worktree is prepared; `exitCode` is that of its verification, null for none configured. */
const verified = async (world: World, worktreeName: string, exitCode = 0) => {
  const { integration } = await world.perform(requestIntegration, { worktreeName, requireHumanApproval: true })
  const oid = (letter: string) => letter.repeat(40)
  const candidate = { targetOid: oid('a'), branchOid: oid('b'), mergeOid: oid('c') }
  await world.perform(recordCandidate, { id: integration!.id, candidate, approval: 'human' }, system())
  const at = { startedAt: world.now(), endedAt: world.now() }
  const verification = { id: 1, command: 'npm test', exitCode, log: 'log', tail: '', ...at }
  await world.perform(recordVerification, { id: integration!.id, mergeOid: oid('c'), verification }, system())
}

const spends = ({ perform }: World, agentId: string, costUsd: number) =>
  perform(
    recordRunReport,
    {
      agentId,
      run: 1,
      report: {
        model: null,
        session: null,
        tokensIn: 10,
        tokensOut: 1,
        tokensCached: 0,
        costUsd,
        said: null,
        problem: null,
      },
    },
    system(),
  )

const show = ({ perform }: World, taskId = 1) => perform(readRace, { taskId })

/** Both racers have completed; claude has one of two criteria and is verified. */
const finished = async () => {
  const world = await working()
  world.pass(minute)
  const [claude, codex] = world.agents
  await completes(world, 2, claude!, 2, ['It works'])
  await completes(world, 3, codex!)
  await verified(world, 'race-1-claude')
  return world
}

describe('a race', () => {
  it('is a task with its own worktree for each kind or model, equal to the raced one in all that an agent reads', async () => {
    const world = await openCore()
    await world.task({ title: 'Login form', description: 'As drawn', acceptanceCriteria: ['It works'], priority: 7 })
    const race = await world.perform(startRace, {
      taskId: 1,
      racers: [
        { kind: 'claude', model: 'Opus 4.1' },
        { kind: 'claude', model: 'sonnet' },
        { kind: 'claude', model: 'sonnet' },
      ],
    })
    expect(race).toMatchObject({ taskId: 1, status: 'running', endedAt: null })
    expect(race.racers.map(({ worktree }) => worktree.name)).toEqual([
      'race-1-claude-opus-4-1',
      'race-1-claude-sonnet',
      'race-1-claude-sonnet-2',
    ])
    expect(await world.show(2)).toMatchObject({
      title: 'Login form (claude Opus 4.1)',
      description: 'As drawn',
      acceptanceCriteria: [{ text: 'It works', met: false }],
      priority: 7,
      parentTaskId: 1,
      targetWorktree: 'race-1-claude-opus-4-1',
      metadata: { cli: 'claude', model: 'Opus 4.1' },
    })
  })

  it('starts its racers and never the raced task, which only a decision frees, even after every racer has ended', async () => {
    const world = await working()
    expect(world.agents).toHaveLength(2)
    const [claude, codex] = world.agents
    await completes(world, 2, claude!)
    await completes(world, 3, codex!)
    expect(await send(world)).toEqual([])
    expect(await world.perform(listTasks, { available: true })).toEqual([])
    expect(await world.perform(listTasks, { status: 'blocked' })).toMatchObject([{ id: 1, blockedBy: [2, 3] }])
    expect(await world.perform(listTasks, { where: 'is:blocked' })).toMatchObject([{ id: 1 }])
    const raced = { code: 'invalid_state', message: expect.stringMatching(/^Task 1 is raced\. Pick a racer/) as string }
    expect(await refusal(world.perform(spawnAgent, { personaId: 'implementer', taskId: 1 }))).toMatchObject(raced)
    expect(await refusal(world.perform(cancelTask, { taskId: 1 }))).toMatchObject(raced)
    expect(await refusal(world.perform(startRace, { taskId: 1, racers: both }))).toMatchObject(raced)
  })

  it('forks from the worktree of its task, if that has one', async () => {
    const world = await openCore()
    await world.worktree('auth')
    await world.task({ targetWorktree: 'auth' })
    const { racers } = await world.perform(startRace, { taskId: 1, racers: both })
    expect(racers.map(({ worktree }) => worktree.sourceBranch)).toEqual(['feature/auth', 'feature/auth'])
  })

  it('is refused with one racer, an unknown kind, one that is not installed, a command, or a persona that only reads', async () => {
    const world = await openCore()
    await world.task()
    await world.task({ command: 'true' })
    await world.task({ personaId: 'reviewer' })
    const race = (taskId: number, racers: { kind: string }[]) => refusal(world.perform(startRace, { taskId, racers }))
    expect((await race(1, [{ kind: 'claude' }])).message).toMatch(/a race needs at least two racers/)
    expect((await race(1, [{ kind: 'claude' }, { kind: 'nope' }])).message).toMatch(/'nope' is unknown/)
    expect((await race(1, [{ kind: 'claude' }, { kind: 'command' }])).code).toBe('invalid_input')
    expect((await race(2, both)).message).toMatch(/runs a shell command/)
    expect((await race(3, both)).message).toMatch(/persona reviewer changes no files/)
    expect(await race(9, both)).toMatchObject({ code: 'not_found' })
    Object.assign(world.core, { missingProgram: (kind: string) => (kind === 'codex' ? 'no codex here' : undefined) })
    expect(await race(1, both)).toMatchObject({
      code: 'missing_binary',
      message: expect.stringMatching(/no codex here/) as string,
    })
    // A refused race leaves nothing.
    expect(await world.perform(listTasks, {})).toHaveLength(3)
    expect(await refusal(show(world))).toMatchObject({ code: 'not_found' })
  })

  it('is refused for a task that is claimed, blocked or completed, and for a racer', async () => {
    const world = await racing()
    expect((await refusal(world.perform(startRace, { taskId: 2, racers: both }))).message).toMatch(/a racer, of task 1/)
    await world.agent('one')
    await world.task()
    await world.task({ dependencies: [4] })
    await world.perform(spawnAgent, { personaId: 'implementer', taskId: 4 })
    expect((await refusal(world.perform(startRace, { taskId: 4, racers: both }))).message).toMatch(/is claimed by/)
    expect((await refusal(world.perform(startRace, { taskId: 5, racers: both }))).message).toMatch(/blocked by task 4/)
  })

  it('belongs to a person: a client starts, picks and stops none', async () => {
    const world = await racing()
    for (const work of [
      () => world.perform(startRace, { taskId: 1, racers: both }, client('planner')),
      () => world.perform(pickRacer, { taskId: 1, racer: 'race-1-claude' }, client('planner')),
      () => world.perform(stopRace, { taskId: 1 }, client('planner')),
    ])
      expect(await refusal(work())).toMatchObject({ code: 'not_allowed' })
  })
})

describe('the budget of a race', () => {
  it('counts what all racers use together, pauses all of them, and continues all with one answer', async () => {
    const world = await working({ costUsd: 1 })
    const [claude, codex] = world.agents
    await spends(world, claude!, 0.7)
    const held = async () =>
      (await world.perform(readWishes, {}, system())).runs.filter((run) => run.held).map(({ agentId }) => agentId)
    expect(await held()).toEqual([])
    await spends(world, codex!, 0.4)
    expect((await held()).sort()).toEqual([claude, codex].sort())
    expect((await show(world)).usage.costUsd).toBe(1.1)
    const asked = (await world.perform(readBoard, {})).attention.filter(({ kind }) => kind === 'budget')
    expect(asked).toMatchObject([{ taskId: 1 }])
    expect(JSON.stringify(asked)).toContain('$1.10 of $1.00')
    // Its end has its own command, which archives the racers.
    expect((await refusal(world.perform(answerBudget, { taskId: 1, answer: { kind: 'stop' } }))).message).toMatch(
      /is raced/,
    )
    await world.perform(answerBudget, { taskId: 1, answer: { kind: 'raise', costUsd: 5 } })
    expect(await held()).toEqual([])
  })

  it('keeps a racer that has not started from starting', async () => {
    const world = await working({ costUsd: 1 })
    const [claude, codex] = world.agents
    await completes(world, 3, codex!)
    await spends(world, claude!, 2)
    await world.perform(discardWorktree, { worktreeName: 'race-1-codex', reason: 'no' })
    const { held } = await world.perform(dispatch, { maxParallel: 9 }, system())
    expect(held).toEqual([])
    expect((await show(world)).budget.askedAt).not.toBeNull()
    expect((await refusal(world.perform(spawnAgent, { personaId: 'implementer', taskId: 2 }))).code).toBe(
      'invalid_state',
    )
  })
})

describe('the usage of a racer', () => {
  it('stays with the task after its race was stopped, is shown, and counts for the next race', async () => {
    const world = await working({ costUsd: 1 })
    const [claude, codex] = world.agents
    await spends(world, claude!, 0.4)
    expect((await world.perform(stopRace, { taskId: 1 })).usage.costUsd).toBe(0.4)
    // A process that is being stopped reports once more.
    await spends(world, codex!, 0.3)
    expect((await show(world)).usage.costUsd).toBe(0.7)
    expect((await world.perform(getTask, { taskId: 1 })).usage.costUsd).toBe(0.7)
    expect(
      (await refusal(world.perform(startRace, { taskId: 1, racers: both, budget: { costUsd: 0.5 } }))).message,
    ).toMatch(/already used up: \$0\.70 of \$0\.50/)
    expect((await world.perform(startRace, { taskId: 1, racers: both })).usage.costUsd).toBe(0.7)
    for (const name of ['race-1-claude-2', 'race-1-codex-2']) await built(world, name)
    const again = await send(world)
    for (const { agentId } of again) await launched(world, agentId)
    await spends(world, again[0]!.agentId, 0.4)
    expect(await show(world)).toMatchObject({ usage: { costUsd: 1.1 }, budget: { askedAt: world.now() } })
  })

  it('uses up the budget of the task also if its race is stopped before or after the question', async () => {
    const world = await working({ costUsd: 1 })
    const [claude] = world.agents
    await spends(world, claude!, 0.9)
    await world.perform(stopRace, { taskId: 1 })
    expect(await world.perform(listTasks, { available: true })).toMatchObject([{ id: 1 }])
    await spends(world, claude!, 1.2)
    const isHeld = async () => {
      expect((await show(world)).budget.askedAt).not.toBeNull()
      expect(await world.perform(listTasks, { available: true })).toEqual([])
      expect((await refusal(world.perform(startRace, { taskId: 1, racers: both }))).code).toBe('blocked')
    }
    await isHeld()
    await world.perform(answerBudget, { taskId: 1, answer: { kind: 'raise' } })
    await world.perform(startRace, { taskId: 1, racers: both })
    for (const name of ['race-1-claude-2', 'race-1-codex-2']) await built(world, name)
    const [again] = await send(world)
    await launched(world, again!.agentId)
    await spends(world, again!.agentId, 5)
    await world.perform(stopRace, { taskId: 1 })
    await isHeld()
  })
})

describe('a racer without an agent', () => {
  /** Claude works on task 2, task 3 waits for codex, and agents of both kinds look for tasks. */
  const half = async () => {
    const world = await racing({ costUsd: 1 })
    const [first] = (await world.perform(dispatch, { maxParallel: 1 }, system())).started
    await launched(world, first!.agentId)
    for (const kind of both) {
      const { kind: id } = kind
      await world.agent(id)
      await world.store.write((db) => db.updateTable('agents').set(kind).where('id', '=', id).execute())
    }
    const offered = async (agentId: string) =>
      (await world.perform(heartbeatAndGetTasks, { agentId })).tasks.map(({ id }) => id)
    return { world, first: first!.agentId, offered }
  }

  it('is offered to agents of its kind only, and claimed by no other', async () => {
    const { world, offered } = await half()
    expect(await world.perform(listTasks, { available: true })).toMatchObject([{ id: 3 }])
    expect(await offered('claude')).toEqual([])
    expect(await offered('codex')).toEqual([3])
    expect(await refusal(world.perform(claimTask, { taskId: 3, agentId: 'claude' }))).toMatchObject({
      code: 'not_allowed',
      message: 'Task 3 is the racer of codex in the race of task 1, but claude is of the kind claude.',
    })
    expect(await world.perform(claimTask, { taskId: 3, agentId: 'codex' })).toMatchObject({ status: 'claimed' })
  })

  it('is available to none while the budget of its race needs an answer, and is over budget as the raced task is', async () => {
    const { world, first, offered } = await half()
    const found = async (where: string) => (await world.perform(listTasks, { where })).map(({ id }) => id)
    const over = async () =>
      (await world.perform(listTasks, {})).filter((task) => task.overBudget).map((task) => task.id)
    await spends(world, first, 2)
    expect(await world.perform(listTasks, { available: true })).toEqual([])
    expect([await offered('codex'), await found('is:available')]).toEqual([[], []])
    expect([await over(), await found('is:over-budget')]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ])
    expect((await refusal(world.perform(claimTask, { taskId: 3, agentId: 'codex' }))).code).toBe('blocked')
    // Paused by the question, its work is not stalled.
    world.pass(10 * minute)
    expect(await found('is:stalled')).toEqual([])
    await world.perform(answerBudget, { taskId: 1, answer: { kind: 'raise' } })
    expect([await offered('codex'), await found('is:available'), await over()]).toEqual([[3], [3], []])
  })
})

describe('picking a racer', () => {
  it('completes the raced task with what the racer has met, and archives the others', async () => {
    const world = await finished()
    const race = await world.perform(pickRacer, { taskId: 1, racer: 'race-1-claude' })
    expect(race).toMatchObject({ status: 'picked', discarded: ['race-1-codex'] })
    expect(race.racers.map(({ picked }) => picked)).toEqual([true, false])
    expect(race.racers[1]!.worktree).toMatchObject({ status: 'discarded', folder: 'leaving' })
    // The winner's merge waits for an approval as before.
    expect(race.racers[0]!.worktree).toMatchObject({ status: 'active', integration: { status: 'ready' } })
    expect(await world.show(1)).toMatchObject({
      status: 'completed',
      assignedAgentId: 'human-1',
      acceptanceCriteria: [
        { text: 'It works', met: true },
        { text: 'It is fast', met: false },
      ],
      resultData: { picked: { worktree: 'race-1-claude', task: 2, kind: 'claude' } },
    })
    expect(await findBrokenInvariants(world.store.read)).toEqual([])
  })

  it('knows a racer by its agent', async () => {
    const world = await finished()
    const race = await world.perform(pickRacer, { taskId: 1, racer: world.agents[0]! })
    expect(race.racers[0]!.picked).toBe(true)
  })

  it('is refused a second time, for a stranger, without commits, without verification, and while the racer works', async () => {
    const world = await working()
    const [claude, codex] = world.agents
    const pick = (racer: string) => refusal(world.perform(pickRacer, { taskId: 1, racer }))
    expect(await pick('race-1-claude')).toMatchObject({ code: 'unfinished_tasks' })
    expect((await pick('race-1-nobody')).message).toBe(
      "'race-1-nobody' is no racer of task 1. Its racers are race-1-claude, race-1-codex.",
    )
    await completes(world, 2, claude!, 0)
    expect((await pick('race-1-claude')).message).toMatch(/has no commits/)
    await completes(world, 3, codex!)
    expect((await pick('race-1-codex')).message).toMatch(/was not verified\. 'aiswarm task race 1 --verify'/)
    await verified(world, 'race-1-codex', 1)
    await world.perform(pickRacer, { taskId: 1, racer: 'race-1-codex' })
    expect((await pick('race-1-claude')).message).toMatch(/already decided: task 3 was picked/)
    expect((await refusal(world.perform(stopRace, { taskId: 1 }))).message).toMatch(/already decided/)
  })
})

describe('stopping a race', () => {
  it('ends every racer and frees the raced task, which can be raced again', async () => {
    const world = await working()
    const race = await world.perform(stopRace, { taskId: 1 })
    expect(race).toMatchObject({
      status: 'stopped',
      discarded: ['race-1-claude', 'race-1-codex'],
      cancelled: [2, 3],
    })
    const wishes = await world.perform(readWishes, {}, system())
    expect(wishes.runs.every(({ stopRequestedAt }) => stopRequestedAt !== null)).toBe(true)
    expect(await world.perform(listTasks, { available: true })).toMatchObject([{ id: 1, blockedBy: [] }])
    const again = await world.perform(startRace, { taskId: 1, racers: both })
    expect(again.racers.map(({ worktree }) => worktree.name)).toEqual(['race-1-claude-2', 'race-1-codex-2'])
    expect(await findBrokenInvariants(world.store.read)).toEqual([])
  })

  it('ends what is left of it if its task was cancelled with a worktree', async () => {
    const world = await openCore()
    await world.worktree('auth')
    await world.task({ targetWorktree: 'auth' })
    const { racers } = await world.perform(startRace, { taskId: 1, racers: both })
    for (const { worktree } of racers) await built(world, worktree.name)
    await world.perform(discardWorktree, { worktreeName: 'auth', reason: 'other way' })
    expect((await refusal(world.perform(pickRacer, { taskId: 1, racer: 'race-1-claude' }))).message).toMatch(/--stop/)
    expect(await world.perform(stopRace, { taskId: 1 })).toMatchObject({ cancelled: [2, 3] })
  })

  it('cancels a failed racer too, which would otherwise ask for an answer', async () => {
    const world = await working()
    await world.perform(failTask, { taskId: 2, agentId: world.agents[0]!, errorMessage: 'no' })
    expect((await world.perform(stopRace, { taskId: 1 })).cancelled).toEqual([2, 3])
  })

  it('waits for worktrees that are being created', async () => {
    const world = await openCore()
    await world.task()
    await world.perform(startRace, { taskId: 1, racers: both })
    expect((await refusal(world.perform(stopRace, { taskId: 1 }))).message).toMatch(/still being created/)
  })
})

describe('the facts of a race', () => {
  it('are those of the racers, also from one of them', async () => {
    const world = await finished()
    const race = await show(world, 3)
    expect(race.taskId).toBe(1)
    expect(race.racers).toMatchObject([
      { status: 'completed', commits: 2, attempts: 1, worked: minute, criteria: { met: 1, total: 2 }, conflicts: [] },
      { status: 'completed', commits: 1, criteria: { met: 0, total: 2 }, worktree: { integration: null } },
    ])
  })
})

describe('the replay of a race', () => {
  it('shows its racers, its decision and its end', async () => {
    const world = await finished()
    await world.perform(pickRacer, { taskId: 1, racer: 'race-1-claude' })
    await world.task()
    await world.perform(startRace, { taskId: 4, racers: both })
    for (const name of ['race-4-claude', 'race-4-codex']) await built(world, name)
    await world.perform(stopRace, { taskId: 4 })
    const events = await world.perform(listEvents, { limit: 1000 })
    const { tasks, worktrees } = replay(nothingYet, events)
    for (const { id, status } of await world.perform(listTasks, {})) expect(tasks.get(id)!.status).toBe(status)
    expect(worktrees.get('race-1-codex')!.state).toBe('discarded')
    expect(worktrees.get('race-1-claude')!.state).not.toBe('discarded')
    const said = events.map((event) => eventSentence(event, (id) => `task ${id}`)).filter((text) => /race/.test(text))
    expect(said).toEqual(
      expect.arrayContaining([
        'human races task 1: claude, codex',
        'human picks race-1-claude in the race of task 1',
        'human stops the race of task 4: no racer is picked',
      ]),
    )
  })
})
