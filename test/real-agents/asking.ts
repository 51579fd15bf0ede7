import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../../src/domain/agent/actor.ts'
import { answerRequest } from '../../src/operations/requests/answers.ts'
import { act, perform } from '../../src/operations/perform/perform.ts'
import { getRequest, listRequests } from '../../src/operations/requests/requests.ts'
import { type Stage } from './stage.ts'
import { on, over, check, type Case, taskId, report, edit, commit, complete, end } from './play.ts'

/** Some ask while they work; the others are denied, a person allows it by a rule, and the next attempt may do it. */
export const permission: Case = (cli) =>
  on(
    cli,
    [report('reading'), { shell: 'npm --version' }, edit, commit, complete, end],
    { approvals: 'ask' },
    async (stage) => {
      const requests = async () => perform(stage.core, listRequests, {}, person)
      const task = await stage.until(
        'a request, or the end',
        async ({ status }) =>
          status === 'completed' ||
          status === 'failed' ||
          (await requests()).some((one) => one.subject.includes('npm --version')),
      )
      let [request] = await requests()
      if (!request) {
        await over(stage)
        ;[request] = await requests()
      }
      if (!request && task.status === 'completed') return 'its sandbox let the command run; nothing to ask'
      check(request !== undefined, `nothing was asked; ${task.errorMessage ?? ''}`)
      await act(stage.connection, answerRequest, {
        requestId: request!.id,
        verdict: request!.kind === 'denial' ? 'always' : 'allow',
      })
      // Its other requests are allowed as well.
      for (let status = ''; status !== 'completed'; await sleep(200)) {
        ;({ status } = await stage.show())
        check(status !== 'failed', 'the task failed')
        for (const one of await requests())
          await act(stage.connection, answerRequest, {
            requestId: one.id,
            verdict: one.rule === null || one.kind === 'permission' ? 'allow' : 'always',
          }).catch(() => {})
      }
      const [answered] = (await perform(stage.core, listRequests, { all: true }, person)).filter(
        ({ id }) => id === request!.id,
      )
      if (request!.kind === 'permission') {
        check(answered!.toldAt !== null, 'the answer did not reach it')
        return 'asked, answered, told'
      }
      check(readFileSync(join(stage.root, '.aiswarm/config.yaml'), 'utf8').includes('shell(npm'), 'no rule was written')
      return 'denied by the CLI, shown, allowed by a rule'
    },
  )

/** A person answers every request while the agent waits; the answers must take effect. */
const answering =
  (answer: (stage: Stage, requestId: number) => Promise<void>): Case =>
  (cli) =>
    on(cli, [report('reading'), edit, commit, complete, end], { approvals: 'ask' }, async (stage) => {
      const asked = await answerAll(stage, answer)
      const task = await stage.show()
      check(task.status === 'completed', `the task is ${task.status}: ${task.errorMessage ?? ''}`)
      check(existsSync(join(stage.worktree, 'login.txt')), 'the edit was allowed and did not happen')
      const subjects = task.attempts[0]!.commits.map(({ subject }) => subject)
      check(subjects.join() === 'Add the login', `the commit was allowed; commits: ${subjects.join() || 'none'}`)
      const all = await perform(stage.core, listRequests, { all: true }, person)
      const wrong = all.filter(
        ({ kind, status, toldAt }) => kind !== 'permission' || status !== 'allowed' || toldAt === null,
      )
      check(
        wrong.length === 0,
        `requests: ${wrong.map(({ kind, status, subject }) => `${kind} ${status} ${subject}`).join('; ')}`,
      )
      return `${asked} asked, allowed, done; 1 commit`
    })

const byCommand = (stage: Stage, requestId: number): Promise<void> =>
  stage.inTerminal(['request', 'answer', String(requestId), '--allow'], 'implementer-1')

const byConsole = async (stage: Stage, requestId: number): Promise<void> => {
  await act(stage.connection, answerRequest, { requestId, verdict: 'allow' })
}

/** The person answers with the command line. */
export const allowedByCommand: Case = (cli) => answering(byCommand)(cli)

/** The person answers in the console. */
export const allowedByConsole: Case = (cli) => answering(byConsole)(cli)

export const denied: Case = (cli) =>
  on(
    cli,
    [report('reading'), edit, { tool: 'fail_task', args: { taskId, errorMessage: 'may not edit' } }, end],
    { approvals: 'ask', config: 'session: {maxRetries: 0}\n' },
    async (stage) => {
      await answerAll(stage, async (_, requestId) => {
        await act(stage.connection, answerRequest, { requestId, verdict: 'deny' })
      })
      const task = await stage.show()
      check(
        task.status === 'failed' && task.errorMessage === 'may not edit',
        `the task is ${task.status}: ${task.errorMessage ?? ''}`,
      )
      check(!existsSync(join(stage.worktree, 'login.txt')), 'the edit was denied and happened')
      check(stage.requests().includes('A person denied this'), 'the model was not told that a person denied it')
      return 'denied, told, not done'
    },
  )

/** Denied with words: the model reads them as the result of its call. */
export const deniedInWords: Case = (cli) =>
  on(
    cli,
    [report('reading'), { shell: 'npm --version' }, edit, commit, complete, end],
    { approvals: 'ask' },
    async (stage) => {
      await answerAll(stage, async (_, requestId) => {
        const request = await perform(stage.core, getRequest, { requestId }, person)
        await act(
          stage.connection,
          answerRequest,
          request.subject.includes('npm')
            ? { requestId, verdict: 'deny', reason: 'Use pnpm here.' }
            : { requestId, verdict: 'allow' },
        )
      })
      const task = await stage.show()
      check(task.status === 'completed', `the task is ${task.status}: ${task.errorMessage ?? ''}`)
      check(stage.requests().includes('Use pnpm here.'), 'the model was not told the words')
      return 'denied with words, told, went on'
    },
  )

/** Answers every open request until the task ends; returns their number. */
const answerAll = async (stage: Stage, answer: (stage: Stage, requestId: number) => Promise<void>): Promise<number> => {
  const answered = new Set<number>()
  await stage.until('the end of the task', async ({ status }) => {
    if (status === 'completed' || status === 'failed') return true
    for (const { id, kind } of await perform(stage.core, listRequests, {}, person)) {
      if (kind !== 'permission' || answered.has(id)) continue
      answered.add(id)
      await answer(stage, id)
    }
    return false
  })
  await over(stage)
  check(answered.size > 0, 'nothing was asked')
  return answered.size
}
