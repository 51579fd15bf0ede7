import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../../src/domain/agent/actor.ts'
import { answerRequest } from '../../src/operations/requests/answer-request.ts'
import { getAgentRuns } from '../../src/operations/agents/get-agent-runs.ts'
import { act, perform } from '../../src/operations/door/perform.ts'
import { listMessages } from '../../src/operations/messages/list-messages.ts'
import { say, stopTurn } from '../../src/operations/messages/say.ts'
import { listAgents } from '../../src/operations/agents/list-agents.ts'
import { getRequest, listRequests } from '../../src/operations/requests/list-requests.ts'
import { readBoard } from '../../src/operations/screens/read-board.ts'
import { getTask } from '../../src/operations/tasks/get-task.ts'
import { retryTask } from '../../src/operations/tasks/retry-task.ts'
import type { Cli } from './clis.ts'
import { handBack } from '../../src/operations/takeovers/hand-back.ts'
import { forkAgent } from '../../src/operations/takeovers/fork-agent.ts'
import { openStage, type Stage, type StageOptions, type Step } from './stage.ts'

/** The result of a case: a sentence about the observation. Throws if the promise was broken. */
export type Case = (cli: Cli) => Promise<string>

/** A row of the table; `asks` only for the CLIs that ask a person while they run. */
interface Row {
  readonly play: Case
  readonly asks?: boolean
  /** Only for the CLIs that can be spoken to while they run. */
  readonly talks?: boolean
  /** Only for the CLIs whose own program opens their conversation in a new home without a network. */
  readonly opens?: boolean
}

const taskId = 1

/** The place where the prompt says that the work must be done. */
const place: Step = { dir: 'inside (\\S+?),' }

const report = (note: string): Step => ({
  tool: 'report_task_progress',
  args: { taskId, progressNote: note, percentComplete: 10 },
  let: place,
})
const edit: Step = { write: { path: '{{dir}}/login.txt', content: 'a login\n' } }
const commit: Step = { shell: 'git add login.txt && git commit -m "Add the login"' }
const complete: Step = { tool: 'complete_task', args: { taskId, resultData: 'done', artifacts: ['login.txt'] } }
const end: Step = { text: 'Finished.' }

const work: Case = (cli) =>
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

/** Some ask while they work; the others are denied, a person allows it by a rule, and the next attempt may do it. */
const permission: Case = (cli) =>
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

const killed: Case = (cli) =>
  on(
    cli,
    [report('reading'), { shell: '[ -e ~/begun ] || { touch ~/begun; sleep 600; }' }, edit, commit, complete, end],
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

const resumed: Case = (cli) =>
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

const unauthorized: Case = (cli) =>
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
const quota: Case = (cli) => {
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

/** The person's own MCP servers stay, unless the persona is limited to aiswarm's. */
const servers: Case = async (cli) => {
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
const idle: Case = (cli) =>
  on(cli, [{ text: 'I would rather not.' }], {}, async (stage) => {
    const task = await stage.until('the end of the attempt', ({ retryCount }) => retryCount === 1)
    check(task.errorMessage!.startsWith('no-artifact'), task.errorMessage!)
    check(!existsSync(join(stage.worktree, 'login.txt')), 'there is a file')
    return 'no-artifact'
  })

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

const denied: Case = (cli) =>
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
const deniedInWords: Case = (cli) =>
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

/** A person speaks while a command runs, or for the end of the turn. */
const saying =
  (when: 'now' | 'turn'): Case =>
  (cli) =>
    on(
      cli,
      [report('reading'), { shell: 'until [ -e ~/go ]; do sleep 0.2; done' }, edit, commit, end, complete, end],
      {},
      async (stage) => {
        await stage.until('progress', ({ progressPercent }) => progressPercent === 10)
        const words = 'Mind the umlauts: äöü.'
        const input = { agentIds: ['implementer-1'], text: words, when }
        const [message] = await perform(stage.core, say, input, person)
        const state = async () =>
          (await perform(stage.core, listMessages, {}, person)).find(({ id }) => id === message!.id)!.status
        if (when === 'now') await stage.until('the handing over', async () => (await state()) === 'handed_over')
        else check((await state()) === 'queued', 'it was not kept for the end of the turn')
        writeFileSync(join(stage.folder, 'home', 'go'), '')
        // Its turn ends before its task: a message for the end begins another turn, which completes it.
        const task = await stage.until('the end', ({ status }) => ['completed', 'failed', 'pending'].includes(status))
        await over(stage)
        check((await state()) === 'seen', `the message is ${await state()}`)
        check(told(stage, words) === 1, `the model was told ${told(stage, words)} times`)
        if (when === 'turn') check(task.status === 'completed', `${task.status}: ${task.errorMessage ?? ''}`)
        check(stage.leftovers().length === 0, 'processes are left')
        return when === 'now' ? 'read with the result of the running command' : 'began a turn of its own'
      },
    )

/** The turn is stopped in the middle of a command; the run stays, and continues with words. */
const stopped: Case = (cli) =>
  on(
    cli,
    [report('reading'), { shell: 'until [ -e ~/never ]; do sleep 0.2; done' }, edit, commit, complete, end],
    {},
    async (stage) => {
      await stage.until('progress', ({ progressPercent }) => progressPercent === 10)
      // The stop must meet the command, not its beginning.
      await stage.until('the command', () => stage.requests().includes('~/never'))
      await sleep(3000)
      const { id } = await perform(stage.core, stopTurn, { agentId: 'implementer-1' }, person)
      const state = async () =>
        (await perform(stage.core, listMessages, {}, person)).find((one) => one.id === id)!.status
      await stage.until('the receipt', async () => (await state()) === 'seen')
      await sleep(1500)
      const [agent] = await perform(stage.core, listAgents, {}, person)
      check(agent!.process === 'started' && agent!.run === 1, 'the run is over')
      await perform(stage.core, say, { agentIds: ['implementer-1'], text: 'Leave that command out.' }, person)
      const task = await stage.until('completion', ({ status }) => status === 'completed' || status === 'failed')
      check(task.status === 'completed' && task.attempt === 1, task.errorMessage ?? `attempt ${task.attempt}`)
      await over(stage)
      check(stage.leftovers().length === 0, 'processes are left')
      return 'stopped, kept its run, went on with words'
    },
  )

/** A person takes the conversation over in the CLI's own program, says a word there, and hands it back to the agent. */
const takenOver: Case = (cli) =>
  on(
    cli,
    [report('reading'), { shell: 'until [ -e ~/never ]; do sleep 0.2; done' }, edit, commit, complete, end],
    {},
    async (stage) => {
      await stage.until('progress', ({ progressPercent }) => progressPercent === 10)
      // The end must meet the command, not its beginning.
      await stage.until('the command', () => stage.requests().includes('~/never'))
      await sleep(3000)
      const taken = await stage.connection.outside.takeOver('implementer-1', person)
      check(stage.leftovers().length === 0, 'processes are left')
      check((await stage.show()).assignedAgentId === taken.holderId, 'the person does not hold the task')
      const words = 'Mind-the-umlauts please.'
      // Its own program has no tools of aiswarm there, so the model answers with words.
      await stage.inProgram(cli, taken, words, 'SCRIPT:')
      check((await stage.show()).assignedAgentId === taken.holderId, 'the person has lost the task')
      writeFileSync(join(stage.folder, 'home', 'never'), '')
      await act(stage.connection, handBack, { holderId: taken.holderId, how: 'agent', text: 'Go on, then.' })
      const task = await stage.until('the end', ({ status }) => status === 'completed' || status === 'failed')
      await over(stage)
      check(task.status === 'completed', `${task.status}: ${task.errorMessage ?? ''}`)
      const [one, two] = [told(stage, 'Mind-the-umlauts'), told(stage, 'Go on, then.')]
      check(one > 0, 'the agent does not know what was said in the program')
      check(two > 0, 'the agent was not told the word of the person who left')
      check(stage.leftovers().length === 0, 'processes are left')
      return 'its own program went on with the conversation, and the agent after it'
    },
  )

/** The commands of a copy of the conversation, which works on task 2 in a worktree of its own. */
const ofFork = (...steps: readonly Step[]): readonly Step[] => steps.map((step) => ({ ...step, if: '{{fork}}' }))

/** A second agent begins with a copy of the conversation of the first, which continues as before. */
const forked: Case = (cli) =>
  on(
    cli,
    [
      { ...report('reading'), let: { ...(place.let as object), fork: 'Work only inside (\\S+/fork-1),' } },
      ...ofFork(
        { tool: 'report_task_progress', args: { taskId: 2, progressNote: 'on its own', percentComplete: 20 } },
        { write: { path: '{{fork}}/login.txt', content: 'another login\n' } },
        { shell: 'cd {{fork}} && git add login.txt && git commit -m "Add another login"' },
        { tool: 'complete_task', args: { taskId: 2, resultData: 'done', artifacts: ['login.txt'] } },
        end,
      ),
      { shell: 'until [ -e ~/never ]; do sleep 0.2; done' },
      ...[edit, commit, complete, end],
    ],
    {},
    async (stage) => {
      await stage.until('progress', ({ progressPercent }) => progressPercent === 10)
      await stage.until('the command', () => stage.requests().includes('~/never'))
      await sleep(3000)
      const fork = () => act(stage.connection, forkAgent, { agentId: 'implementer-1', text: 'Keep-it-short please.' })
      const why = stage.connection.core.unforked?.(cli.name)
      if (why !== undefined) {
        const refused = await fork().then(
          () => undefined,
          (error: unknown) => String(error),
        )
        check(refused?.includes(why) === true, `not refused, though it cannot: ${refused ?? 'a fork'}`)
        return `refused: ${why}`
      }
      const { id } = await fork()
      const copy = () => perform(stage.core, getTask, { taskId: 2 }, person)
      // Its commits are read when its process has ended.
      await stage.until('the end of the copy', async () => {
        const { status, attempts } = await copy()
        return status === 'failed' || (status === 'completed' && attempts[0]!.commits.length > 0)
      })
      const done = await copy()
      check(done.status === 'completed', `the copy ${done.status}: ${done.errorMessage ?? ''}`)
      const commits = done.attempts[0]!.commits.map(({ subject }) => subject)
      check(commits.join() === 'Add another login', `commits of the copy: ${commits.join() || 'none'}`)
      const first = await stage.show()
      check(first.status === 'in_progress' && first.attempt === 1, `the first is ${first.status}`)
      writeFileSync(join(stage.folder, 'home', 'never'), '')
      const task = await stage.until('the end', ({ status }) => status === 'completed' || status === 'failed')
      await over(stage)
      check(task.status === 'completed' && task.attempt === 1, `${task.status}: ${task.errorMessage ?? ''}`)
      const [own, others] = [requestsWith(stage, 'Keep-it-short'), requestsWith(stage, 'Write login.txt.')]
      check(own.length > 0, 'the copy was not told the word of the person')
      check(
        own.every((request) => request.includes('Write login.txt.') && request.includes('reading')),
        'the copy does not know the conversation of the first',
      )
      check(!others.at(-1)!.includes('Keep-it-short'), 'the first knows what the copy was told')
      const sessions = await Promise.all(
        ['implementer-1', id].map((agentId) => perform(stage.core, getAgentRuns, { agentId }, person)),
      )
      const [one, two] = sessions.map((runs) => runs[0]!)
      check(one!.session !== two!.session && two!.session !== null, 'both have one conversation')
      check(stage.leftovers().length === 0, 'processes are left')
      return `knew the conversation in ${own.length} requests, ${two!.tokensIn}/${two!.tokensOut} tokens; the first went on`
    },
  )

/** The model's requests that contain these words, in their order. */
const requestsWith = (stage: Stage, words: string): readonly string[] =>
  stage
    .requests()
    .trimEnd()
    .split('\n')
    .filter((line) => line.includes(words))

/** How often the model's last request contains these words. */
const told = (stage: Stage, words: string): number => {
  const last = stage.requests().trimEnd().split('\n').at(-1)!
  return last.split(JSON.stringify(words).slice(1, -1)).length - 1
}

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

/** The rows of the table, in the order in which they run. */
export const cases: Readonly<Record<string, Row>> = {
  work: { play: work },
  permission: { play: permission },
  allowed: { play: answering(byCommand), asks: true },
  console: { play: answering(byConsole), asks: true },
  denied: { play: denied, asks: true },
  words: { play: deniedInWords, asks: true },
  say: { play: saying('now'), talks: true },
  'say-later': { play: saying('turn'), talks: true },
  stop: { play: stopped, talks: true },
  'take-over': { play: takenOver, opens: true },
  fork: { play: forked, talks: true },
  killed: { play: killed },
  resumed: { play: resumed },
  '401': { play: unauthorized },
  quota: { play: quota },
  servers: { play: servers },
  idle: { play: idle },
}

const on = async (
  cli: Cli,
  script: readonly Step[],
  options: StageOptions,
  play: (stage: Stage) => Promise<string>,
): Promise<string> => {
  const stage = await openStage(cli, script, options)
  try {
    return await play(stage)
  } catch (error) {
    const shown =
      process.env['AISWARM_SHOW'] === undefined ? '' : `\n${stage.folder}\n${await stage.output().catch(() => '')}`
    throw new Error(`${error instanceof Error ? error.message : String(error)}${shown}`, { cause: error })
  } finally {
    await stage.close()
  }
}

/** Waits until no process of the agent runs and its end is recorded. */
const over = (stage: Stage) =>
  stage.until(
    'the end of the process',
    async () =>
      (await perform(stage.core, listAgents, {}, person)).every(
        ({ process }) => process !== 'started' && process !== 'wanted',
      ),
    100,
  )

const check = (holds: boolean, sentence: string): void => {
  if (!holds) throw new Error(sentence)
}
