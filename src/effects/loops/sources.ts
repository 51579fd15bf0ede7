import { isHome } from '../../operations/perform/core.ts'
import { agentsSocketOf } from '../doorway/worker.ts'
import { trashJobsOf } from '../archive/trash.ts'
import { hooksOf } from './hooks.ts'
import { callJobsOf, tailJobsOf } from '../hosts/answers.ts'
import { noteJobsOf } from '../hosts/offline-notes.ts'
import { exchangeJobsOf } from '../hosts/code-exchange.ts'
import { sightJobsOf } from '../hosts/observations.ts'
import { lostHostJobsOf, untakenJobsOf } from '../hosts/losses.ts'
import { candidateJobsOf } from '../remote/candidates.ts'
import { radarJobsOf } from '../radar/conflict-notes.ts'
import type { SessionFiles } from '../session-files/session-files.ts'
import { watchJobsOf } from '../watch/checkout.ts'
import type { World } from '../world.ts'
import type { Job, Wishes } from '../job.ts'

/** Jobs that no row asks for, asked for once a turn. */
type Source = (wishes: Wishes, now: number) => readonly Job[] | Promise<readonly Job[]>

/** The further jobs of a process: those of its host, and those of the process that plans for the board. */
export interface Sources {
  readonly host: readonly Source[]
  readonly leader: readonly Source[]
  /** Ends what a source has opened. */
  readonly close: () => void
}

export const sourcesOf = (host: World, leader: World, files: SessionFiles): Sources => {
  const hookJobs = hooksOf(leader)
  const lostHostJobs = lostHostJobsOf(leader)
  const untakenJobs = untakenJobsOf(leader)
  const noteJobs = noteJobsOf(host)
  const callJobs = callJobsOf(host)
  const tailJobs = tailJobsOf(host)
  const sightJobs = sightJobsOf(host)
  const trashJobs = trashJobsOf(host, performance.now())
  const candidateJobs = candidateJobsOf(host, performance.now())
  const watchJobs = watchJobsOf(host)
  const agentsSocket = agentsSocketOf(host)
  // The main checkout, with the targets, is on the first host.
  const ofMainCheckout: readonly Source[] = [radarJobsOf(host), (_wishes, now) => watchJobs(now)]
  return {
    close: agentsSocket.close,
    leader: [
      (wishes, now) => hookJobs(wishes.lastEvent, now),
      (_wishes, now) => lostHostJobs(now),
      (_wishes, now) => untakenJobs(now),
    ],
    host: [
      (wishes, now) => files.jobs(wishes, now),
      (_wishes, now) => trashJobs(now),
      (_wishes, now) => candidateJobs(now),
      (_wishes, now) => noteJobs(now),
      callJobs,
      (wishes, now) => tailJobs(wishes, now),
      (_wishes, now) => sightJobs(now),
      exchangeJobsOf(host),
      agentsSocket.open,
      ...(isHome(host.core) ? ofMainCheckout : []),
    ],
  }
}
