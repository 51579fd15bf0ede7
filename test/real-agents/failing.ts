import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { person } from '../../src/domain/agent/actor.ts'
import { getAgentRuns } from '../../src/operations/agents/runs.ts'
import { act, perform } from '../../src/operations/perform/perform.ts'
import { listAgents } from '../../src/operations/agents/list.ts'
import { readBoard } from '../../src/operations/screens/board.ts'
import { retryTask } from '../../src/operations/tasks/retry.ts'
import { say, stopTurn } from '../../src/operations/messages/say.ts'
import { terminateAgent } from '../../src/operations/agents/spawn.ts'
import { talks } from './ways.ts'
import { on, over, check, type Case, report, edit, commit, complete, end } from './play.ts'

export const unauthorized: Case = (cli) =>
  on(cli, [{ error: 401, times: 1000 }, end], {}, async (stage) => {
    const task = await stage.until(
      'the end of the attempt',
      ({ attempts }) => attempts[0]?.outcome !== null && attempts.length > 0,
      300,
    )
    const [first] = task.attempts
    check(first!.outcome === 'unavailable', `the attempt is ${first!.outcome}: ${first!.error}`)
    check(task.retryCount === 0, 'a retry was burnt')
    check(task.status === 'pending' && task.notBefore !== null, 'it is tried again at once')
    await over(stage)
    check(stage.leftovers().length === 0, 'processes are left')
    return `held: ${(first!.error ?? '').slice(0, 60)}`
  })

/** Its quota is used up for four minutes: however it waits, it is stopped, uses no retry, and resumes its conversation. */
export const quota: Case = (cli) => {
  const again = join(mkdtempSync(join(tmpdir(), 'aiswarm-quota-')), 'again')
  const used = {
    error: 429,
    times: 100_000,
    untilFile: again,
    message: 'You exceeded your current quota. Please retry in 240s.',
    retryAfter: 240,
  }
  return on(
    cli,
    [report('reading'), used, edit, commit, complete, end],
    { config: 'lease: {ttl: 10s, terminateGrace: 3s, stalledAfter: 15s}\n' },
    async (stage) => {
      const stalled = async () =>
        (await perform(stage.core, readBoard, {}, person)).attention.find(
          ({ kind, evidence }) => kind === 'stalled' && evidence.includes('printed nothing'),
        )
      const task = await stage.until(
        'the end of the attempt',
        async ({ attempts }) =>
          (attempts.length > 0 && attempts[0]!.outcome !== null) || (await stalled()) !== undefined,
        90,
      )
      const waits = await stalled()
      if (waits) {
        check(
          /it has printed nothing since \d\d:\d\d:\d\d/.test(waits.evidence),
          `the board says: ${waits.text}: ${waits.evidence}`,
        )
        return 'waits in silence, and the board says so'
      }
      check(
        task.attempts[0]!.outcome === 'unavailable',
        `the attempt is ${task.attempts[0]!.outcome}: ${task.attempts[0]!.error ?? ''}`,
      )
      check(task.retryCount === 0, 'a retry was burnt')
      const away = Math.round((Date.parse(task.notBefore ?? '') - Date.now()) / 1000)
      check(task.status === 'pending' && away > 60, `it is tried again in ${away} s`)
      await over(stage)
      check(stage.leftovers().length === 0, 'processes are left')
      writeFileSync(again, '')
      await act(stage.connection, retryTask, { taskId: stage.id })
      const done = await stage.until('completion', ({ status }) => status === 'completed' || status === 'failed')
      check(done.status === 'completed', done.errorMessage ?? 'not completed')
      await over(stage)
      const runs = (
        await Promise.all(
          (await perform(stage.core, listAgents, { all: true }, person)).map(({ id }) =>
            perform(stage.core, getAgentRuns, { agentId: id }, person),
          ),
        )
      ).flat()
      check(
        runs.some(({ resumed }) => resumed),
        'it began a new conversation',
      )
      return `put off for ${away} s, then went on`
    },
  )
}

/** Its service begins an answer and falls silent: the board says so, and a person makes the agent continue. */
export const stalled: Case = (cli) => {
  const again = join(mkdtempSync(join(tmpdir(), 'aiswarm-stalled-')), 'again')
  return on(
    cli,
    [report('reading'), { stall: true, times: 100_000, untilFile: again }, edit, commit, complete, end],
    { config: 'lease: {ttl: 10s, terminateGrace: 3s, stalledAfter: 15s}\n' },
    async (stage) => {
      const stalledAt = async () =>
        (await perform(stage.core, readBoard, {}, person)).attention.find(
          ({ kind, evidence }) => kind === 'stalled' && evidence.includes('printed nothing'),
        )
      const before = await stage.until(
        'the word of the board',
        async ({ attempts }) =>
          (attempts.length > 0 && attempts[0]!.outcome !== null) || (await stalledAt()) !== undefined,
        90,
      )
      const [first] = before.attempts
      check(first!.outcome === null, `the attempt is ${first!.outcome}: ${first!.error ?? ''}`)
      const { evidence } = (await stalledAt())!
      check(evidence.includes('its service does not respond'), `the board says: ${evidence}`)
      writeFileSync(again, '')
      if (talks(cli)) {
        await perform(stage.core, stopTurn, { agentId: 'implementer-1' }, person)
        await perform(stage.core, say, { agentIds: ['implementer-1'], text: 'Go on.' }, person)
      } else await act(stage.connection, terminateAgent, { agentId: 'implementer-1' })
      const task = await stage.until('completion', ({ status }) => status === 'completed' || status === 'failed')
      await over(stage)
      check(task.status === 'completed', task.errorMessage ?? 'not completed')
      check(task.retryCount === 0, 'a retry was burnt')
      check(stage.leftovers().length === 0, 'processes are left')
      if (!talks(cli)) return `the board said so; ended, and completed in attempt ${task.attempt}`
      check(task.attempt === 1, `it was completed in attempt ${task.attempt}`)
      return 'the board said so; its turn was stopped, and it went on with words'
    },
  )
}
