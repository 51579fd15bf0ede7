import { isRefusal } from '../../domain/rules/refusal.ts'
import { recordRemote } from '../../operations/hosts/remote.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { World } from '../world.ts'
import { answers, listRemote } from './remote.ts'

/** How often a remote that did not answer is asked again (ms). */
const AGAIN = 15_000

/**
 * Whether the remote answers this host, as a source of jobs: each change is recorded on the board, so that every console
 * says why a merge waits. A remote is asked at the beginning, and again while it does not answer, also if nothing else is
 * to be pushed or fetched.
 */
export const remoteJobsOf = (world: World) => {
  let recorded: boolean | undefined
  let due = 0
  return (url: string, now: number) => {
    const known = answers(url)
    const record = async (): Promise<void> => {
      // The actor of now: the role of the host may have been taken since.
      await perform(world.core, recordRemote, { answers: known! }, world.actor)
      recorded = known
    }
    const ask = async (): Promise<void> => {
      due = performance.now() + AGAIN
      await listRemote({ root: world.core.root, url }, ['HEAD']).catch((error: unknown) => {
        // The job that needs the remote reports it; here it is a fact.
        if (!isRefusal(error)) throw error
      })
    }
    return [
      ...(known === undefined || known === recorded ? [] : [{ key: 'record remote', run: record }]),
      ...(known === true || now < due ? [] : [{ key: 'ask remote', run: ask }]),
    ]
  }
}
