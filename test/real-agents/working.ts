import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../../src/domain/agent/actor.ts'
import { getAgentRuns } from '../../src/operations/agents/runs.ts'
import { act, perform } from '../../src/operations/perform/perform.ts'
import { listAgents } from '../../src/operations/agents/list.ts'
import { retryTask } from '../../src/operations/tasks/retry.ts'
import { on, over, check, type Case, taskId, report, edit, commit, complete, end } from './play.ts'

export const work: Case = (cli) =>
  on(cli, [report('reading'), edit, commit, complete, end], {}, async (stage) => {
    await stage.until('completion', ({ status }) => status === 'completed' || status === 'failed')
    await over(stage)
    const task = await stage.show()
    check(task.status === 'completed', task.errorMessage ?? 'not completed')
    check(readFileSync(join(stage.worktree, 'login.txt'), 'utf8') === 'a login\n', 'the file is not there')
    const subjects = task.attempts[0]!.commits.map(({ subject }) => subject)
    check(subjects.join() === 'Add the login', `commits: ${subjects.join() || 'none'}`)
    const { tokensIn, tokensOut } = task.attempts[0]!
    check((tokensIn ?? 0) > 0 && (tokensOut ?? 0) > 0, 'no tokens were read')
    check(stage.leftovers().length === 0, 'processes are left')
    return `1 commit, ${tokensIn}/${tokensOut} tokens`
  })

export const killed: Case = (cli) =>
  on(
    cli,
    [
      report('reading'),
      { shell: '[ -e ~/signals/begun ] || { touch ~/signals/begun; sleep 600; }' },
      edit,
      commit,
      complete,
      end,
    ],
    {},
    async (stage) => {
      await stage.until('progress', ({ progressPercent }) => progressPercent === 10)
      await sleep(1500)
      const [agent] = await perform(stage.core, listAgents, {}, person)
      process.kill(-agent!.processId!, 'SIGKILL')
      const task = await stage.until('completion', ({ status }) => status === 'completed' || status === 'failed')
      check(task.status === 'completed', task.errorMessage ?? 'not completed')
      check(task.attempts[0]!.outcome === 'lost', `the first attempt is ${task.attempts[0]!.outcome}`)
      check(task.retryCount === 0, 'a retry was burnt')
      await over(stage)
      check(stage.leftovers().length === 0, 'processes are left')
      return `lost, then completed in attempt ${task.attempt}`
    },
  )

export const resumed: Case = (cli) =>
  on(
    cli,
    [
      report('reading'),
      { tool: 'fail_task', args: { taskId, errorMessage: 'no compiler' } },
      { text: 'It cannot be done.' },
      edit,
      commit,
      complete,
      end,
    ],
    {},
    async (stage) => {
      await stage.until('failure', ({ retryCount }) => retryCount === 1)
      await over(stage)
      await act(stage.connection, retryTask, { taskId: stage.id })
      const task = await stage.until(
        'completion',
        ({ status, retryCount }) => status === 'completed' || status === 'failed' || retryCount > 1,
      )
      check(task.status === 'completed', task.errorMessage ?? 'not completed')
      await over(stage)
      const runs = (
        await Promise.all(
          (await perform(stage.core, listAgents, { all: true }, person)).map(({ id }) =>
            perform(stage.core, getAgentRuns, { agentId: id }, person),
          ),
        )
      ).flat()
      runs.sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
      check(runs.at(-1)!.resumed, 'the second run began a new session')
      check(runs[0]!.session !== null && runs[0]!.session === runs.at(-1)!.session, 'the session is another')
      check(
        runs[1]!.tokensIn > 0 && runs[1]!.tokensIn < runs[0]!.tokensIn * 2,
        `tokens ${runs.map(({ tokensIn }) => tokensIn).join(', ')}`,
      )
      return `same session, tokens ${runs.map(({ tokensIn }) => tokensIn).join(' + ')}`
    },
  )

/** The person's own MCP servers stay, unless the persona is limited to aiswarm's. */
export const servers: Case = async (cli) => {
  for (const persona of ['', ', mcp: only-aiswarm']) {
    await on(cli, [report('reading'), complete, end], { ownServer: true, persona }, async (stage) => {
      await stage.until('completion', ({ status }) => status === 'completed' || status === 'failed')
      await over(stage)
      const task = await stage.show()
      check(task.status === 'completed', task.errorMessage ?? 'not completed')
      check(
        stage.ownStarted() === (persona === ''),
        persona === '' ? "the person's own server was not started" : "the person's own server was started",
      )
      return ''
    })
  }
  return 'kept, and left out with only-aiswarm'
}

/** It only talks. */
export const idle: Case = (cli) =>
  on(cli, [{ text: 'I would rather not.' }], {}, async (stage) => {
    const task = await stage.until('the end of the attempt', ({ retryCount }) => retryCount === 1)
    check(task.errorMessage!.startsWith('no-artifact'), task.errorMessage!)
    check(!existsSync(join(stage.worktree, 'login.txt')), 'there is a file')
    return 'no-artifact'
  })
