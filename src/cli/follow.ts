import type { Connection } from '../operations/kernel/outside.ts'
import type { Call } from './command.ts'

/** How long to sleep at most before looking again (ms); the output of processes grows without a commit. */
const GLANCE = 1000

/** Runs `look` now and after every change, until Ctrl-C; then once more, so that nothing that came before it is left out. */
export const onEveryChange = async ({ services, streams }: Call, connection: Connection, look: () => Promise<void>): Promise<void> => {
  await look()
  while (streams.signal?.aborted !== true) {
    await services.nextChange(connection, GLANCE)
    await look()
  }
}
