import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { usualKey } from '../../../src/domain/task/status.ts'
import { later } from '../../../src/domain/words/time.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { claimTask, startTask } from '../../../src/operations/tasks/claims.ts'
import { processesArrived, secondPassed } from '../../../src/ui/core/reducers.ts'
import { agentSpinner, estimateOf, worktreeSpinner } from '../../../src/ui/rows/progress.ts'
import { rowReason } from '../../../src/ui/rows/tasks.ts'
import { agentActor, minute, second } from '../../support/core.ts'
import { openController, type TestController } from '../controller.ts'
import { type Fixture, openFixture } from '../fixture.ts'

let fixture: Fixture
let controller: TestController
beforeEach(async () => {
  fixture = await openFixture()
  const taskId = await fixture.addTask('Login')
  const worker = agentActor('backend', 'worker', null)
  await perform(fixture.core, registerAgent, { id: 'backend', personaId: 'implementer' }, person)
  await perform(fixture.core, claimTask, { taskId, agentId: 'backend' }, worker)
  await perform(fixture.core, startTask, { taskId }, worker)
  controller = await openController(fixture)
})
afterEach(() => fixture.close())

const task = () => controller.state().board.tasks[0]!
/** The clock of the console so many milliseconds after the task started. */
const at = (ms: number): void => controller.change((state) => ({ ...state, now: later(task().startedAt!, ms) }))
const usually = (ms: number, isCommand = false): void =>
  controller.change((state) => ({ ...state, usual: { [usualKey({ personaId: 'implementer', isCommand })]: ms } }))

describe('the estimate of a task in progress', () => {
  it('counts down from the usual time, by the minute, and says when that is over', () => {
    usually(20 * minute)
    const seen = [0, 1, 8 * minute, 19 * minute + 30 * second, 20 * minute, 90 * minute].map((ms) => {
      at(ms)
      return rowReason(controller.state(), task())
    })
    expect(seen).toEqual([
      '~20m left',
      '~19m left',
      '~12m left',
      '~<1m left',
      'over the usual 20m',
      'over the usual 20m',
    ])
  })

  it('is none without a usual time of its persona, for another kind of work, and for a task that waits', () => {
    at(minute)
    expect(estimateOf(controller.state(), task())).toBe('')
    usually(20 * minute, true)
    expect(estimateOf(controller.state(), task())).toBe('')
    usually(20 * minute)
    expect(estimateOf(controller.state(), { ...task(), status: 'pending' })).toBe('')
    expect(estimateOf(controller.state(), { ...task(), status: 'completed' })).toBe('')
  })
})

describe('the spinner', () => {
  const seen = (lastOutput: string | null) =>
    processesArrived([{ agentId: 'backend', cpu: 0, memory: 0, processes: 1, lastOutput }])

  it('turns once a second while a process has recent output, and disappears when it is silent', () => {
    const { startedAt } = task()
    expect(agentSpinner(controller.state(), 'backend')).toBeUndefined()
    controller.change(seen(startedAt))
    const turns = [0, 999, 1000, 2000, 9999, 10_000].map((ms) => {
      at(Math.floor(ms / 1000) * 1000)
      return agentSpinner(controller.state(), 'backend')
    })
    expect(turns[0]).toBe(turns[1])
    expect(new Set([turns[0], turns[2], turns[3], turns[4]]).size).toBe(4)
    expect(turns[5]).toBeUndefined()
    controller.change(seen(null))
    at(0)
    expect(agentSpinner(controller.state(), 'backend')).toBeUndefined()
  })

  it('of a worktree turns while its merge is verified or moved by a supervisor', async () => {
    await fixture.addWorktree('user-auth')
    await fixture.makeReady('user-auth')
    await controller.reread()
    const [worktree] = controller.state().board.worktrees
    const turning = (['requested', 'verifying', 'ready', 'moving', 'integrated', 'rejected'] as const).filter(
      (status) =>
        worktreeSpinner(controller.state(), {
          ...worktree!,
          integration: { ...worktree!.integration!, status },
        }) !== undefined,
    )
    expect(turning).toEqual(['verifying', 'moving'])
    const nobody = { ...controller.state(), supervisor: { here: false, pid: null } }
    const verifying = { ...worktree!, integration: { ...worktree!.integration!, status: 'verifying' as const } }
    expect(worktreeSpinner(nobody, verifying)).toBeUndefined()
  })

  it('needs no frame of an idle console: its clock does not move for ten seconds', async () => {
    const idle = await openFixture()
    const quiet = await openController(idle)
    const before = quiet.state()
    const from = later(before.now.replace(/\d\.\d+Z$/, '0.000Z'), 10 * second)
    quiet.change(secondPassed(from, before.supervisor))
    const still = quiet.state()
    for (let n = 1; n < 10; n++) quiet.change(secondPassed(later(from, n * second), before.supervisor))
    expect(quiet.state()).toBe(still)
    idle.close()
  })
})
