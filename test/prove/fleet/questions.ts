import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { answerRequest } from '../../../src/operations/requests/answers.ts'
import { listRequests } from '../../../src/operations/requests/requests.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import type { Figures } from '../proof.ts'
import { onHosts } from './trial.ts'

// An agent on a host asks a person elsewhere, who looks a hundred times a second and answers at once.

const agent = resolve(import.meta.dirname, '../../fixtures/stream-agent.mjs')

const config = `
agents: {kinds: {talker: {command: [sh, -c, 'exec "$0" "$1" "$HOME/agent"', '${process.execPath}', '${agent}'], protocol: stream-json}}}
`

/** How long a question may take beside the person: to be shown, and from the answer until the agent continues (ms). */
const MOST = 1000

export const runQuestions = (count: number): Promise<Figures> =>
  onHosts(
    { '.aiswarm/config.yaml': config },
    async (trial) => {
      const { core } = trial
      const { home } = trial.lab.machines['c']!
      mkdirSync(join(home, 'agent'))
      const asks = Array.from({ length: count }, (_, n) => ({ ask: { tool: 'Bash', input: { command: `ls ${n}` } } }))
      writeFileSync(join(home, 'agent', 'turns.json'), JSON.stringify([asks]))
      await trial.worktree('asking', 'c')
      const draft = { title: 'asks', personaId: 'tester', targetWorktree: 'asking', metadata: { cli: 'talker' } }
      const { id: taskId } = await perform(core, createTask, draft, person)
      const answered = (): readonly string[] => trial.diary('c', 'agent/asked.jsonl')
      for (
        const end = performance.now() + 60_000 + count * 2000;
        answered().length < count && performance.now() < end;
      ) {
        for (const { id, status } of await perform(core, listRequests, {}, person))
          if (status === 'open') await perform(core, answerRequest, { requestId: id, verdict: 'allow' }, person)
        await sleep(10)
      }
      const took = answered()
        .map((line) => JSON.parse(line) as { asked: number; answered: number })
        .map(({ asked, answered: at }) => at - asked)
        .sort((one, other) => one - other)
      await perform(core, cancelTask, { taskId, reason: 'its questions are answered' }, person)
      const at = (part: number): number => took[Math.min(took.length - 1, Math.floor(took.length * part))] ?? Infinity
      trial.counts['questions that were answered'] = took.length
      trial.counts['ms from the question to the continued agent, median'] = at(0.5)
      trial.counts['ms at the 99th percentile'] = at(0.99)
      trial.counts['ms, longest'] = at(1)
      if (took.length < count) trial.violations.push(`${took.length} of ${count} questions were answered`)
      if (at(0.99) > MOST) trial.violations.push(`questions took ${at(0.99)} ms at the 99th percentile`)
    },
    { isNetworked: false },
  )
