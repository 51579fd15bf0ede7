import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../../src/domain/agent/actor.ts'
import { getAgentRuns } from '../../src/operations/agents/runs.ts'
import { act, perform } from '../../src/operations/perform/perform.ts'
import { listMessages } from '../../src/operations/messages/inbox.ts'
import { say, stopTurn } from '../../src/operations/messages/say.ts'
import { listAgents } from '../../src/operations/agents/list.ts'
import { getTask } from '../../src/operations/tasks/detail.ts'
import { handBack } from '../../src/operations/agents/hand-back.ts'
import { forkAgent } from '../../src/operations/agents/fork.ts'
import { kindOf, talks } from './ways.ts'
import type { Step } from './stage.ts'
import {
  cannot,
  on,
  over,
  refusalOf,
  check,
  type Case,
  place,
  report,
  edit,
  commit,
  complete,
  end,
  requestsWith,
  told,
} from './play.ts'

/** A person speaks while a command runs, or for the end of the turn. */
export const saying =
  (when: 'now' | 'turn'): Case =>
  (cli) =>
    on(
      cli,
      [
        report('reading'),
        { shell: 'until [ -e ~/signals/go ]; do sleep 0.2; done' },
        // Its tools carry what is said to an agent that no protocol reaches.
        ...(talks(cli) ? [edit, commit, end] : [report('going on'), edit, commit]),
        ...[complete, end],
      ],
      {},
      async (stage) => {
        await stage.until('progress', ({ progressPercent }) => progressPercent === 10)
        const words = 'Mind the umlauts: äöü.'
        const input = { agentIds: ['implementer-1'], text: words, when }
        const [message] = await perform(stage.core, say, input, person)
        const state = async () =>
          (await perform(stage.core, listMessages, {}, person)).find(({ id }) => id === message!.id)!.status
        if (when === 'now' && talks(cli))
          await stage.until('the handing over', async () => (await state()) === 'handed_over')
        else check((await state()) === 'queued', 'it was not kept')
        stage.signal('go')
        // Its turn ends before its task: a message for the end begins another turn, which completes it.
        const task = await stage.until('the end', ({ status }) => ['completed', 'failed', 'pending'].includes(status))
        await over(stage)
        check((await state()) === 'seen', `the message is ${await state()}`)
        check(told(stage, words) === 1, `the model was told ${told(stage, words)} times`)
        if (when === 'turn') check(task.status === 'completed', `${task.status}: ${task.errorMessage ?? ''}`)
        check(stage.leftovers().length === 0, 'processes are left')
        if (!talks(cli)) return 'read with the answer of its next aiswarm tool'
        return when === 'now' ? 'read with the result of the running command' : 'began a turn of its own'
      },
    )

/** The turn is stopped in the middle of a command; the run stays, and continues with words. */
export const stopped: Case = (cli) =>
  on(
    cli,
    [report('reading'), { shell: 'until [ -e ~/signals/never ]; do sleep 0.2; done' }, edit, commit, complete, end],
    {},
    async (stage) => {
      await stage.until('progress', ({ progressPercent }) => progressPercent === 10)
      // The stop must meet the command, not its beginning.
      await stage.until('the command', () => stage.requests().includes('~/signals/never'))
      await sleep(3000)
      const stop = () => perform(stage.core, stopTurn, { agentId: 'implementer-1' }, person)
      if (!talks(cli)) return cannot(await refusalOf(stop()))
      const { id } = await stop()
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
export const takenOver: Case = (cli) =>
  on(
    cli,
    [
      report('reading'),
      // Some CLIs show their own program's model the command again, so the answer comes before it in the script.
      { text: 'Heard: {{heard}}', let: { heard: '(Mind-the-umlauts)' }, if: '{{heard}}' },
      { shell: 'until [ -e ~/signals/never ]; do sleep 0.2; done' },
      ...[edit, commit, complete, end],
    ],
    {},
    async (stage) => {
      await stage.until('progress', ({ progressPercent }) => progressPercent === 10)
      // The end must meet the command, not its beginning.
      await stage.until('the command', () => stage.requests().includes('~/signals/never'))
      await sleep(3000)
      const takeOver = () => stage.connection.outside.takeOver('implementer-1', person)
      if (typeof kindOf(cli).terminal !== 'function') return cannot(await refusalOf(takeOver()))
      const taken = await takeOver()
      check(stage.leftovers().length === 0, 'processes are left')
      check((await stage.show()).assignedAgentId === taken.holderId, 'the person does not hold the task')
      const words = 'Mind-the-umlauts please.'
      // Its own program has no tools of aiswarm there, so the model may answer that.
      await stage.inProgram(cli, taken, words, /SCRIPT:|Heard: Mind/)
      check((await stage.show()).assignedAgentId === taken.holderId, 'the person has lost the task')
      stage.signal('never')
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
export const forked: Case = (cli) =>
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
      { shell: 'until [ -e ~/signals/never ]; do sleep 0.2; done' },
      ...[edit, commit, complete, end],
    ],
    {},
    async (stage) => {
      await stage.until('progress', ({ progressPercent }) => progressPercent === 10)
      await stage.until('the command', () => stage.requests().includes('~/signals/never'))
      await sleep(3000)
      const fork = () => act(stage.connection, forkAgent, { agentId: 'implementer-1', text: 'Keep-it-short please.' })
      const why = stage.connection.core.unforked?.(cli.name)
      if (why !== undefined) {
        const refused = await refusalOf(fork())
        check(refused.includes(why), `refused with another reason: ${refused}`)
        return cannot(refused)
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
      stage.signal('never')
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
