import type { Db } from '../engine/db.ts'
import { kyselyOn, kyselyOver } from './dialect.ts'
import { explain, isEnded } from './errors.ts'
import type { Server, Session } from './server.ts'

/** The most connections of this process that a read may find ended, one after the other. */
const MOST_ENDED = 5

/**
 * Reads on any connection of the server; an error of the server says what to do. A connection may have been ended while this
 * process was stopped or idle: as long as nothing was answered, the next one is asked.
 */
export const readsOf = (server: Pick<Server, 'connect' | 'end'>, place: string): Db =>
  kyselyOver({
    connect: async () => {
      const connect = (): Promise<Session> =>
        server.connect().catch((error: unknown) => {
          throw explain(error, place)
        })
      let session: Session | undefined = await connect()
      let [isAnswered, broken] = [false, false]
      const query = async <Row>(sql: string, parameters: readonly unknown[]) => {
        for (let ended = 0; ; ended++) {
          try {
            const result = await session!.query<Row>(sql, parameters)
            isAnswered = true
            return result
          } catch (error) {
            broken = true
            if (isAnswered || !isEnded(error) || ended === MOST_ENDED) throw explain(error, place)
          }
          session!.release(true)
          session = undefined
          session = await connect()
          broken = false
        }
      }
      return { query: query as never, release: () => session?.release(broken) }
    },
    end: () => server.end(),
  })

/** One transaction costs the server less than one for each statement. As `readsOf`, with all of the work. */
export const readTogether = async <T>(
  server: Pick<Server, 'connect'>,
  place: string,
  work: (db: Db) => Promise<T>,
): Promise<T> => {
  for (let ended = 0; ; ended++) {
    const met: Met = { isAnswered: false, error: undefined }
    try {
      return await readOnce(server, place, work, met)
    } catch (error) {
      if (met.isAnswered || !isEnded(met.error) || ended === MOST_ENDED) throw error
    }
  }
}

/** How far a read came. */
interface Met {
  isAnswered: boolean
  /** The first error of its connection: what was sent after it gets another one, without the reason. */
  error: unknown
}

/** Nothing waits for the beginning or the end of the transaction. */
const readOnce = async <T>(
  server: Pick<Server, 'connect'>,
  place: string,
  work: (db: Db) => Promise<T>,
  met: Met,
): Promise<T> => {
  const session = await server.connect().catch((error: unknown) => {
    throw explain(error, place)
  })
  let beginning: Promise<unknown> | undefined
  let [broken, ended] = [false, false]
  const query: Session['query'] = async <Row>(sql: string, parameters: readonly unknown[]) => {
    // Another part of the work has failed meanwhile, and the connection may serve another operation.
    if (ended) throw new Error('the read has ended')
    beginning ??= session.script(READING).catch((error: unknown) => void (met.error ??= error))
    try {
      const result = await session.query<Row>(sql, parameters)
      met.isAnswered = true
      return result
    } catch (error) {
      broken = true
      await beginning
      throw explain((met.error ??= error), place)
    }
  }
  try {
    return await work(kyselyOn(query))
  } finally {
    ended = true
    if (beginning && !broken) session.script('COMMIT').catch(() => {})
    session.release(broken)
  }
}

const READING = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** So many questions are asked; the fastest answer is that of the way, the others also of what else happens. */
const QUESTIONS = 5

/** How long the server takes to answer the least question (ms). */
export const roundTripTo = async (server: Server): Promise<number> => {
  const session = await server.connect()
  let least = Infinity
  try {
    for (let n = 0; n < QUESTIONS; n++) {
      const asked = performance.now()
      await session.query('SELECT 1', [])
      least = Math.min(least, performance.now() - asked)
    }
  } finally {
    session.release(least === Infinity)
  }
  return least
}
