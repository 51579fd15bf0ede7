import { execFileSync } from 'node:child_process'
import { person } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import type { Figures } from '../proof.ts'
import { HOSTS, onHosts, type Trial } from './trial.ts'

// Work on three hosts without a person: the process that plans starts it, and what passes its verification is merged
// without a person, as the configuration on the target allows.

const config = `
integration: {verify: test -e README.md, approval: auto}
`

/** How long a round may take: its tasks, and its merges (ms). */
const ROUND = 120_000

export const runUnattended = (minutes: number): Promise<Figures> =>
  onHosts(
    { '.aiswarm/config.yaml': config },
    async (trial) => {
      const rounds: number[] = []
      for (const end = performance.now() + minutes * 60_000; performance.now() < end && trial.violations.length === 0;)
        rounds.push(await roundOf(trial, rounds.length))
      trial.counts['minutes without a console'] = Math.round(minutes)
      trial.counts['tasks'] = trial.counts['merges'] = HOSTS.length * rounds.length
      trial.spread('rounds of a task and a merge on each host', 'of a round', rounds, 2 * ROUND)
      const { remote } = trial.lab
      const files = execFileSync('git', ['-C', remote.folder, 'ls-tree', '--name-only', 'main'], { encoding: 'utf8' })
      const merged = files.split('\n').filter((name) => name.startsWith('made-')).length
      if (merged !== HOSTS.length * rounds.length) trial.violations.push(`${merged} files are on the target`)
    },
    { isNetworked: false },
  )

/** A worktree with a task on each host, until all of them are merged; returns how long that took (ms). */
const roundOf = async (trial: Trial, round: number): Promise<number> => {
  const began = performance.now()
  const names = HOSTS.map((host) => `${host}-${round}`)
  await Promise.all(HOSTS.map((host) => trial.worktree(`${host}-${round}`, host)))
  const tasks = await Promise.all(names.map((name) => trial.task(name, `echo ${round} > made-${name}.txt`)))
  await trial.ends('a task on each host', tasks, ROUND)
  for (const worktreeName of names) await perform(trial.core, requestIntegration, { worktreeName }, person)
  await trial.need('the merges of a round', ROUND, async () => {
    const rows = await trial.store.read
      .selectFrom('integrations')
      .where('worktree', 'in', names)
      .where('status', '=', 'integrated')
      .select('id')
      .execute()
    return rows.length === HOSTS.length
  })
  return performance.now() - began
}
