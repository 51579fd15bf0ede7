import type { Db } from '../engine/db.ts'
import { kyselyOn, kyselyOver } from './dialect.ts'
import { explain } from './explain.ts'
import type { Server, Session } from './server.ts'

/** Reads on any connection of the server; an error of the server says what to do. */
export const readsOf = (server: Pick<Server, 'connect' | 'end'>, place: string): Db =>
  kyselyOver({
    connect: async () => {
      const explained = async <T>(work: () => Promise<T>): Promise<T> => {
        try {
          return await work()
        } catch (error) {
          broken = true
          throw explain(error, place)
        }
      }
      let broken = false
      const session: Session = await explained(() => server.connect())
      return {
        query: (<Row>(sql: string, parameters: readonly unknown[]) =>
          explained(() => session.query<Row>(sql, parameters))) as never,
        release: () => session.release(broken),
      }
    },
    end: () => server.end(),
  })

/** One transaction costs the server less than one for each statement. Nothing waits for its beginning or its end. */
export const readTogether = async <T>(
  server: Pick<Server, 'connect'>,
  place: string,
  work: (db: Db) => Promise<T>,
): Promise<T> => {
  const session = await server.connect().catch((error: unknown) => {
    throw explain(error, place)
  })
  let [begun, broken, ended] = [false, false, false]
  const query: Session['query'] = async <Row>(sql: string, parameters: readonly unknown[]) => {
    // Another part of the work has failed meanwhile, and the connection may serve another operation.
    if (ended) throw new Error('the read has ended')
    if (!begun) session.script(READING).catch(() => {})
    begun = true
    try {
      return await session.query<Row>(sql, parameters)
    } catch (error) {
      broken = true
      throw explain(error, place)
    }
  }
  try {
    return await work(kyselyOn(query))
  } finally {
    ended = true
    if (begun && !broken) session.script('COMMIT').catch(() => {})
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
