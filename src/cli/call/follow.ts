import type { Connection } from '../../operations/door/connection.ts'
import type { Call } from './command.ts'

/** The longest sleep between two reads (ms), because the output of processes grows without a commit. */
const GLANCE = 1000

/** Runs `look` now and after every change, until Ctrl-C; then once more, so that nothing from before is omitted. */
export const onEveryChange = async (
  { services, streams }: Call,
  connection: Connection,
  look: () => Promise<void>,
): Promise<void> => {
  await look()
  while (streams.signal?.aborted !== true) {
    await services.nextChange(connection, GLANCE)
    await look()
  }
}
