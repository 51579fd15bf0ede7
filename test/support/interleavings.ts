import type { Server, Session } from '../../src/db/postgres/server.ts'

// Two writers of one board, of which one is held before a message of its transaction while the other works on.

/** The messages of a writer's transactions: it waits before the chosen one until it is let go. */
export interface Gate {
  readonly server: Server
  /** Holds the writer before message `number` (1 is the first after the opening) of its next transaction, or before its end. */
  hold(at: number | 'COMMIT'): void
  /** Resolves to true once the writer waits there, and to false if its transaction ended before. */
  reached(): Promise<boolean>
  letGo(): void
  /** How many transactions the server has ended because they waited for each other in a circle. */
  readonly deadlocks: () => number
}

export const gateOn = (server: Server): Gate => {
  let at: number | 'COMMIT' = Infinity
  let deadlocks = 0
  let held = Promise.withResolvers<boolean>()
  let free = Promise.withResolvers<void>()
  const watched = (session: Session): Session => {
    let sent = -1
    let last = Promise.resolve()
    /** Messages stay in their order while one is held. */
    const before = (sql: string): Promise<void> => (last = last.then(() => mayHold(sql)))
    const mayHold = async (sql: string): Promise<void> => {
      if (sql.startsWith('BEGIN')) sent = 0
      else if (sent >= 0 && !sql.includes('pg_notify') && (++sent === at || sql === at)) {
        held.resolve(true)
        await free.promise
      }
    }
    const after = (sql: string): void => {
      if (sent < 0 || !/^(?:COMMIT|ROLLBACK)/.test(sql)) return
      sent = -1
      held.resolve(false)
    }
    const counting = (error: unknown): never => {
      if ((error as { code?: string }).code === '40P01') deadlocks++
      throw error
    }
    return {
      ...session,
      query: async (sql, parameters) => {
        await before(sql)
        return session.query(sql, parameters).catch(counting) as never
      },
      script: async (sql) => {
        await before(sql)
        const rows = await session.script(sql).catch(counting)
        after(sql)
        return rows as never
      },
    }
  }
  return {
    server: { ...server, connect: async () => watched(await server.connect()) },
    hold: (place) => {
      at = place
      held = Promise.withResolvers()
      free = Promise.withResolvers()
    },
    reached: () => held.promise,
    letGo: () => {
      at = Infinity
      free.resolve()
    },
    deadlocks: () => deadlocks,
  }
}

/** Waits until the work has ended, or a writer of the cluster waits for another one. Returns true if it has ended. */
export const endsOrWaits = async (work: Promise<unknown>, session: Session): Promise<boolean> => {
  let ended = false
  const end = (): void => void (ended = true)
  work.then(end, end)
  for (;;) {
    const { rows } = await session.query<{ waits: number }>(
      'SELECT count(*) AS waits FROM pg_locks WHERE NOT granted',
      [],
    )
    if (ended) return true
    if (rows[0]!.waits > 0) return false
  }
}
