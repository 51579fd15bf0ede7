import { expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { spawnAgent, terminateAgent } from '../../../src/operations/agents/spawn.ts'
import { approveIntegration, rejectIntegration } from '../../../src/operations/integration/decisions.ts'
import { recordCandidate } from '../../../src/operations/integration/merge.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { recordVerification } from '../../../src/operations/integration/verification.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { endSession } from '../../../src/operations/sessions/end.ts'
import { pauseScheduling } from '../../../src/operations/sessions/sessions.ts'
import { startSession } from '../../../src/operations/sessions/start.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { answerBudget } from '../../../src/operations/tasks/budget-answers.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask, failTask } from '../../../src/operations/tasks/claims.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { recordRemoval } from '../../../src/operations/worktrees/archive.ts'
import { discardWorktree } from '../../../src/operations/worktrees/discard.ts'
import { restoreWorktree } from '../../../src/operations/worktrees/restore.ts'
import { openCore, refusal, type World } from '../../support/core.ts'
import { loseUpdates } from '../../support/store.ts'

const oids = { targetOid: 'a'.repeat(40), branchOid: 'b'.repeat(40), mergeOid: 'c'.repeat(40) }

const requested = async ({ worktree, perform }: World) => {
  await worktree('w')
  return (await perform(requestIntegration, { worktreeName: 'w' })).integration!.id
}

const ready = async (world: World) => {
  const id = await requested(world)
  await world.perform(recordCandidate, { id, candidate: oids, approval: 'human' }, system())
  await world.perform(recordVerification, { id, mergeOid: oids.mergeOid, verification: null }, system())
}

const working = async ({ task, perform }: World) => {
  await task()
  await perform(spawnAgent, { personaId: 'implementer', taskId: 1 })
}

const session = ({ perform }: World) => perform(beginSession, {})

interface Race {
  /** The table whose rows another process has changed. */
  readonly table: string
  readonly before: (world: World) => Promise<unknown>
  readonly call: (world: World) => Promise<unknown>
  readonly says: string
}

const races: Readonly<Record<string, Race>> = {
  'the approval of a merge': {
    table: 'integrations',
    before: ready,
    call: ({ perform }) => perform(approveIntegration, { worktreeName: 'w', ...oids }),
    says: 'The integration of w',
  },
  'the rejection of a merge': {
    table: 'integrations',
    before: ready,
    call: ({ perform }) => perform(rejectIntegration, { worktreeName: 'w', reason: 'x' }),
    says: 'The integration of w',
  },
  'a repeated request for an integration': {
    table: 'integrations',
    before: requested,
    call: ({ perform }) => perform(requestIntegration, { worktreeName: 'w' }),
    says: 'The integration of w',
  },
  'a request for an integration': {
    table: 'worktrees',
    before: ({ worktree }) => worktree('w'),
    call: ({ perform }) => perform(requestIntegration, { worktreeName: 'w' }),
    says: 'Worktree w',
  },
  'the discard of a worktree': {
    table: 'worktrees',
    before: ({ worktree }) => worktree('w'),
    call: ({ perform }) => perform(discardWorktree, { worktreeName: 'w', reason: 'x' }),
    says: 'Worktree w',
  },
  'the discard of a worktree with an integration': {
    table: 'integrations',
    before: ready,
    call: ({ perform }) => perform(discardWorktree, { worktreeName: 'w', reason: 'x' }),
    says: 'The integration of w',
  },
  'the restoration of a worktree': {
    table: 'archives',
    before: async ({ worktree, perform }) => {
      await worktree('w')
      await perform(discardWorktree, { worktreeName: 'w', reason: 'x' })
      await perform(recordRemoval, { name: 'w', archiveRef: 'refs/x', trashPath: null }, system())
    },
    call: ({ perform }) => perform(restoreWorktree, { worktreeName: 'w' }),
    says: 'The archive of w',
  },
  'the end of a session': {
    table: 'sessions',
    before: session,
    call: ({ perform }) => perform(endSession, {}),
    says: 'Session ',
  },
  'a pause of scheduling': {
    table: 'sessions',
    before: session,
    call: ({ perform }) => perform(pauseScheduling, { paused: true }),
    says: 'Session ',
  },
  'the goal of a running session': {
    table: 'sessions',
    before: session,
    call: ({ perform }) => perform(startSession, { goal: 'x' }),
    says: 'Session ',
  },
  'the answer that stops a session': {
    table: 'sessions',
    before: session,
    call: ({ perform }) => perform(answerBudget, { answer: { kind: 'stop' } }),
    says: 'Session ',
  },
  'the answer that stops a task': {
    table: 'agents',
    before: working,
    call: ({ perform }) => perform(answerBudget, { taskId: 1, answer: { kind: 'stop' } }),
    says: 'Agent implementer-1',
  },
  'the cancellation of a task with a process': {
    table: 'agents',
    before: working,
    call: ({ perform }) => perform(cancelTask, { taskId: 1 }),
    says: 'Agent implementer-1',
  },
  'the stop of an agent': {
    table: 'agents',
    before: working,
    call: ({ perform }) => perform(terminateAgent, { agentId: 'implementer-1' }),
    says: 'Agent implementer-1',
  },
  'the stop of an agent without a process': {
    table: 'agents',
    before: ({ agent }) => agent('a'),
    call: ({ perform }) => perform(terminateAgent, { agentId: 'a' }),
    says: 'Agent a',
  },
  'the discard of a worktree with an agent': {
    table: 'agents',
    before: async (world) => {
      await world.worktree('w')
      await world.agent('a', { worktree: 'w' })
    },
    call: ({ perform }) => perform(discardWorktree, { worktreeName: 'w', reason: 'x' }),
    says: 'Agent a',
  },
  'an assignment': {
    table: 'agents',
    before: ({ task }) => task(),
    call: ({ perform }) => perform(dispatch, { maxParallel: 1 }, system()),
    says: 'Agent implementer-1',
  },
  'the retry of a failed task': {
    table: 'task_status',
    before: async ({ task, agent, perform }) => {
      await task()
      const worker = await agent('a')
      await perform(claimTask, { taskId: 1 }, worker)
      await perform(failTask, { taskId: 1, errorMessage: 'x' }, worker)
    },
    call: ({ perform }) => perform(retryTask, { taskId: 1 }),
    says: 'Task 1',
  },
}

it.each(Object.entries(races))(
  '%s is refused if another process has changed the row since it was read',
  async (_, { table, before, call, says }) => {
    const world = await openCore()
    await before(world)
    const events = await world.events()
    // Every update finds its row changed: as of an engine in which another process writes at the same time.
    await loseUpdates(world.store, table)
    const { code, message } = await refusal(call(world))
    expect([code, message.slice(0, says.length), message.slice(message.indexOf(' has just'))]).toEqual([
      'invalid_state',
      says,
      ' has just changed. Check it, then try again.',
    ])
    expect(await world.events()).toEqual(events)
  },
)
