import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionLost, isNumberOfFuture, unknownOutcome } from './explain.ts'
import { LIFE, type Server, type Session } from './server.ts'

/** Milliseconds before a transaction is tried again, or the server asked again. */
export const pause = (tries: number): number => Math.min(500, 5 * 2 ** tries) * (0.5 + Math.random())

interface BoardServer {
  readonly server: Server
  /** The address without secrets. */
  readonly place: string
  /** How long the server is asked (ms). */
  readonly patience: number
}

/** A transaction whose commit was not answered. */
interface Unanswered {
  readonly xid: string
  readonly life: string | undefined
}

/** Asks the server what became of a transaction whose commit was not answered. */
export const wasCommitted = async (board: BoardServer, unanswered: Unanswered, lost: unknown): Promise<boolean> => {
  const began = performance.now()
  for (let tries = 0; performance.now() - began < board.patience; tries++) {
    await sleep(pause(tries))
    const { status, life } = await statusOf(board, unanswered.xid).catch((error: unknown) => {
      if (isConnectionLost(error)) return { status: 'in progress', life: undefined }
      throw unknownOutcome(board.place, error)
    })
    if (status === 'aborted') return false
    // After a crash, another transaction may have got the number of one whose commit was lost.
    if (status === null || (status === 'committed' && life !== unanswered.life)) break
    if (status === 'committed') return true
  }
  throw unknownOutcome(board.place, lost)
}

const statusOf = async (
  { server }: BoardServer,
  xid: string,
): Promise<{ readonly status: string | null; readonly life: string | undefined }> => {
  const session = await server.connect()
  let failed = true
  try {
    const [{ standby } = { standby: true }] = (
      await session.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby', [])
    ).rows
    const { status, life } = await statusIn(session, xid)
    failed = status === 'aborted'
    // A standby may not have come to the commit yet, so that there only a commit says something.
    return standby && status !== 'committed' ? { status: 'in progress', life } : { status, life }
  } finally {
    session.release(failed)
  }
}

type Status = Awaited<ReturnType<typeof statusOf>>

const statusIn = async (session: Session, xid: string): Promise<Status> => {
  try {
    const { rows } = await session.query<{ status: string | null; life: string }>(
      `SELECT pg_xact_status($1::text::xid8) AS status, (${LIFE}) AS life`,
      [xid],
    )
    return rows[0]!
  } catch (error) {
    if (!isNumberOfFuture(error)) throw error
    return { status: 'aborted', life: undefined }
  }
}
