import { execFileSync } from 'node:child_process'
import { type Figures, type Proof, requirePrograms, type Share } from './proof.ts'

// Proofs on hosts in namespaces, with a network, a git server and PostgreSQL of their own. Times are in milliseconds or, where
// that is said, in tenths of a second.

const onHosts = (name: string, shows: string, run: (share: Share) => Promise<Figures>): Proof => ({
  name,
  shows,
  run: (share) => {
    requirePrograms('unshare', 'nsenter', 'ip', 'openssl')
    execFileSync(process.execPath, ['build/if-changed.ts'], { stdio: 'ignore' })
    return run(share)
  },
})

export const integrators = onHosts(
  'integrators',
  'Two processes and a worker merge the work of two hosts into one target at once, and their leases end early all the time: each merge lands once, and the target has only approved merges.',
  async (share) => (await import('./fleet/two-integrators.ts')).runTwoIntegrators(share.of(200), share.day),
)

export const silence = onHosts(
  'silence',
  'Three hosts with the times of the documentation: one is cut off for four minutes, another one for ten, and one is switched off while uncommitted files are pushed too. Counts are in tenths of a second.',
  async () => (await import('./fleet/silence.ts')).runSilence(),
)

export const leader = onHosts(
  'leader',
  'Of three hosts, the one that plans for the board is killed, ends normally, and is stopped for a minute: how long it takes until another one starts the next task, and that the stopped one plans no more when it continues.',
  async (share) => (await import('./fleet/leader.ts')).runLeader(share),
)

export const questions = onHosts(
  'questions',
  'An agent of one host asks for a permission, a person elsewhere answers as soon as the question is shown, and the agent continues.',
  async (share) => (await import('./fleet/questions.ts')).runQuestions(share.of(300)),
)

export const failover = onHosts(
  'failover',
  'Three hosts and their persons at work while the server crashes and fails over to a synchronous replica: no acknowledged write is lost. After a failover to a replica that lacks acknowledged writes, every host notices it before it writes anything.',
  async (share) => (await import('./fleet/failover.ts')).runFailover(share.of(3)),
)

/** Minutes without a console; at night (`PROVE=night`) eight hours. */
const UNATTENDED = process.env['PROVE'] === 'night' ? 480 : 10

export const unattended = onHosts(
  'unattended',
  'Three hosts without any console: tasks are started, verified and merged, and nothing waits for a screen.',
  async ({ divisor }) => (await import('./fleet/unattended.ts')).runUnattended(UNATTENDED / divisor),
)

/** Ten minutes; at night (`PROVE=night`) an hour. */
const MINUTES = process.env['PROVE'] === 'night' ? 60 : 10

export const faults: Proof = {
  name: 'faults',
  shows:
    'Three hosts in namespaces, with a network, a git server and PostgreSQL of their own, under random faults: no acknowledged write is lost or done twice, no task has two live attempts, the target has only approved merges, and no foreign process gets a signal.',
  run: async ({ divisor, day }) => {
    requirePrograms('unshare', 'nsenter', 'ip', 'openssl', 'flock')
    execFileSync(process.execPath, ['build/if-changed.ts'], { stdio: 'ignore' })
    const { runFaults } = await import('./fleet/run.ts')
    const seed = Number(process.env['SEED'] ?? day)
    return runFaults({ seed, ms: Math.max(15_000, (MINUTES * 60_000) / divisor) })
  },
}
